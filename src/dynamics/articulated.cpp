#include "mechane/dynamics/articulated.h"

#include <algorithm>
#include <cmath>

#include "mechane/math/lanes.h"

namespace mechane::dynamics {

namespace {

/// Velocity of the reference point O and angular velocity, from those of the centre of mass.
Spatiald at_reference(const Spatiald& twist, const Vec3d& from, const Vec3d& reference)
{ return shift_twist(twist, reference - from); }

/// Spatial cross product of motion vectors about one fixed point: d/dt of a column that a frame with velocity v
/// carries.
Spatiald cross_motion(const Spatiald& v, const Spatiald& s)
{ return {cross(v.angular, s.linear) + cross(v.linear, s.angular), cross(v.angular, s.angular)}; }

Spatiald times(const Composite& c, const Spatiald& s)
{ return {c.m * s.linear + cross(s.angular, c.h), cross(c.h, s.linear) + c.I * s.angular}; }

}  // namespace

void Motion::resize(const Forest& forest, std::size_t bodies)
{
    const std::size_t links = forest.links.size(), dofs = static_cast<std::size_t>(forest.dof_count);
    q.assign(static_cast<std::size_t>(forest.coord_count), 0);
    v.assign(dofs, 0);
    X_WB.assign(links, {});
    R_WB.assign(links, Mat33d::identity());
    com_W.assign(links, {});
    I_W.assign(links, {});
    twist.assign(links, {});
    column.assign(dofs, {});
    link_velocity.assign(links, {});
    link_force.assign(links, {});
    link_acceleration.assign(links, {});
    composite.assign(links, {});
    reference.assign(forest.trees.size(), {});
    base_X.assign(bodies, {});
    base_twist.assign(bodies, {});
    base_com.assign(bodies, {});
}

namespace {

/// The unit quaternion nearest to one that is nearly of unit length.
Quatd unit(const Quatd& q)
{
    const double n = std::sqrt(dot(q, q));
    if (!(n > 0) || !std::isfinite(n)) return {};
    const double scale = 1 / n;
    return {scale * q.x, scale * q.y, scale * q.z, scale * q.w};
}

void place_free(const Link& link, Motion& motion, std::size_t l)
{
    const double* q = motion.q.data() + link.coord;
    Posed&        X = motion.X_WB[l];
    X               = {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
    motion.R_WB[l]  = to_matrix(X.q);
    motion.com_W[l] = X.p + motion.R_WB[l] * link.com;
    for (int k = 0; k < 3; ++k) {
        const Vec3d e                   = axis_vector<double>(k);
        motion.column[link.dof + k]     = {e, {}};
        motion.column[link.dof + 3 + k] = {{}, e};
    }
}

/// Places a link on the anchor in its parent; returns the child's anchor, which angular columns pivot about.
Vec3d place_on_joint(const Link& link, const Posed& X_WJ, Motion& motion, std::size_t l)
{
    const double* q      = motion.q.data() + link.coord;
    Spatiald*     column = motion.column.data() + link.dof;
    Vec3d         p      = X_WJ.p;
    Quatd         turn   = X_WJ.q;  // as the axes so far have carried it
    if (link.axes.type == model::JointType::ball) {
        for (std::size_t k = 0; k < 3; ++k) column[k] = {{}, rotate(X_WJ.q, link.axes.axis[k])};
        turn = turn * unit(Quatd{q[0], q[1], q[2], q[3]});
    } else {
        for (std::size_t k = 0; k < static_cast<std::size_t>(link.dofs); ++k) {
            const Vec3d a = rotate(turn, link.axes.axis[k]);
            if (k < static_cast<std::size_t>(link.axes.linear)) {
                column[k] = {a, {}};
                p += q[k] * a;
            } else {
                column[k] = {{}, a};
                turn      = turn * from_axis_angle(link.axes.axis[k], q[k]);
            }
        }
    }
    Posed& X        = motion.X_WB[l];
    X.q             = unit(turn * conjugate(link.X_CJ.q));
    motion.R_WB[l]  = to_matrix(X.q);
    X.p             = p - motion.R_WB[l] * link.X_CJ.p;
    motion.com_W[l] = X.p + motion.R_WB[l] * link.com;
    return p;
}

}  // namespace

void forward_kinematics(const Forest& forest, const Tree& tree, Motion& motion)
{
    Vec3d& reference = motion.reference[static_cast<std::size_t>(&tree - forest.trees.data())];
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        const auto  at   = static_cast<std::size_t>(l);
        Vec3d       pivot;
        if (link.free) {
            place_free(link, motion, at);
            pivot = motion.com_W[at];
        } else if (link.parent >= 0) {
            pivot = place_on_joint(link, motion.X_WB[link.parent] * link.X_PJ, motion, at);
        } else {
            pivot = place_on_joint(link, link.base >= 0 ? motion.base_X[link.base] * link.X_PJ : link.X_PJ, motion, at);
        }
        if (l == tree.link_begin) reference = motion.com_W[at];
        const Vec3d r = reference - pivot;
        for (std::int32_t k = link.dof + (link.free ? 3 : link.axes.linear); k < link.dof + link.dofs; ++k)
            motion.column[k].linear = cross(motion.column[k].angular, r);
    }
    update_velocities(forest, tree, motion);
}

void update_velocities(const Forest& forest, const Tree& tree, Motion& motion)
{
    const Vec3d O = motion.reference[static_cast<std::size_t>(&tree - forest.trees.data())];
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link&   link = forest.links[l];
        const double* rate = motion.v.data() + link.dof;
        if (link.free) {
            motion.twist[l]         = {{rate[0], rate[1], rate[2]}, {rate[3], rate[4], rate[5]}};
            motion.link_velocity[l] = at_reference(motion.twist[l], motion.com_W[l], O);
            continue;
        }
        Spatiald v;
        if (link.parent >= 0)
            v = motion.link_velocity[link.parent];
        else if (link.base >= 0)
            v = at_reference(motion.base_twist[link.base], motion.base_com[link.base], O);
        for (int k = 0; k < link.dofs; ++k) v += rate[k] * motion.column[link.dof + k];
        motion.link_velocity[l] = v;
        motion.twist[l]         = shift_twist(v, motion.com_W[l] - O);
    }
}

