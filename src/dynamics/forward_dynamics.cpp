// Forward dynamics by articulated bodies in O(n) (Featherstone 2008, 7.3): for deep trees, whose mass matrix would cost
// more than the recursion.
// Inertias are symmetric 6x6 matrices about the tree's reference point, in world axes, by columns. U = I S is `reach`,
// 1 / (S . U + rotor) is `inverse`, u = tau - S . p is `drive`.
// factor_articulated and respond_articulated give M^-1 x for many right-hand sides x with one factorisation.

#include "mechane/dynamics/forward_dynamics.h"

#include <algorithm>

#include "mechane/math/simd.h"

namespace mechane::dynamics {

namespace {

using Inertia = ArticulatedBodies::Inertia;

/// The matrix is symmetric: by columns, whose numbers lie side by side.
Spatiald times(const Inertia& I, const Spatiald& s)
{
    const double x[6] = {s.linear.x, s.linear.y, s.linear.z, s.angular.x, s.angular.y, s.angular.z};
    double       y[6] = {};
    for (std::size_t k = 0; k < 6; ++k)
        for (std::size_t i = 0; i < 6; ++i) y[i] += I[6 * k + i] * x[k];
    return {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

/// I := I - u u^T / d.
void take_out(Inertia& I, const Spatiald& u, double inverse)
{
    const double x[6] = {u.linear.x, u.linear.y, u.linear.z, u.angular.x, u.angular.y, u.angular.z};
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t k = 0; k < 6; ++k) I[6 * i + k] -= x[i] * x[k] * inverse;
}

/// A rigid body about a point that is `r` before its centre of mass.
/// [ m E, -m r x; m r x, I_com + m (r.r E - r r^T) ] for (linear, angular) vectors.
Inertia rigid(double m, const Vec3d& r, const Mat33d& I_com)
{
    const Vec3d  h  = m * r;
    const Mat33d hx = Mat33d::skew(h);
    const Mat33d I  = I_com + m * (Mat33d::diagonal(Vec3d{dot(r, r), dot(r, r), dot(r, r)}) - Mat33d::outer(r, r));
    Inertia      out{};
    for (std::size_t i = 0; i < 3; ++i) {
        out[6 * i + i] = m;
        for (std::size_t k = 0; k < 3; ++k) {
            out[6 * i + 3 + k]       = -hx(i, k);
            out[6 * (3 + i) + k]     = hx(i, k);
            out[6 * (3 + i) + 3 + k] = I(i, k);
        }
    }
    return out;
}

/// Rigid inertia of a link about the reference point of its tree.
Inertia rigid(const Link& link, const Mat33d& R, const Vec3d& r)
{ return rigid(link.mass, r, R * link.inertia * transpose(R)); }

/// What a dof reaches through the inertia of all that hangs on it, and the inverse of what it feels; takes both out.
void articulate(ArticulatedBodies& s, std::int32_t l, std::int32_t k, const Spatiald& column, double rotor)
{
    s.reach[k]     = times(s.inertia[l], column);
    const double d = dot(column, s.reach[k]) + rotor;
    // A dof that moves nothing gets no acceleration instead of an infinite one.
    s.inverse[k]   = d > 1e-30 ? 1 / d : 0;
    take_out(s.inertia[l], s.reach[k], s.inverse[k]);
}

/// The motion cross product v x s (Featherstone 2008, 2.9).
Spatiald cross_motion(const Spatiald& v, const Spatiald& s)
{ return {cross(v.angular, s.linear) + cross(v.linear, s.angular), cross(v.angular, s.angular)}; }

}  // namespace

void ArticulatedBodies::resize(const Forest& forest)
{
    const std::size_t links = forest.links.size(), dofs = static_cast<std::size_t>(forest.dof_count);
    inertia.assign(links, {});
    force.assign(links, {});
    acceleration.assign(links, {});
    reach.assign(dofs, {});
    carried.assign(dofs, {});
    drive.assign(dofs, 0);
    inverse.assign(dofs, 0);
    push.assign(links, {});
    gain.assign(links, {});
}

void articulated_body_algorithm(const Forest& forest, const Tree& tree, const Vec3d& gravity,
                                std::span<const Spatiald> wrench, std::span<const double> tau,
                                std::span<const double> armature, const Motion& motion, ArticulatedBodies& s,
                                std::span<double> qdd)
{
    const std::size_t t = static_cast<std::size_t>(&tree - forest.trees.data());
    const Vec3d       O = motion.reference[t];
    // First pass, outwards: rigid inertias, bias forces, velocity products c = v x S q'.
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link&   link = forest.links[l];
        const Mat33d& R    = motion.R_WB[l];
        const Vec3d   r    = motion.com_W[l] - O;
        const Vec3d&  w    = motion.twist[l].angular;
        const Vec3d   w_B  = transpose_times(R, w);
        s.inertia[l]       = rigid(link, R, r);
        Spatiald f = {link.mass * (cross(w, motion.twist[l].linear) - gravity), R * cross(w_B, link.inertia * w_B)};
        if (!wrench.empty()) f -= wrench[static_cast<std::size_t>(l)];
        s.force[l] = shift_wrench(f, -r);

        Spatiald v;
        if (link.parent >= 0)
            v = motion.link_velocity[link.parent];
        else if (link.base >= 0)
            v = shift_twist(motion.base_twist[link.base], O - motion.base_com[link.base]);
        const bool chain = link.axes.type != model::JointType::ball;
        for (std::int32_t k = link.dof; k < link.dof + link.dofs; ++k) {
            const double rate = motion.v[k];
            s.carried[k]      = link.free ? Spatiald{} : rate * cross_motion(v, motion.column[k]);
            if (chain && !link.free) v += rate * motion.column[k];
        }
    }
    // Second pass, inwards: the articulated inertia I - U U^T / d and bias p + I c + U u / d of each link go to its
    // parent.
    for (std::int32_t l = tree.link_end - 1; l >= tree.link_begin; --l) {
        const Link& link = forest.links[l];
        for (std::int32_t k = link.dof + link.dofs - 1; k >= link.dof; --k) {
            const Spatiald& S = motion.column[k];
            s.drive[k]        = tau[static_cast<std::size_t>(k - tree.dof_begin)] - dot(S, s.force[l]);
            articulate(s, l, k, S, armature.empty() ? 0 : armature[static_cast<std::size_t>(k)]);
            s.force[l] += times(s.inertia[l], s.carried[k]) + (s.drive[k] * s.inverse[k]) * s.reach[k];
        }
        if (link.parent < 0) continue;
        for (std::size_t i = 0; i < 36; ++i) s.inertia[link.parent][i] += s.inertia[l][i];
        s.force[link.parent] += s.force[l];
    }
    // Third pass, outwards: qdd = (u - U . a) / d, a = a_parent + c + S qdd.
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        Spatiald    a;
        if (link.free)
            // Of a free root the columns are about its centre of mass; the spatial acceleration about O differs by the
            // centripetal term.
            a.linear = cross(motion.twist[l].linear, motion.twist[l].angular);
        else if (link.parent >= 0)
            a = s.acceleration[link.parent];
        else if (link.base >= 0)
            a.linear = cross(motion.base_twist[link.base].linear, motion.base_twist[link.base].angular);
        for (std::int32_t k = link.dof; k < link.dof + link.dofs; ++k) {
            a += s.carried[k];
            const double rate_of_rate                         = s.inverse[k] * (s.drive[k] - dot(s.reach[k], a));
            qdd[static_cast<std::size_t>(k - tree.dof_begin)] = rate_of_rate;
            a += rate_of_rate * motion.column[k];
        }
        s.acceleration[l] = a;
    }
}

