#pragma once
#include "mechane/math/mat.h"

namespace mechane {

/// A unit quaternion, stored x y z w (Newton's order; USD text writes w first). Hamilton product, active rotation:
/// `rotate(a * b, v) == rotate(a, rotate(b, v))`. `q` and `-q` are the same rotation.
template <class T>
struct QuatT {
    /// The default is the identity.
    T x = 0, y = 0, z = 0, w = 1;

    /// Of numbers, not of rotations: `q` and `-q` differ. To compare rotations ask whether |dot(a, b)| is near 1.
    constexpr bool operator==(const QuatT&) const = default;
    /// The vector part: the axis times the sine of half the angle.
    constexpr Vec3T<T> xyz() const { return {x, y, z}; }
    /// Between precisions; the length is not mended.
    template <class U>
    constexpr explicit operator QuatT<U>() const
    { return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z), static_cast<U>(w)}; }
};

/// 16 products. The result of two unit quaternions is one to rounding; a long chain wants `normalized`.
template <class T>
constexpr QuatT<T> operator*(const QuatT<T>& a, const QuatT<T>& b)
{
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
/// The inverse of a unit quaternion.
/// Of one that is not of unit length it is the inverse times the square of the length.
template <class T>
constexpr QuatT<T> conjugate(const QuatT<T>& q)
{ return {-q.x, -q.y, -q.z, q.w}; }
/// The cosine of half the angle between two rotations; negative where the other sign of one is nearer.
/// The angle between the two is 2 acos(|dot|), which is inexact near 0; the length of `to_rotation_vector` of their
/// difference is accurate there.
template <class T>
constexpr T dot(const QuatT<T>& a, const QuatT<T>& b)
{ return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
/// Unit quaternion; the identity when `q` is zero or not finite.
/// Divides by the length, so the sign stays.
template <class T>
QuatT<T> normalized(const QuatT<T>& q)
{
    const T n = std::sqrt(dot(q, q));
    if (!(n > std::numeric_limits<T>::min()) || !std::isfinite(n)) return {};
    return {q.x / n, q.y / n, q.z / n, q.w / n};
}
/// q v q* by two cross products; `q` has unit length.
/// With `q` = R_WB: coordinates in B become those in W.
template <class T>
constexpr Vec3T<T> rotate(const QuatT<T>& q, const Vec3T<T>& v)
{
    const Vec3T<T> u = q.xyz();
    const Vec3T<T> t = T(2) * cross(u, v);
    return v + q.w * t + cross(u, t);
}
/// The inverse rotation applied to v.
template <class T>
constexpr Vec3T<T> rotate_inverse(const QuatT<T>& q, const Vec3T<T>& v)
{ return rotate(conjugate(q), v); }
/// Its columns are the turned axes.
/// Many vectors are turned more cheaply by it: nine products each, and eighteen by `rotate`.
template <class T>
constexpr Mat33T<T> to_matrix(const QuatT<T>& q)
{
    return Mat33T<T>::from_columns(rotate(q, Vec3T<T>{1, 0, 0}), rotate(q, Vec3T<T>{0, 1, 0}),
                                   rotate(q, Vec3T<T>{0, 0, 1}));
}
/// Rotation by `angle` [rad] about the unit vector `axis`.
/// Right-handed: counter-clockwise seen against the axis. An axis that is not of unit length gives no unit quaternion.
template <class T>
QuatT<T> from_axis_angle(const Vec3T<T>& axis, T angle)
{
    const T s = std::sin(angle / T(2));
    return {s * axis.x, s * axis.y, s * axis.z, std::cos(angle / T(2))};
}
/// exp of a rotation vector [rad]: the rotation by |v| about v.
/// One step of integration: `q = from_rotation_vector(dt * w_W) * q` turns q by an angular velocity in world axes.
template <class T>
QuatT<T> from_rotation_vector(const Vec3T<T>& v)
{
    const T a = length(v);
    // sin(a/2)/a by its series near zero: exact to rounding below a = 1e-3 in double.
    const T s = a < T(1e-3) ? T(0.5) - a * a / T(48) : std::sin(a / T(2)) / a;
    return {s * v.x, s * v.y, s * v.z, std::cos(a / T(2))};
}
/// log of a rotation: the rotation vector [rad] with |v| <= pi.
/// `to_rotation_vector(target * conjugate(now))` is the turn that is left, in the axes of the outer frame. Of half a
/// turn the sign of the axis is arbitrary.
template <class T>
Vec3T<T> to_rotation_vector(QuatT<T> q)
{
    if (q.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
    const T s = length(q.xyz());
    const T k = s < T(1e-4) ? T(2) / q.w : T(2) * std::atan2(s, q.w) / s;
    return k * q.xyz();
}
/// The shortest rotation that takes the unit vector a to the unit vector b.
/// For opposite vectors half a turn about some axis across them.
template <class T>
QuatT<T> rotation_between(const Vec3T<T>& a, const Vec3T<T>& b)
{
    const T d = dot(a, b);
    if (d < T(-1) + T(1e-7)) {
        const Vec3T<T> p = any_perpendicular(a);
        return {p.x, p.y, p.z, T(0)};
    }
    const Vec3T<T> c = cross(a, b);
    return normalized(QuatT<T>{c.x, c.y, c.z, T(1) + d});
}
/// From a proper rotation matrix (Shepperd 1978, the largest component first).
/// A matrix with a scale, a shear or a mirror in it gives some unit quaternion, and no warning.
template <class T>
QuatT<T> from_matrix(const Mat33T<T>& m)
{
    const T t = trace(m);
    if (t > m.r0.x && t > m.r1.y && t > m.r2.z)
        return normalized(QuatT<T>{m.r2.y - m.r1.z, m.r0.z - m.r2.x, m.r1.x - m.r0.y, T(1) + t});
    if (m.r0.x >= m.r1.y && m.r0.x >= m.r2.z)
        return normalized(QuatT<T>{T(1) + m.r0.x - m.r1.y - m.r2.z, m.r0.y + m.r1.x, m.r0.z + m.r2.x, m.r2.y - m.r1.z});
    if (m.r1.y >= m.r2.z)
        return normalized(QuatT<T>{m.r0.y + m.r1.x, T(1) - m.r0.x + m.r1.y - m.r2.z, m.r1.z + m.r2.y, m.r0.z - m.r2.x});
    return normalized(QuatT<T>{m.r0.z + m.r2.x, m.r1.z + m.r2.y, T(1) - m.r0.x - m.r1.y + m.r2.z, m.r1.x - m.r0.y});
}
/// Unit length is not asked for.
template <class T>
bool is_finite(const QuatT<T>& q)
{ return std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z) && std::isfinite(q.w); }

/// In `Real` and in double.
using Quat  = QuatT<Real>;
using Quatd = QuatT<double>;

}  // namespace mechane
