#pragma once
#include <cmath>

#include "device/kernels/plan.h"
#include "device/kernels/team.h"
#include "mechane/math/spatial.h"

/// What kernels share: a world's arrays, and the functions of math/ that are not constexpr and so cannot be called on a
/// device.
namespace mechane::device {

template <class T>
MCH_INLINE T least(T a, T b)
{ return b < a ? b : a; }
template <class T>
MCH_INLINE T most(T a, T b)
{ return a < b ? b : a; }
template <class T>
MCH_INLINE T between(T x, T low, T high)
{ return x < low ? low : high < x ? high : x; }
template <class T>
MCH_INLINE T size_of(T x)
{ return x < 0 ? -x : x; }
template <class T>
MCH_INLINE bool finite(T x)
{ return x - x == 0; }
template <class T>
MCH_INLINE T norm(const Vec3T<T>& a)
{ return std::sqrt(dot(a, a)); }
template <class T>
MCH_INLINE Vec3T<T> unit(const Vec3T<T>& a, const Vec3T<T>& otherwise)
{
    const T n = norm(a);
    return n > 0 && finite(n) ? (1 / n) * a : otherwise;
}
template <class T>
MCH_INLINE QuatT<T> unit(const QuatT<T>& q)
{
    const T n = std::sqrt(dot(q, q));
    if (!(n > 0) || !finite(n)) return {};
    const T s = 1 / n;
    return {s * q.x, s * q.y, s * q.z, s * q.w};
}
/// exp of a rotation vector.
template <class T>
MCH_INLINE QuatT<T> turn_by(const Vec3T<T>& v)
{
    const T a = norm(v);
    const T s = a < T(1e-3) ? T(0.5) - a * a / T(48) : std::sin(a / T(2)) / a;
    return {s * v.x, s * v.y, s * v.z, std::cos(a / T(2))};
}
/// log of a rotation.
template <class T>
MCH_INLINE Vec3T<T> turn_of(QuatT<T> q)
{
    if (q.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
    const T s = norm(q.xyz());
    const T k = s < T(1e-4) ? T(2) / q.w : T(2) * std::atan2(s, q.w) / s;
    return k * q.xyz();
}
/// xx xy xz yy yz zz.
template <class T>
MCH_INLINE Vec3T<T> symmetric_times(const T* m, const Vec3T<T>& a)
{
    return {m[0] * a.x + m[1] * a.y + m[2] * a.z, m[1] * a.x + m[3] * a.y + m[4] * a.z,
            m[2] * a.x + m[4] * a.y + m[5] * a.z};
}
template <class T>
MCH_INLINE Mat33T<T> symmetric(const T* m)
{ return {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}}; }
template <class T>
MCH_INLINE Vec3T<T> solve3(const Mat33T<T>& m, const Vec3T<T>& b)
{
    const Vec3T<T> c0 = cross(m.r1, m.r2), c1 = cross(m.r2, m.r0), c2 = cross(m.r0, m.r1);
    const T        d = dot(m.r0, c0);
    return d != 0 ? (1 / d) * (b.x * c0 + b.y * c1 + b.z * c2) : Vec3T<T>{};
}

template <class T>
MCH_INLINE Vec3T<T> get3(const T* at)
{ return {at[0], at[1], at[2]}; }
template <class T>
MCH_INLINE void put3(T* at, const Vec3T<T>& x)
{ at[0] = x.x, at[1] = x.y, at[2] = x.z; }
template <class T>
MCH_INLINE SpatialT<T> get6(const T* at)
{ return {get3(at), get3(at + 3)}; }
template <class T>
MCH_INLINE void put6(T* at, const SpatialT<T>& x)
{ put3(at, x.linear), put3(at + 3, x.angular); }
template <class T>
MCH_INLINE PoseT<T> get_pose(const T* at)
{ return {get3(at), {at[3], at[4], at[5], at[6]}}; }
template <class T>
MCH_INLINE void put_pose(T* at, const PoseT<T>& X)
{
    put3(at, X.p);
    at[3] = X.q.x, at[4] = X.q.y, at[5] = X.q.z, at[6] = X.q.w;
}
template <class T>
MCH_INLINE Mat33T<T> get_turn(const T* at)
{ return {get3(at), get3(at + 3), get3(at + 6)}; }

/// One world: its numbers, and its workspace.
template <class T>
struct World {
    const Batch<T>& b;
    const T*        set;
    T*              ws;
    int             w;

