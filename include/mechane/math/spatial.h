#pragma once
#include "mechane/math/pose.h"

namespace mechane {

/// A twist (linear [m/s], angular [rad/s]) or a wrench (force [N], torque [N m]), linear first. The reference point and
/// the axes are named where it is used; in `body_qd` and `body_f` they are the centre of mass and the world.
template <class T>
struct SpatialT {
    /// Newton's order. Featherstone's book and Drake have the angular part first.
    Vec3T<T> linear, angular;

    constexpr bool      operator==(const SpatialT&) const = default;
    constexpr SpatialT& operator+=(const SpatialT& b)
    {
        linear += b.linear;
        angular += b.angular;
        return *this;
    }
    constexpr SpatialT& operator-=(const SpatialT& b)
    {
        linear -= b.linear;
        angular -= b.angular;
        return *this;
    }
    /// Between precisions, spelled out.
    template <class U>
    constexpr explicit operator SpatialT<U>() const
    { return {static_cast<Vec3T<U>>(linear), static_cast<Vec3T<U>>(angular)}; }
};

/// Only twists, or wrenches, about one point may be added: shift them there first.
template <class T>
constexpr SpatialT<T> operator+(SpatialT<T> a, const SpatialT<T>& b)
{ return a += b; }
template <class T>
constexpr SpatialT<T> operator-(SpatialT<T> a, const SpatialT<T>& b)
{ return a -= b; }
/// A wrench times a time is an impulse [N s, N m s]; a twist times a time is a small displacement [m, rad].
template <class T>
constexpr SpatialT<T> operator*(T s, const SpatialT<T>& a)
{ return {s * a.linear, s * a.angular}; }
/// Power of a wrench on a twist at the same point.
/// [W]; the same at every point, as long as it is one point for both.
template <class T>
constexpr T dot(const SpatialT<T>& a, const SpatialT<T>& b)
{ return dot(a.linear, b.linear) + dot(a.angular, b.angular); }
/// A twist seen from a point shifted by r = p_new - p_old: v_new = v + w x r.
/// From the centre of mass to the body's origin, for `body_qd`: r = -rotate(q, com).
template <class T>
constexpr SpatialT<T> shift_twist(const SpatialT<T>& v, const Vec3T<T>& r)
{ return {v.linear + cross(v.angular, r), v.angular}; }
/// A wrench about a point shifted by r = p_new - p_old: t_new = t - r x f.
/// A force at a point as a wrench about the centre of mass: shift_wrench({f, {}}, com_W - point_W).
template <class T>
constexpr SpatialT<T> shift_wrench(const SpatialT<T>& f, const Vec3T<T>& r)
{ return {f.linear, f.angular - cross(r, f.linear)}; }
/// Of all six numbers.
template <class T>
bool is_finite(const SpatialT<T>& a)
{ return is_finite(a.linear) && is_finite(a.angular); }

/// In `Real` and in double.
using Spatial  = SpatialT<Real>;
using Spatiald = SpatialT<double>;
static_assert(sizeof(Spatial) == 6 * sizeof(Real));

}  // namespace mechane