void turn_inertias(const Forest& forest, const Tree& tree, Motion& motion)
{
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Mat33d& R  = motion.R_WB[l];
        const Mat33d  A  = R * forest.links[l].inertia;
        const double  xy = dot(A.r0, R.r1), xz = dot(A.r0, R.r2), yz = dot(A.r1, R.r2);
        motion.I_W[l] = {{dot(A.r0, R.r0), xy, xz}, {xy, dot(A.r1, R.r1), yz}, {xz, yz, dot(A.r2, R.r2)}};
    }
}

void inverse_dynamics(const Forest& forest, const Tree& tree, const Vec3d& gravity, std::span<const Spatiald> wrench,
                      const double* qdd, Motion& motion, std::span<double> tau)
{
    const std::size_t t = static_cast<std::size_t>(&tree - forest.trees.data());
    const Vec3d       O = motion.reference[t];
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        Spatiald    a;  // spatial acceleration about O, gravity taken out
        Spatiald    v;  // velocity of the frame that carries the next axis
        if (link.free) {
            // v_O = v_com - w x (com - O) with O fixed: holding (v_com, w) needs this apparent acceleration.
            const Spatiald& twist = motion.twist[l];
            a.linear              = cross(twist.linear, twist.angular);
            if (qdd)
                for (int k = 0; k < link.dofs; ++k)
                    a += qdd[link.dof - tree.dof_begin + k] * motion.column[link.dof + k];
        } else {
            if (link.parent >= 0) {
                a = motion.link_acceleration[link.parent];
                v = motion.link_velocity[link.parent];
            } else if (link.base >= 0) {
                // The base keeps its velocity: d/dt of v_O for a fixed point O of space.
                const Spatiald& twist = motion.base_twist[link.base];
                v                     = at_reference(twist, motion.base_com[link.base], O);
                a.linear              = cross(twist.linear, twist.angular);
            }
            const bool chain = link.axes.type != model::JointType::ball;  // a ball's axes are all carried by the parent
            for (int k = 0; k < link.dofs; ++k) {
                const Spatiald& s    = motion.column[link.dof + k];
                const double    rate = motion.v[link.dof + k];
                a += rate * cross_motion(v, s);
                if (chain) v += rate * s;
                if (qdd) a += qdd[link.dof - tree.dof_begin + k] * s;
            }
        }
        motion.link_acceleration[l] = a;
        const Vec3d&  w             = motion.twist[l].angular;
        const Vec3d   r             = motion.com_W[l] - O;
        const Vec3d   a_com         = a.linear + cross(a.angular, r) + cross(w, motion.twist[l].linear) - gravity;
        const Mat33d& I             = motion.I_W[l];
        Spatiald      f             = {link.mass * a_com, I * a.angular + cross(w, I * w)};
        if (!wrench.empty()) f -= wrench[static_cast<std::size_t>(l)];
        motion.link_force[l] = shift_wrench(f, -r);
    }
    for (std::int32_t l = tree.link_end - 1; l >= tree.link_begin; --l) {
        const Link& link = forest.links[l];
        for (int k = 0; k < link.dofs; ++k)
            tau[static_cast<std::size_t>(link.dof - tree.dof_begin + k)] =
                dot(motion.column[link.dof + k], motion.link_force[l]);
        if (link.parent >= 0) motion.link_force[link.parent] += motion.link_force[l];
    }
}