    MCH_INLINE const T* link(int l) const { return set + b.at.link_params + link_number::count * l; }
    MCH_INLINE const T* dof(int k) const { return set + b.at.dof_params + dof_number::count * k; }
    MCH_INLINE const T* shape(int s) const { return set + b.at.shape_params + shape_number::count * s; }
    MCH_INLINE const T* pair(int p) const { return set + b.at.pair_params + pair_number::count * p; }
    MCH_INLINE Vec3T<T> gravity() const { return get3(set + b.at.gravity); }

    MCH_INLINE T*    pose(int l) const { return ws + b.at.pose + 7 * l; }
    MCH_INLINE T*    turn(int l) const { return ws + b.at.turn + 9 * l; }
    MCH_INLINE T*    com(int l) const { return ws + b.at.com + 3 * l; }
    MCH_INLINE T*    twist(int l) const { return ws + b.at.twist + 6 * l; }
    MCH_INLINE T*    velocity(int l) const { return ws + b.at.velocity + 6 * l; }
    MCH_INLINE T*    inertia(int l) const { return ws + b.at.inertia + 6 * l; }
    MCH_INLINE T*    accel(int l) const { return ws + b.at.accel + 6 * l; }
    MCH_INLINE T*    force(int l) const { return ws + b.at.force + 6 * l; }
    MCH_INLINE T*    composite(int l) const { return ws + b.at.composite + 10 * l; }
    MCH_INLINE T*    column(int k) const { return ws + b.at.column + 6 * k; }
    MCH_INLINE T*    momentum(int k) const { return ws + b.at.momentum + 6 * k; }
    MCH_INLINE T*    q() const { return ws + b.at.q; }
    MCH_INLINE T*    v() const { return ws + b.at.v; }
    MCH_INLINE T*    x() const { return ws + b.at.x; }
    MCH_INLINE T*    tau() const { return ws + b.at.tau; }
    MCH_INLINE T*    diagonal() const { return ws + b.at.diagonal; }
    MCH_INLINE T*    gains() const { return ws + b.at.gains; }  ///< ke, kd of each dof's drive in this step
    MCH_INLINE T*    error() const { return ws + b.at.error; }  ///< of the drive, then of the spring
    MCH_INLINE T*    roots() const { return ws + b.at.roots; }
    MCH_INLINE T*    u() const { return ws + b.at.u; }
    MCH_INLINE T*    white(int k) const { return ws + b.at.white + b.dofs[k].row; }
    MCH_INLINE T*    factor(int k) const { return ws + b.at.factor + b.dofs[k].row; }
    MCH_INLINE const std::int16_t* path(int k) const { return b.paths + b.dofs[k].row; }
    MCH_INLINE T*                  memory(int k) const
    {
        return b.dof_memory +
               (static_cast<std::size_t>(w) * static_cast<std::size_t>(b.at.dofs) + static_cast<std::size_t>(k)) *
                   dof_memory::count;
    }
    MCH_INLINE std::size_t slot(int i) const
    { return static_cast<std::size_t>(w) * static_cast<std::size_t>(b.at.contacts) + static_cast<std::size_t>(i); }
    template <class N>
    MCH_INLINE N* mine(N* all, int count) const
    { return all + static_cast<std::size_t>(w) * static_cast<std::size_t>(count); }
};

}  // namespace mechane::device
