#pragma once
#include <cmath>
#include <type_traits>

#include "mechane/dynamics/articulated.h"

// The recursions over the links of a tree, for one tree and for four alike side by side: the same operations in the
// same order, so that a tree has the same bits either way. `S` says where numbers lie: it has `Number`, the functions
// that are called here, and links and dofs in the numbering of its first tree.

namespace mechane::dynamics {

/// A constant of a link, in each lane.
template <class T, template <class> class V>
decltype(auto) as(const V<double>& x)
{
    if constexpr (std::is_same_v<T, double>)
        return (x);
    else
        return static_cast<V<T>>(x);
}

/// Velocity of the reference point O and angular velocity, from those of the centre of mass.
template <class T>
SpatialT<T> at_reference(const SpatialT<T>& twist, const Vec3T<T>& from, const Vec3T<T>& reference)
{ return shift_twist(twist, reference - from); }

/// Spatial cross product of motion vectors about one fixed point: d/dt of a column that a frame with velocity v
/// carries.
template <class T>
SpatialT<T> cross_motion(const SpatialT<T>& v, const SpatialT<T>& s)
{ return {cross(v.angular, s.linear) + cross(v.linear, s.angular), cross(v.angular, s.angular)}; }

template <class T>
SpatialT<T> times(const CompositeT<T>& c, const SpatialT<T>& s)
{ return {c.m * s.linear + cross(s.angular, c.h), cross(c.h, s.linear) + c.I * s.angular}; }

/// The unit quaternion nearest to one that is nearly of unit length.
inline Quatd unit(const Quatd& q)
{
    const double n = std::sqrt(dot(q, q));
    if (!(n > 0) || !std::isfinite(n)) return {};
    const double scale = 1 / n;
    return {scale * q.x, scale * q.y, scale * q.z, scale * q.w};
}

template <class S>
void place_free(const Link& link, const S& s, std::int32_t l)
{
    using T      = typename S::Number;
    const auto q = [&](int k) { return s.coordinate(link.coord + k); };
    s.pose(l)    = {{q(0), q(1), q(2)}, {q(3), q(4), q(5), q(6)}};
    s.turn(l)    = to_matrix(s.pose(l).q);
    s.com(l)     = s.pose(l).p + s.turn(l) * as<T>(link.com);
    for (int k = 0; k < 3; ++k) {
        const Vec3T<T> e           = axis_vector<T>(k);
        s.column(link.dof + k)     = {e, {}};
        s.column(link.dof + 3 + k) = {{}, e};
    }
}

/// Places a link on the anchor in its parent; returns the child's anchor, which angular columns pivot about.
template <class S>
Vec3T<typename S::Number> place_on_joint(const Link& link, const PoseT<typename S::Number>& X_WJ, const S& s,
                                         std::int32_t l)
{
    using T       = typename S::Number;
    Vec3T<T> p    = X_WJ.p;
    QuatT<T> turn = X_WJ.q;  // as the axes so far have carried it
    if (link.axes.type == model::JointType::ball) {
        for (int k = 0; k < 3; ++k) s.column(link.dof + k) = {{}, rotate(X_WJ.q, as<T>(link.axes.axis[k]))};
        turn = turn * unit(QuatT<T>{s.coordinate(link.coord), s.coordinate(link.coord + 1),
                                    s.coordinate(link.coord + 2), s.coordinate(link.coord + 3)});
    } else {
        for (int k = 0; k < link.dofs; ++k) {
            const auto&    axis = as<T>(link.axes.axis[k]);
            const Vec3T<T> a    = rotate(turn, axis);
            if (k < link.axes.linear) {
                s.column(link.dof + k) = {a, {}};
                p += s.coordinate(link.coord + k) * a;
            } else {
                const auto [sine, cosine] = s.half_turn(link, k);
                s.column(link.dof + k)    = {{}, a};
                turn                      = turn * QuatT<T>{sine * axis.x, sine * axis.y, sine * axis.z, cosine};
            }
        }
    }
    PoseT<T>& X = s.pose(l);
    X.q         = unit(turn * conjugate(as<T>(link.X_CJ.q)));
    s.turn(l)   = to_matrix(X.q);
    X.p         = p - s.turn(l) * as<T>(link.X_CJ.p);
    s.com(l)    = X.p + s.turn(l) * as<T>(link.com);
    return p;
}

/// Velocities of the links about the reference point, and of their centres of mass.
template <class S>
void find_velocities(const Forest& forest, const Tree& tree, const S& s)
{
    using T          = typename S::Number;
    const Vec3T<T> O = s.reference();
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        const auto  rate = [&](int k) { return s.rate(link.dof + k); };
        if (link.free) {
            s.twist(l)    = {{rate(0), rate(1), rate(2)}, {rate(3), rate(4), rate(5)}};
            s.velocity(l) = at_reference(s.twist(l), s.com(l), O);
            continue;
        }
        SpatialT<T> v = link.parent >= 0 ? s.velocity(link.parent) : s.base_velocity(link);
        for (int k = 0; k < link.dofs; ++k) v += rate(k) * s.column(link.dof + k);
        s.velocity(l) = v;
        s.twist(l)    = shift_twist(v, s.com(l) - O);
    }
}