void mass_matrix(const Forest& forest, const Tree& tree, const Paths& paths, Motion& motion, std::span<double> matrix)
{
    const std::size_t t = static_cast<std::size_t>(&tree - forest.trees.data());
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        const Vec3d r    = motion.com_W[l] - motion.reference[t];
        Composite&  c    = motion.composite[l];
        c.m              = link.mass;
        c.h              = link.mass * r;
        c.I              = motion.I_W[l] +
                           link.mass * (Mat33d::diagonal(Vec3d{dot(r, r), dot(r, r), dot(r, r)}) - Mat33d::outer(r, r));
    }
    for (std::int32_t l = tree.link_end - 1; l >= tree.link_begin; --l) {
        const Link&      link = forest.links[l];
        const Composite& c    = motion.composite[l];
        if (link.parent >= 0) {
            Composite& p = motion.composite[link.parent];
            p.m += c.m;
            p.h += c.h;
            p.I += c.I;
        }
        for (std::int32_t k = link.dof; k < link.dof + link.dofs; ++k) {
            const Spatiald f    = times(c, motion.column[k]);
            const auto     path = paths.of(k);
            double*        row  = matrix.data() + paths.begin[k];
            for (std::size_t i = 0; i < path.size(); ++i) row[i] = dot(motion.column[path[i]], f);
        }
    }
}

namespace {

/// to -= a * from.
[[gnu::always_inline]] inline void subtract(double* to, double a, const double* from, std::int32_t count)
{
    std::int32_t j = 0;
    for (; j + kLanes <= count; j += kLanes) lanes(to + j) -= a * lanes(from + j);
    for (; j < count; ++j) to[j] -= a * from[j];
}

/// The dofs of a tree from the last to the first, whose rows begin at `begin`.
MCH_WIDE int factor_rows(std::int32_t dof_begin, std::int32_t dof_end, const std::int32_t* begin,
                         const std::int32_t* path_dofs, double* matrix, double* inverse_pivots)
{
    int locked = 0;
    for (std::int32_t k = dof_begin; k < dof_end; ++k) inverse_pivots[k] = matrix[begin[k + 1] - 1];
    for (std::int32_t k = dof_end; k-- > dof_begin;) {
        const std::int32_t* path     = path_dofs + begin[k];
        const std::int32_t  above    = begin[k + 1] - begin[k] - 1;
        double*             row      = matrix + begin[k];
        const double        original = inverse_pivots[k];
        // Cancellation down to rounding means that the motion carries no mass of its own.
        const bool regular = row[above] > 1e-11 * original && row[above] > 1e-30;
        locked += regular ? 0 : 1;
        const double inverse = regular ? 1 / row[above] : 0;
        inverse_pivots[k]    = inverse;
        for (std::int32_t i = above; i-- > 0;) {
            const double a = row[i] * inverse;
            subtract(matrix + begin[path[i]], a, row, i + 1);
            row[i] = a;
        }
    }
    return locked;
}

}  // namespace

