#pragma once
#include <cstddef>

#include "mechane/math/four.h"
#include "shape_set.h"

// Where bodies and shapes are in a state, for one and for four side by side: one source with `N` double or Four.

namespace mechane::collision {

/// A BodyMotion of each of four bodies; its numbers in the same order.
struct FourMotions {
    PoseT<Four>  X_WB;
    Mat33T<Four> R_WB;
    Vec3T<Four>  com, v, w;
    Four         speed;
};
inline constexpr int kMotionNumbers = 26;
static_assert(sizeof(FourMotions) == kMotionNumbers * sizeof(Four) &&
              offsetof(BodyMotion, sound) == kMotionNumbers * sizeof(double));

template <class N>
struct PlacedShape {
    Vec3T<N>  p;
    Mat33T<N> R;
    N         spin;
};

/// Length of a vector, also of four.
template <class N>
MCH_INLINE N extent_of(const Vec3T<N>& x)
{ return root(dot(x, x)); }
template <class N>
MCH_INLINE Vec3T<N> magnitudes(const Vec3T<N>& x)
{ return {magnitude(x.x), magnitude(x.y), magnitude(x.z)}; }

/// Whether a body of this pose and these velocities can be worked with; `n`: of its quaternion with itself.
template <class N>
MCH_INLINE auto in_order(const Vec3T<N>& p, const N& n, const Vec3T<N>& v, const Vec3T<N>& w)
{
    // What is not finite is nothing times nought.
    const N velocities = N(0) * v.x + N(0) * v.y + N(0) * v.z + N(0) * w.x + N(0) * w.y + N(0) * w.z;
    return simd::both(simd::both(dot(p, p) < N(1e16), magnitude(n - N(1)) < N(1e-3)), velocities == N(0));
}

/// Fills in what follows from pose and velocities, of bodies that are in order.
template <class N, class Motion>
MCH_INLINE void carry(Motion& m, const N& n, const Vec3T<N>& com_B)
{
    const N size = root(n);
    m.X_WB.q     = {m.X_WB.q.x / size, m.X_WB.q.y / size, m.X_WB.q.z / size, m.X_WB.q.w / size};
    m.R_WB       = to_matrix(m.X_WB.q);
    m.com        = m.X_WB.p + m.R_WB * com_B;
    m.speed      = extent_of(m.v);
}

/// What turning alone may give to some point of the core: what is round does not show how it turns.
template <class N, class Motion>
MCH_INLINE N turning_speed(ShapeKind kind, const PlacedShape<N>& s, const OwnShape<N>& own, const Motion& m)
{
    if (kind == ShapeKind::plane) return N(0);
    const bool     aside  = kind == ShapeKind::hull || kind == ShapeKind::mesh;
    const Vec3T<N> centre = aside ? s.p + s.R * own.middle : s.p, arm = centre - m.com;
    if (kind == ShapeKind::sphere) return extent_of(cross(m.w, arm));
    if (kind == ShapeKind::capsule) {
        const Vec3T<N> half = own.size.y * s.R.column(2);
        return root(most_of(length_squared(cross(m.w, arm + half)), length_squared(cross(m.w, arm - half))));
    }
    return extent_of(m.w) * (extent_of(arm) + own.radius);
}

template <class N, class Motion>
MCH_INLINE PlacedShape<N> place(ShapeKind kind, const OwnShape<N>& own, const Motion& m)
{
    PlacedShape<N> out{m.X_WB.p + m.R_WB * own.p, m.R_WB * own.R, N(0)};
    out.spin = turning_speed(kind, out, own, m);
    return out;
}

/// Whether `half_box` knows the kind.
constexpr bool has_half_box(ShapeKind kind)
{
    return kind == ShapeKind::sphere || kind == ShapeKind::capsule || kind == ShapeKind::box ||
           kind == ShapeKind::rectangle;
}
/// Half of the box about the origin of a shape, as `bounds` makes it.
template <class N>
MCH_INLINE Vec3T<N> half_box(ShapeKind kind, const Mat33T<N>& R, const Vec3T<N>& s)
{
    if (kind == ShapeKind::sphere) return {s.x, s.x, s.x};
    if (kind == ShapeKind::capsule) return s.y * magnitudes(R.column(2)) + Vec3T<N>{s.x, s.x, s.x};
    const Vec3T<N> half{s.x, s.y, kind == ShapeKind::rectangle ? N(0) : s.z};
    return {dot(magnitudes(R.r0), half), dot(magnitudes(R.r1), half), dot(magnitudes(R.r2), half)};
}

/// How far a box grows on all sides by what may happen in a step. What is followed along its path has the box of the
/// whole path; anything else grows by its motion, up to speculative_max: contacts within that are made early.
template <class N>
struct Growth {
    N                                  all;
    decltype(std::declval<N>() < N(0)) fast;
};
template <class N>
MCH_INLINE Growth<N> growth(const N& speed, const N& spin, const N& reach, const Ahead& ahead)
{
    const N    dt(ahead.dt), most(ahead.speculative_max), longest(kLongestFlight);
    const N    way    = least_of((speed + spin) * dt, longest);
    const auto fast   = simd::both(ahead.sweep ? N(0) < N(1) : N(1) < N(0), way > most);
    const N    travel = choose(fast, least_of(spin * dt, longest), least_of(way, most));
    return {reach + most_of(N(0), travel), fast};
}

/// The way of a fast body, which its box goes as well.
template <class N>
MCH_INLINE Vec3T<N> way_of(const N& speed, const Vec3T<N>& v, const Ahead& ahead)
{
    const N dt(ahead.dt), share = least_of(N(1), N(kLongestFlight) / most_of(speed * dt, N(1e-300)));
    return (share * dt) * v;
}
template <class N>
MCH_INLINE Vec3T<N> below_zero(const Vec3T<N>& x)
{ return {choose(x.x < N(0), x.x, N(0)), choose(x.y < N(0), x.y, N(0)), choose(x.z < N(0), x.z, N(0))}; }
template <class N>
MCH_INLINE Vec3T<N> above_zero(const Vec3T<N>& x)
{ return {choose(x.x > N(0), x.x, N(0)), choose(x.y > N(0), x.y, N(0)), choose(x.z > N(0), x.z, N(0))}; }

}  // namespace mechane::collision