template <class S>
void place_links(const Forest& forest, const Tree& tree, const S& s)
{
    using T = typename S::Number;
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        Vec3T<T>    pivot;
        if (link.free) {
            place_free(link, s, l);
            pivot = s.com(l);
        } else if (link.parent >= 0) {
            pivot = place_on_joint(link, s.pose(link.parent) * as<T>(link.X_PJ), s, l);
        } else {
            pivot = place_on_joint(link, s.root_anchor(link), s, l);
        }
        if (l == tree.link_begin) s.reference() = s.com(l);
        const Vec3T<T> r = s.reference() - pivot;
        for (std::int32_t k = link.dof + (link.free ? 3 : link.axes.linear); k < link.dof + link.dofs; ++k)
            s.column(k).linear = cross(s.column(k).angular, r);
    }
    find_velocities(forest, tree, s);
}

/// R inertia R^T.
template <class T>
Mat33T<T> turned(const Mat33T<T>& inertia, const Mat33T<T>& R)
{
    const Mat33T<T> A  = R * inertia;
    const T         xy = dot(A.r0, R.r1), xz = dot(A.r0, R.r2), yz = dot(A.r1, R.r2);
    return {{dot(A.r0, R.r0), xy, xz}, {xy, dot(A.r1, R.r1), yz}, {xz, yz, dot(A.r2, R.r2)}};
}

/// Generalized forces that hold the accelerations of the dofs, or none unless `accelerated`.
template <class S>
void find_forces(const Forest& forest, const Tree& tree, const Vec3T<typename S::Number>& gravity, bool accelerated,
                 const S& s)
{
    using T          = typename S::Number;
    const Vec3T<T> O = s.reference();
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        SpatialT<T> a;  // spatial acceleration about O, gravity taken out
        SpatialT<T> v;  // velocity of the frame that carries the next axis
        if (link.free) {
            // v_O = v_com - w x (com - O) with O fixed: holding (v_com, w) needs this apparent acceleration.
            a.linear = cross(s.twist(l).linear, s.twist(l).angular);
            for (int k = 0; accelerated && k < link.dofs; ++k)
                a += s.acceleration_of_dof(link.dof + k) * s.column(link.dof + k);
        } else {
            if (link.parent >= 0) {
                a = s.acceleration(link.parent);
                v = s.velocity(link.parent);
            } else {
                // The base keeps its velocity: d/dt of v_O for a fixed point O of space.
                v        = s.base_velocity(link);
                a.linear = s.base_acceleration(link);
            }
            const bool chain = link.axes.type != model::JointType::ball;  // a ball's axes are all carried by the parent
            for (int k = 0; k < link.dofs; ++k) {
                const SpatialT<T>& column = s.column(link.dof + k);
                const T            rate   = s.rate(link.dof + k);
                a += rate * cross_motion(v, column);
                if (chain) v += rate * column;
                if (accelerated) a += s.acceleration_of_dof(link.dof + k) * column;
            }
        }
        s.acceleration(l)      = a;
        const Vec3T<T>&  w     = s.twist(l).angular;
        const Vec3T<T>   r     = s.com(l) - O;
        const Vec3T<T>   a_com = a.linear + cross(a.angular, r) + cross(w, s.twist(l).linear) - gravity;
        const Mat33T<T>& I     = s.inertia(l);
        SpatialT<T>      f     = {T(link.mass) * a_com, I * a.angular + cross(w, I * w)};
        s.take_wrench(l, f);
        s.force(l) = shift_wrench(f, -r);
    }
    for (std::int32_t l = tree.link_end - 1; l >= tree.link_begin; --l) {
        const Link& link = forest.links[l];
        for (int k = 0; k < link.dofs; ++k) s.load(link.dof + k) = dot(s.column(link.dof + k), s.force(l));
        if (link.parent >= 0) s.force(link.parent) += s.force(l);
    }
}

/// Inertia of all that hangs on each link, and the momentum of what moves with each dof, at unit rate.
template <class S>
void find_momenta(const Forest& forest, const Tree& tree, const S& s)
{
    using T = typename S::Number;
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const T        m = T(forest.links[l].mass);
        const Vec3T<T> r = s.com(l) - s.reference();
        CompositeT<T>& c = s.composite(l);
        c.m              = m;
        c.h              = m * r;
        c.I = s.inertia(l) +
              m * (Mat33T<T>::diagonal(Vec3T<T>{dot(r, r), dot(r, r), dot(r, r)}) - Mat33T<T>::outer(r, r));
    }
    for (std::int32_t l = tree.link_end - 1; l >= tree.link_begin; --l) {
        const Link&          link = forest.links[l];
        const CompositeT<T>& c    = s.composite(l);
        if (link.parent >= 0) {
            CompositeT<T>& p = s.composite(link.parent);
            p.m += c.m;
            p.h += c.h;
            p.I += c.I;
        }
        for (std::int32_t k = link.dof; k < link.dof + link.dofs; ++k) s.momentum(k) = times(c, s.column(k));
    }
}

}  // namespace mechane::dynamics