int factor(const Tree& tree, const Paths& paths, std::span<double> matrix, std::span<double> inverse_pivots)
{
    return factor_rows(tree.dof_begin, tree.dof_end, paths.begin.data(), paths.dofs.data(), matrix.data(),
                       inverse_pivots.data());
}

namespace {

/// The dofs above `k`: the run that its path begins with, which lanes can work on, and the others. Of a dof in the run
/// itself all are the others: what was just written one by one is slow to read as lanes.
struct Above {
    const std::int32_t* path;
    const double*       row;
    std::int32_t        run, count;

    [[gnu::always_inline]] Above(const Paths& paths, const double* matrix, std::int32_t k)
        : path(paths.dofs.data() + paths.begin[k]),
          row(matrix + paths.begin[k]),
          count(paths.begin[k + 1] - paths.begin[k] - 1)
    { run = paths.head[k] > count ? 0 : paths.head[k]; }
};

/// Sum of row times x; `x`: of dof `first` on.
[[gnu::always_inline]] inline double sum_above(const Above& a, const double* x, std::int32_t first)
{
    const double* run = x + (a.count > 0 ? a.path[0] - first : 0);
    Lanes         four{};
    std::int32_t  i = 0;
    for (; i + kLanes <= a.run; i += kLanes) four += lanes(a.row + i) * lanes(run + i);
    double out = sum(four);
    for (; i < a.count; ++i) out += a.row[i] * x[a.path[i] - first];
    return out;
}

}  // namespace

MCH_WIDE void solve_factored(const Tree& tree, const Paths& paths, std::span<const double> factored,
                             std::span<const double> inverse_pivots, double* x)
{
    const std::int32_t first = tree.dof_begin;
    for (std::int32_t k = tree.dof_end; k-- > first;) {
        const double xk = x[k - first];
        if (xk == 0) continue;  // only the dofs above a load have one
        const Above a(paths, factored.data(), k);
        double*     run = x + (a.count > 0 ? a.path[0] - first : 0);
        subtract(run, xk, a.row, a.run);
        for (std::int32_t i = a.run; i < a.count; ++i) x[a.path[i] - first] -= a.row[i] * xk;
    }
    for (std::int32_t k = first; k < tree.dof_end; ++k)
        x[k - first] = x[k - first] * inverse_pivots[static_cast<std::size_t>(k)] -
                       sum_above(Above(paths, factored.data(), k), x, first);
}

MCH_WIDE void multiply_unit(const Tree& tree, const Paths& paths, std::span<const double> factored, const double* v,
                            double* y)
{
    for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
        y[k - tree.dof_begin] = v[k - tree.dof_begin] + sum_above(Above(paths, factored.data(), k), v, tree.dof_begin);
}

MCH_WIDE void solve_unit(const Tree& tree, const Paths& paths, std::span<const double> factored, double* x)
{
    for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
        x[k - tree.dof_begin] -= sum_above(Above(paths, factored.data(), k), x, tree.dof_begin);
}