[[gnu::flatten]] MCH_CLONES_AVX2 void factor_articulated(const Forest& forest, const Tree& tree,
                                                         std::span<const double> armature, const Motion& motion,
                                                         ArticulatedBodies& s)
{
    const Vec3d O = motion.reference[static_cast<std::size_t>(&tree - forest.trees.data())];
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l)
        s.inertia[l] = rigid(forest.links[l], motion.R_WB[l], motion.com_W[l] - O);
    for (std::int32_t l = tree.link_end - 1; l >= tree.link_begin; --l) {
        const Link& link = forest.links[l];
        for (std::int32_t k = link.dof + link.dofs - 1; k >= link.dof; --k)
            articulate(s, l, k, motion.column[k], armature.empty() ? 0 : armature[static_cast<std::size_t>(k)]);
        if (link.parent < 0) continue;
        for (std::size_t i = 0; i < 36; ++i) s.inertia[link.parent][i] += s.inertia[l][i];
    }
}

namespace {

/// The same passes without velocities: impulses inwards, velocity changes outwards.
template <int lanes>
void respond_lanes(const Forest& forest, const Tree& tree, const Motion& motion, ArticulatedBodies& s, double* x)
{
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) std::fill_n(s.push[l].begin(), lanes, Spatiald{});
    for (std::int32_t l = tree.link_end - 1; l >= tree.link_begin; --l) {
        const Link& link = forest.links[l];
        auto&       push = s.push[l];
        for (std::int32_t k = link.dof + link.dofs - 1; k >= link.dof; --k) {
            double* at = x + static_cast<std::ptrdiff_t>(k - tree.dof_begin) * lanes;
            for (std::size_t i = 0; i < lanes; ++i) {
                const double left = at[i] - dot(motion.column[k], push[i]);
                at[i]             = left * s.inverse[k];
                push[i] += at[i] * s.reach[k];
            }
        }
        if (link.parent < 0) continue;
        for (std::size_t i = 0; i < lanes; ++i) s.push[link.parent][i] += push[i];
    }
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        auto&       gain = s.gain[l];
        if (link.parent >= 0)
            std::copy_n(s.gain[link.parent].begin(), lanes, gain.begin());
        else
            std::fill_n(gain.begin(), lanes, Spatiald{});
        for (std::int32_t k = link.dof; k < link.dof + link.dofs; ++k) {
            double* at = x + static_cast<std::ptrdiff_t>(k - tree.dof_begin) * lanes;
            for (std::size_t i = 0; i < lanes; ++i) {
                at[i] -= s.inverse[k] * dot(s.reach[k], gain[i]);
                gain[i] += at[i] * motion.column[k];
            }
        }
    }
}

}  // namespace

[[gnu::flatten]] MCH_CLONES_AVX2 void respond_articulated(const Forest& forest, const Tree& tree, const Motion& motion,
                                                          ArticulatedBodies& scratch, double* x, int lanes)
{
    if (lanes == 1)
        respond_lanes<1>(forest, tree, motion, scratch, x);
    else
        respond_lanes<4>(forest, tree, motion, scratch, x);
}

}  // namespace mechane::dynamics
