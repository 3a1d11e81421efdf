#pragma once
#include <cmath>
#include <cstddef>

#include "mechane/core/assert.h"
#include "mechane/math/real.h"

/// Small vectors by value: no alignment beyond that of T, no padding, so that an array of them is an array of numbers.
/// Units are those of what they hold.
namespace mechane {

/// Two numbers, as of a picture or of a texture. There is no arithmetic on them.
template <class T>
struct Vec2T {
    T              x = 0, y = 0;
    constexpr bool operator==(const Vec2T&) const = default;
};

/// A point or a direction of space; which one, and in which frame, the name says (`p_WA`: point A in W).
template <class T>
struct Vec3T {
    T x = 0, y = 0, z = 0;

    /// The component by its number: 0, 1, 2 for x, y, z.
    /// Checked in builds with assertions only, as it lies in inner loops.
    constexpr T& operator[](std::size_t i)
    {
        MCH_ASSERT(i < 3);
        return i == 0 ? x : i == 1 ? y : z;
    }
    constexpr const T& operator[](std::size_t i) const
    {
        MCH_ASSERT(i < 3);
        return i == 0 ? x : i == 1 ? y : z;
    }
    /// Exact: -0 equals 0, and a NaN equals nothing. For a tolerance compare the length of a difference.
    constexpr bool operator==(const Vec3T&) const = default;

    /// In place; the operators between two values are made of these.
    constexpr Vec3T& operator+=(const Vec3T& b)
    {
        x += b.x;
        y += b.y;
        z += b.z;
        return *this;
    }
    constexpr Vec3T& operator-=(const Vec3T& b)
    {
        x -= b.x;
        y -= b.y;
        z -= b.z;
        return *this;
    }
    constexpr Vec3T& operator*=(T s)
    {
        x *= s;
        y *= s;
        z *= s;
        return *this;
    }

    /// Conversion between precisions is always spelled out.
    template <class U>
    constexpr explicit operator Vec3T<U>() const
    { return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z)}; }
};

/// Sums go component by component in the order that is written: builds contract nothing into fused operations, so that
/// equal input gives equal bits.
template <class T>
constexpr Vec3T<T> operator+(Vec3T<T> a, const Vec3T<T>& b)
{ return a += b; }
template <class T>
constexpr Vec3T<T> operator-(Vec3T<T> a, const Vec3T<T>& b)
{ return a -= b; }
template <class T>
constexpr Vec3T<T> operator-(const Vec3T<T>& a)
{ return {-a.x, -a.y, -a.z}; }
/// The scalar stands on either side. A product of two vectors is `dot`, `cross` or `scale`: no operator guesses which.
template <class T>
constexpr Vec3T<T> operator*(T s, Vec3T<T> a)
{ return a *= s; }
template <class T>
constexpr Vec3T<T> operator*(Vec3T<T> a, T s)
{ return a *= s; }
/// Three divisions, not a multiplication by the inverse: a / |a| is a unit vector to rounding.
template <class T>
constexpr Vec3T<T> operator/(const Vec3T<T>& a, T s)
{ return {a.x / s, a.y / s, a.z / s}; }

/// ((xx + yy) + zz), in this order.
/// Of unit vectors the cosine of the angle between them, which rounding may carry beyond -1..1: clamp it before acos.
template <class T>
constexpr T dot(const Vec3T<T>& a, const Vec3T<T>& b)
{ return a.x * b.x + a.y * b.y + a.z * b.z; }
/// Right-handed: x cross y is z.
/// Its length is that of both times the sine of the angle between them; zero for parallel vectors.
template <class T>
constexpr Vec3T<T> cross(const Vec3T<T>& a, const Vec3T<T>& b)
{ return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
/// Component-wise product.
/// For sizes and scales of shapes. A rotation of the result is not the result of a rotation.
template <class T>
constexpr Vec3T<T> scale(const Vec3T<T>& a, const Vec3T<T>& b)
{ return {a.x * b.x, a.y * b.y, a.z * b.z}; }
/// Saves the root where lengths are compared alone.
template <class T>
constexpr T length_squared(const Vec3T<T>& a)
{ return dot(a, a); }
/// By squares, so that in single precision lengths above 1.8e19 overflow to infinity.
template <class T>
T length(const Vec3T<T>& a)
{ return std::sqrt(dot(a, a)); }
/// `a` at unit length, or `fallback` when `a` is zero, denormal or not finite.
/// The zero vector, which is the default, lets a caller ask afterwards whether there was a direction at all.
template <class T>
Vec3T<T> normalized(const Vec3T<T>& a, const Vec3T<T>& fallback = {})
{
    const T n = length(a);
    return n > std::numeric_limits<T>::min() && std::isfinite(n) ? a / n : fallback;
}
/// By component; a NaN stays one.
template <class T>
constexpr Vec3T<T> abs(const Vec3T<T>& a)
{ return {a.x < 0 ? -a.x : a.x, a.y < 0 ? -a.y : a.y, a.z < 0 ? -a.z : a.z}; }
/// By component, for boxes. Where a component of `a` is NaN that of `b` is taken.
template <class T>
constexpr Vec3T<T> min(const Vec3T<T>& a, const Vec3T<T>& b)
{ return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z}; }
/// The same for upper corners: `lower = min(lower, p), upper = max(upper, p)` grows a box to a point.
template <class T>
constexpr Vec3T<T> max(const Vec3T<T>& a, const Vec3T<T>& b)
{ return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z}; }
/// The largest of the three, signs considered.
template <class T>
constexpr T max_component(const Vec3T<T>& a)
{ return a.x > a.y ? (a.x > a.z ? a.x : a.z) : (a.y > a.z ? a.y : a.z); }
/// Neither infinite nor NaN in any component.
template <class T>
bool is_finite(const Vec3T<T>& a)
{ return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }
/// Some unit vector perpendicular to the unit vector `n`, without a branch on its direction (Duff et al. 2017, JCGT
/// 6(1)).
/// It jumps where n.z changes its sign. For a frame about a normal: x = any_perpendicular(n), y = cross(n, x).
template <class T>
Vec3T<T> any_perpendicular(const Vec3T<T>& n)
{
    const T s = std::copysign(T(1), n.z);
    const T a = T(-1) / (s + n.z);
    return {T(1) + s * n.x * n.x * a, s * n.x * n.y * a, -s * n.x};
}

/// Without a letter in `Real`, the precision of the simulation; `d` in double, which import and geometry compute in;
/// `f` in single precision, as files and pictures hold it.
using Vec2  = Vec2T<Real>;
using Vec2d = Vec2T<double>;
using Vec2f = Vec2T<float>;
using Vec3  = Vec3T<Real>;
using Vec3d = Vec3T<double>;
using Vec3f = Vec3T<float>;

/// @param axis  0, 1, 2: X, Y, Z; any other number gives the zero vector
template <class T>
constexpr Vec3T<T> axis_vector(int axis)
{ return {axis == 0 ? T(1) : T(0), axis == 1 ? T(1) : T(0), axis == 2 ? T(1) : T(0)}; }

}  // namespace mechane