void integrate(const Forest& forest, const Tree& tree, std::span<const double> v, double h, Motion& motion)
{
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link&   link = forest.links[l];
        double*       q    = motion.q.data() + link.coord;
        const double* rate = v.data() + link.dof;
        if (link.free) {
            const Quatd old = {q[3], q[4], q[5], q[6]};
            const Quatd now = normalized(from_rotation_vector(h * Vec3d{rate[3], rate[4], rate[5]}) * old);
            // The centre of mass moves in a straight line; the frame's origin follows it.
            const Vec3d p = Vec3d{q[0], q[1], q[2]} + h * Vec3d{rate[0], rate[1], rate[2]} +
                            (rotate(old, link.com) - rotate(now, link.com));
            q[0]          = p.x;
            q[1]          = p.y;
            q[2]          = p.z;
            q[3]          = now.x;
            q[4]          = now.y;
            q[5]          = now.z;
            q[6]          = now.w;
        } else if (link.axes.type == model::JointType::ball) {
            const Quatd now =
                normalized(from_rotation_vector(h * Vec3d{rate[0], rate[1], rate[2]}) * Quatd{q[0], q[1], q[2], q[3]});
            q[0] = now.x;
            q[1] = now.y;
            q[2] = now.z;
            q[3] = now.w;
        } else {
            for (int k = 0; k < link.dofs; ++k) q[k] += h * rate[k];
        }
    }
}

void load(const model::Model& model, const Forest& forest, const Tree& tree, std::span<const Real> joint_q,
          std::span<const Real> joint_qd, std::span<const Pose> body_q, std::span<const Spatial> body_qd,
          std::span<const std::uint8_t> body_wins, Motion& motion)
{
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        double*     q    = motion.q.data() + link.coord;
        double*     v    = motion.v.data() + link.dof;
        const auto  body = static_cast<std::size_t>(link.body);
        const auto  j    = static_cast<std::size_t>(link.joint);
        if (!link.free) {
            const Real* from = joint_q.data() + model.joint_q_start[j];
            for (int k = 0; k < link.coords; ++k) q[k] = static_cast<double>(from[k]);
            if (link.axes.type == model::JointType::ball) {
                const Quatd unit = normalized(Quatd{q[0], q[1], q[2], q[3]});
                q[0]             = unit.x;
                q[1]             = unit.y;
                q[2]             = unit.z;
                q[3]             = unit.w;
            }
            for (int k = 0; k < link.dofs; ++k)
                v[k] = static_cast<double>(joint_qd[static_cast<std::size_t>(model.joint_qd_start[j] + k)]);
            continue;
        }
        Posed    X;
        Spatiald twist;
        if (link.from_body || (!body_wins.empty() && body_wins[body])) {
            X     = static_cast<Posed>(body_q[body]);
            twist = static_cast<Spatiald>(body_qd[body]);
        } else {
            const JointMotion jm = [&] {
                std::array<double, 7> coords{};
                for (std::size_t k = 0; k < 7; ++k)
                    coords[k] = static_cast<double>(joint_q[static_cast<std::size_t>(model.joint_q_start[j]) + k]);
                return joint_motion(link.axes, coords);
            }();
            const Real* rate = joint_qd.data() + model.joint_qd_start[j];
            X                = link.X_PJ * jm.X_PC * inverse(link.X_CJ);
            twist            = {rotate(link.X_PJ.q, Vec3d{static_cast<double>(rate[0]), static_cast<double>(rate[1]),
                                                          static_cast<double>(rate[2])}),
                                rotate(link.X_PJ.q, Vec3d{static_cast<double>(rate[3]), static_cast<double>(rate[4]),
                                                          static_cast<double>(rate[5])})};
        }
        X.q  = normalized(X.q);
        q[0] = X.p.x;
        q[1] = X.p.y;
        q[2] = X.p.z;
        q[3] = X.q.x;
        q[4] = X.q.y;
        q[5] = X.q.z;
        q[6] = X.q.w;
        v[0] = twist.linear.x;
        v[1] = twist.linear.y;
        v[2] = twist.linear.z;
        v[3] = twist.angular.x;
        v[4] = twist.angular.y;
        v[5] = twist.angular.z;
    }
}

}  // namespace mechane::dynamics
