#pragma once
#include <type_traits>

#include "solvers/softstep/contact/contact_law.h"

// What a contact hands on from one step to the next: impulses as mean forces, and drift, as world vectors, so that the
// next step may choose other tangents. Once for single points and for packets.

namespace mechane::solvers::softstep {

/// A unit normal and two tangents, right-handed: any tangents, without a branch on the direction (Duff et al. 2017, JCGT
/// 6(1)).
template <class N>
struct ContactFrame {
    Along<N> n, t1, t2;
};
template <class N>
MCH_INLINE ContactFrame<N> frame_along(Along<N> n)
{
    using E        = simd::Element<N>;
    const N one    = simd::broadcast<N>(1);
    const N size   = simd::sqrt(dot(n, n)), safe = simd::select(size > 0, size, one);
    n              = {n[0] / safe, n[1] / safe, n[2] / safe};
    const N        s = simd::select(n[2] < 0, simd::broadcast<N>(-1), one), a = E(-1) / (s + n[2]);
    const Along<N> t1{1 + s * n[0] * n[0] * a, s * n[0] * n[1] * a, -s * n[0]};
    return {n, t1, cross(n, t1)};
}

/// World axes; mean forces of the last substep [N, N m], drift [m].
template <class N>
struct alignas(sizeof(N)) Remembered {
    N        force{};
    Along<N> friction{}, drift{}, torque{};
};

/// Impulses and drift of a point from what an older one left; nothing where `same` says that it was another. `spin`: its
/// friction against turning, or null.
template <class N, class Point, class Spin>
MCH_INLINE void recall(const Remembered<N>& old, const ContactFrame<N>& at, simd::Mask<N> same, double h, Point& p,
                       Spin* spin)
{
    const N hold = simd::select(same, simd::broadcast<N>(1), N{}), impulse = static_cast<simd::Element<N>>(h) * hold;
    p.lambda     = {impulse * old.force, impulse * dot(old.friction, at.t1), impulse * dot(old.friction, at.t2)};
    p.drift      = {hold * dot(old.drift, at.t1), hold * dot(old.drift, at.t2)};
    if (spin)
        spin->lambda = {impulse * dot(old.torque, at.n), impulse * dot(old.torque, at.t1),
                        impulse * dot(old.torque, at.t2)};
}

/// And back.
template <class N, class Point, class Spin>
MCH_INLINE Remembered<N> remember(const Point& p, const Spin* spin, const ContactFrame<N>& at, double h)
{
    const N       rate = simd::broadcast<N>(static_cast<simd::Element<N>>(1 / h));
    Remembered<N> out{rate * p.lambda[0], rate * (p.lambda[1] * at.t1 + p.lambda[2] * at.t2),
                      p.drift[0] * at.t1 + p.drift[1] * at.t2, {}};
    if (spin) out.torque = rate * (spin->lambda[0] * at.n + (spin->lambda[1] * at.t1 + spin->lambda[2] * at.t2));
    return out;
}

}  // namespace mechane::solvers::softstep
