#pragma once
#include "mechane/math/vec.h"

namespace mechane {

/// A 3x3 matrix that multiplies column vectors; rows r0, r1, r2, so it lies in memory row by row.
template <class T>
struct Mat33T {
    Vec3T<T> r0, r1, r2;

    /// A matrix that is made without numbers is zero; this is the one that changes nothing.
    static constexpr Mat33T identity() { return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; }
    /// Of principal moments: the inertia of a body whose axes are its principal ones.
    static constexpr Mat33T diagonal(const Vec3T<T>& d) { return {{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}; }
    /// Of three unit vectors across each other, right-handed: the rotation that turns the axes x, y, z into them.
    static constexpr Mat33T from_columns(const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& c)
    { return {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}; }
    /// [v]x: skew(v) * u == cross(v, u).
    static constexpr Mat33T skew(const Vec3T<T>& v) { return {{0, -v.z, v.y}, {v.z, 0, -v.x}, {-v.y, v.x, 0}}; }
    /// a b^T: outer(a, b) * v == dot(b, v) * a. The parallel-axis theorem is m (dot(r, r) identity() - outer(r, r)).
    static constexpr Mat33T outer(const Vec3T<T>& a, const Vec3T<T>& b) { return {a.x * b, a.y * b, a.z * b}; }

    /// An index above 1 is the last row.
    /// To be written to as well; a column is a copy.
    constexpr Vec3T<T>&       row(std::size_t i) { return i == 0 ? r0 : i == 1 ? r1 : r2; }
    constexpr const Vec3T<T>& row(std::size_t i) const { return i == 0 ? r0 : i == 1 ? r1 : r2; }
    constexpr Vec3T<T>        column(std::size_t i) const { return {r0[i], r1[i], r2[i]}; }
    /// Entry (row, column), both 0, 1, 2. Checked in builds with assertions alone, and there the column only.
    constexpr T&       operator()(std::size_t i, std::size_t j) { return row(i)[j]; }
    constexpr const T& operator()(std::size_t i, std::size_t j) const { return row(i)[j]; }
    /// Exact, entry by entry.
    constexpr bool operator==(const Mat33T&) const = default;

    /// In place; sums and multiples below are made of these.
    constexpr Mat33T& operator+=(const Mat33T& b)
    {
        r0 += b.r0;
        r1 += b.r1;
        r2 += b.r2;
        return *this;
    }
    constexpr Mat33T& operator-=(const Mat33T& b)
    {
        r0 -= b.r0;
        r1 -= b.r1;
        r2 -= b.r2;
        return *this;
    }
    constexpr Mat33T& operator*=(T s)
    {
        r0 *= s;
        r1 *= s;
        r2 *= s;
        return *this;
    }

    /// Between precisions, spelled out: `static_cast<Mat33d>(m)`.
    template <class U>
    constexpr explicit operator Mat33T<U>() const
    { return {static_cast<Vec3T<U>>(r0), static_cast<Vec3T<U>>(r1), static_cast<Vec3T<U>>(r2)}; }
};

/// There are no expression templates: a product of three matrices computes two.
template <class T>
constexpr Mat33T<T> operator+(Mat33T<T> a, const Mat33T<T>& b)
{ return a += b; }
template <class T>
constexpr Mat33T<T> operator-(Mat33T<T> a, const Mat33T<T>& b)
{ return a -= b; }
template <class T>
constexpr Mat33T<T> operator*(T s, Mat33T<T> a)
{ return a *= s; }
/// Of a rotation R_AB: coordinates in B become those in A.
template <class T>
constexpr Vec3T<T> operator*(const Mat33T<T>& m, const Vec3T<T>& v)
{ return {dot(m.r0, v), dot(m.r1, v), dot(m.r2, v)}; }
/// Of a rotation the inverse.
template <class T>
constexpr Mat33T<T> transpose(const Mat33T<T>& m)
{ return {m.column(0), m.column(1), m.column(2)}; }
/// m^T v without the transpose: what the inverse of a rotation does to v.
template <class T>
constexpr Vec3T<T> transpose_times(const Mat33T<T>& m, const Vec3T<T>& v)
{ return v.x * m.r0 + v.y * m.r1 + v.z * m.r2; }
/// R_AC = R_AB * R_BC. An inertia is turned by R * I * transpose(R).
template <class T>
constexpr Mat33T<T> operator*(const Mat33T<T>& a, const Mat33T<T>& b)
{ return {transpose_times(b, a.r0), transpose_times(b, a.r1), transpose_times(b, a.r2)}; }
/// Of a rotation 1 to rounding; negative where the matrix mirrors.
template <class T>
constexpr T determinant(const Mat33T<T>& m)
{ return dot(m.r0, cross(m.r1, m.r2)); }
/// Of a rotation by an angle: 1 + 2 cos(angle).
template <class T>
constexpr T trace(const Mat33T<T>& m)
{ return m.r0.x + m.r1.y + m.r2.z; }
/// Inverse by cofactors; zero when the determinant is zero.
/// The guard is for an exact zero: of a matrix that is nearly singular the entries are large, not zero. For an inverse
/// of a rotation take `transpose`, which is cheaper and exact.
template <class T>
constexpr Mat33T<T> inverse(const Mat33T<T>& m)
{
    const T d = determinant(m);
    if (d == T(0)) return {};
    const T s = T(1) / d;
    return transpose(Mat33T<T>{s * cross(m.r1, m.r2), s * cross(m.r2, m.r0), s * cross(m.r0, m.r1)});
}
/// All nine entries.
template <class T>
bool is_finite(const Mat33T<T>& m)
{ return is_finite(m.r0) && is_finite(m.r1) && is_finite(m.r2); }

/// In `Real` and in double.
using Mat33  = Mat33T<Real>;
using Mat33d = Mat33T<double>;

}  // namespace mechane
