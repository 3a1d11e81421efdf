#pragma once
#include "mechane/math/quat.h"

namespace mechane {

/// A rigid transform: 7 numbers px py pz qx qy qz qw. `X_WB` is the pose of frame B in W: it takes coordinates in B to
/// W.
template <class T>
struct PoseT {
    /// Where the origin of B is, in the axes of W [m].
    Vec3T<T> p;
    /// How B is turned against W; of unit length, which nothing here checks.
    QuatT<T> q;

    /// Exact, of numbers: equal poses may have quaternions of opposite sign.
    constexpr bool operator==(const PoseT&) const = default;
    /// Between precisions, spelled out: `static_cast<Posed>(X)`.
    template <class U>
    constexpr explicit operator PoseT<U>() const
    { return {static_cast<Vec3T<U>>(p), static_cast<QuatT<U>>(q)}; }
};

/// X_AC = X_AB * X_BC.
/// The inner frames have to agree; names of this form show at a glance when they do not.
template <class T>
constexpr PoseT<T> operator*(const PoseT<T>& a, const PoseT<T>& b)
{ return {a.p + rotate(a.q, b.p), a.q * b.q}; }
/// The point p_B expressed in A.
/// A direction, a velocity or a force is turned by `rotate(X_AB.q, v)` alone.
template <class T>
constexpr Vec3T<T> operator*(const PoseT<T>& X_AB, const Vec3T<T>& p_B)
{ return X_AB.p + rotate(X_AB.q, p_B); }
/// X_BA of X_AB.
/// X_AB = inverse(X_WA) * X_WB is where B is, seen from A.
template <class T>
constexpr PoseT<T> inverse(const PoseT<T>& a)
{ return {-rotate_inverse(a.q, a.p), conjugate(a.q)}; }
/// inverse(X_AB) applied to a point of A.
template <class T>
constexpr Vec3T<T> inverse_times(const PoseT<T>& X_AB, const Vec3T<T>& p_A)
{ return rotate_inverse(X_AB.q, p_A - X_AB.p); }
/// Of all seven numbers; unit length is not asked for.
template <class T>
bool is_finite(const PoseT<T>& a)
{ return is_finite(a.p) && is_finite(a.q); }

/// In `Real` and in double.
using Pose  = PoseT<Real>;
using Posed = PoseT<double>;
static_assert(sizeof(Pose) == 7 * sizeof(Real), "an array of poses is an array of 7 numbers each");

}  // namespace mechane
