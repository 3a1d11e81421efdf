#pragma once
#include <cstddef>
#include <type_traits>

#include "mechane/math/lane_by_lane.h"
#include "solvers/softstep/parameters.h"

// The law of a contact point, once for all storages.
//
// A point has three rows: along the normal n, which points from shape 0 to shape 1, and along two tangents t1, t2. With
// the velocity difference v of the surface points (1 less 0) and base velocities b of what no impulse moves, the rates
// are
//
//     r = (n.v, t1.v, t2.v) + b                                                            [m/s]
//
// and impulses l = (ln, l1, l2) along the rows change them by K l with K = J M^-1 J^T [1/kg]. What is asked for:
//
//     normal      0 <= ln  complements  r_n + bias + gamma ln >= 0
//     friction    |(l1, l2)| <= mu ln; while it sticks r_t + anchor drift = 0, while it slips l_t = -mu ln r_t / |r_t|
//     turning     of pairs that touch in one or two points: about n bounded by mu_torsional ln, about t1 and t2 (rolling)
//                 held to a disk of radius mu_rolling ln
//
// * Normal: a mass, spring and damper of angular frequency w and damping ratio z, integrated implicitly over the substep
//   h (Catto, "Soft Constraints", GDC 2011, and "Solver2D", 2024, section "Soft step"). With a1 = 2 z + h w,
//   a2 = h w a1, a3 = 1 / (1 + a2): bias = w / a1 d of a penetration d < 0, no faster than `push`, and
//   dln = -a2 a3 (r_n + bias) / K_nn - a3 ln. An open gap d > 0 is rigid with bias = d / h: it closes within the
//   substep at most (speculative contact). Relaxation sweeps are rigid with bias 0, which takes the speed back at which
//   things were pushed out.
// * A contact with a stiffness k and a damping c of its own is -h (k (d + h r_n) + c r_n), in both kinds of sweeps:
//   bias = k d / (c + h k), gamma = 1 / (h (c + h k)).
// * Friction: both tangents as one 2 x 2 block, then held to the disk of the present normal impulse (projected Gauss and
//   Seidel on the Coulomb cone: Acary and Brogliato, "Numerical Methods for Nonsmooth Dynamical Systems", 2008,
//   section 13.7). A point that slips takes a step of projected descent against its rate with 1 over the largest
//   eigenvalue of the block: along K_t^-1 r_t, which is not the rate's direction at a box's corner, friction would lose a
//   tenth. What crept while it stuck is taken back by the share `anchor` of the drift a second.
// * Order: a point without a normal impulse has no friction to offer, so there the normal comes first; else it comes
//   last and wins.
// * Rebound: the speed asked for after an impact, see `rebound_speed`.
//
// Glossary: substep h, one of the parts of a step [s]; sweep, one pass over all rows of an island (Gauss and Seidel);
// relaxation sweep, one without bias after positions have moved; warm start, beginning with the impulses of the last
// substep; fresh, a point without a normal impulse; colour, pairs of bodies of which no two share a body that moves, so
// that their order is free; packet, up to eight pairs of one colour, one in each lane. docs/softstep.svg draws them.
//
// N is double for a single point, or a Pack with one point in each lane; what is a branch for one point is a choice
// between numbers for a packet, but where all lanes go one way. `Point` and `Spin` are what a storage keeps:
//
//     Point   lambda[3] [N s], drift[2] [m], mu, K[>= 3] (nn, n1, n2) [1/kg], inverse[3] of the tangents' block (11, 12,
//             22) [kg], slip_step [kg], distance [m]
//     Spin    lambda[3] [N m s], torsional, rolling [m], mass [1 / (kg m^2)^-1], step, inverse[3] of the tangents' block

namespace mechane::solvers::softstep {

/// Along n, t1, t2.
template <class N>
using Along = simd::Packs<N, 3>;

/// What the normal row asks for in the sweeps to come: l -= mass (rate + bias) + leak l.
template <class N>
struct alignas(sizeof(N)) NormalRow {
    N bias{}, mass{}, leak{};
};

/// Of a stiff contact. `mass`: 1 / K_nn.
template <class N>
MCH_INLINE NormalRow<N> stiff_normal(N distance, N mass, N push, const Softness& soft, double inverse_h, bool relax)
{
    using E          = simd::Element<N>;
    const auto open  = distance > 0;
    const N    close = static_cast<E>(inverse_h) * distance;
    if (relax) return {simd::select(open, close, N{}), mass, N{}};
    // All of a penetration is recovered: a part that is tolerated (slop) lets a stack lean. Recovery has a bound, so that
    // deep overlaps part without a blow.
    const N recover = simd::max(static_cast<E>(soft.bias_rate) * distance, -push);
    return {simd::select(open, close, recover), simd::select(open, mass, static_cast<E>(soft.mass_scale) * mass),
            simd::select(open, N{}, simd::broadcast<N>(static_cast<E>(soft.impulse_scale)))};
}

/// Of a contact with a stiffness and a damping of its own, in all sweeps of a substep.
template <class N>
MCH_INLINE NormalRow<N> spring_normal(N distance, N K, N stiffness, N damping, double h)
{
    const N rate = damping + h * stiffness, gamma = 1 / (h * rate);
    return {stiffness * distance / rate, 1 / (K + gamma), gamma / (K + gamma)};
}

/// The largest speed at which penetration is recovered. Pushing at a speed s costs s^2 / (2 K), which has no bound near
/// a pivot that lies inside the other shape, and is large where a geared finger is wedged in the palm. Recovery may
/// spend the energy that the lighter body (mass `lighter`) has at the push velocity.
template <class N>
MCH_INLINE N push_speed(N K, N lighter)
{
    using E = simd::Element<N>;
    return static_cast<E>(kPushVelocity) * simd::sqrt(simd::min(simd::broadcast<N>(1), K * lighter));
}

/// A symmetric 2 x 2 block (a, b; b, c) inverted, and 1 over its largest eigenvalue, the step of a row that slips. Zero
/// where the determinant is not above `least`.
template <class N>
struct alignas(sizeof(N)) TangentBlock {
    Along<N> inverse;
    N        step;
};
template <class N>
MCH_INLINE TangentBlock<N> invert_tangents(N a, N b, N c, N least)
{
    using E         = simd::Element<N>;
    const N    det  = a * c - b * b, half = E(0.5) * (a - c);
    const auto good = det > least;
    const N    one  = simd::broadcast<N>(1), safe = simd::select(good, det, one),
            most    = E(0.5) * (a + c) + simd::sqrt(half * half + b * b);
    const auto some = most > 0;
    return {{simd::select(good, c / safe, N{}), simd::select(good, -b / safe, N{}), simd::select(good, a / safe, N{})},
            simd::select(some, 1 / simd::select(some, most, one), N{})};
}

/// Takes what is beyond the disk of radius `bound` off two components.
template <class N>
MCH_INLINE void hold_to_disk(N& a, N& b, N bound)
{
    const N    square = a * a + b * b;
    const auto beyond = square > bound * bound;
    if (!simd::any(beyond)) return;
    const N one    = simd::broadcast<N>(1);
    const N shrink = simd::select(beyond, bound / simd::sqrt(simd::select(beyond, square, one)), one);
    a *= shrink;
    b *= shrink;
}

template <class Point>
MCH_INLINE auto is_untouched(const Point& p)
{ return simd::both(p.lambda[0] == 0, simd::both(p.lambda[1] == 0, p.lambda[2] == 0)); }

/// Whether this sweep leaves a point alone: it pushes nothing, and will not in this sweep. One that the substep did not
/// reach is the next one's business in relaxation sweeps; stopping it now would bounce it above the surface.
template <class N, class Point>
MCH_INLINE auto is_idle(const Point& p, N normal_rate, N bias, bool relax)
{
    const auto still = is_untouched(p);
    const auto apart = normal_rate + bias >= 0;
    return simd::both(still, relax ? simd::either(p.distance > 0, apart) : apart);
}

/// One sweep over the rows of a point at the rates r. Returns the impulses to add.
template <class N, class Point>
MCH_INLINE Along<N> solve_point(Point& p, const NormalRow<N>& normal, Along<N> r, double anchor, bool relax)
{
    using E            = simd::Element<N>;
    const N    n       = p.lambda[0], t1 = p.lambda[1], t2 = p.lambda[2];
    const auto fresh   = n == 0;
    const auto pressed = simd::inverted(fresh);
    const N    alone   = n - normal.mass * (r[0] + normal.bias) - normal.leak * n;
    N          dn{};
    if (simd::any(fresh)) {
        const auto reached = relax ? simd::both(fresh, p.distance <= 0) : fresh;
        dn                 = simd::select(reached, simd::max(N{}, alone), N{});
        r[1] += p.K[1] * dn;
        r[2] += p.K[2] * dn;
    }
    const N    bound = p.mu * (n + dn);
    const auto held  = bound > 0;
    N          l1{}, l2{};  // what is not pressed offers no friction
    if (simd::any(held)) {
        const auto a  = static_cast<E>(anchor);
        const N    e1 = r[1] + a * p.drift[0], e2 = r[2] + a * p.drift[1];
        l1            = simd::select(held, t1 - (p.inverse[0] * e1 + p.inverse[1] * e2), N{});
        l2            = simd::select(held, t2 - (p.inverse[1] * e1 + p.inverse[2] * e2), N{});
        const auto slips = l1 * l1 + l2 * l2 > bound * bound;
        if (simd::any(slips)) {
            N s1 = t1 - p.slip_step * r[1], s2 = t2 - p.slip_step * r[2];
            hold_to_disk(s1, s2, bound);
            l1 = simd::select(slips, s1, l1);
            l2 = simd::select(slips, s2, l2);
            for (std::size_t k = 0; k < 2; ++k) {  // nothing to come back to
                const auto drift = p.drift[k];
                p.drift[k]       = simd::select(slips, decltype(drift){}, drift);
            }
        }
    }
    const N d1 = l1 - t1, d2 = l2 - t2;
    if (simd::any(pressed)) {
        const N after = simd::max(N{}, alone - ((normal.mass * p.K[1]) * d1 + (normal.mass * p.K[2]) * d2));
        dn            = simd::select(pressed, after - n, dn);
    }
    p.lambda[0] = n + dn;
    p.lambda[1] = l1;
    p.lambda[2] = l2;
    return {dn, d1, d2};
}

/// Friction that an earlier substep needed must fit this one's normal impulse.
template <class N, class Point>
MCH_INLINE void hold_friction(Point& p)
{
    N l1 = p.lambda[1], l2 = p.lambda[2];
    hold_to_disk(l1, l2, N(p.mu * p.lambda[0]));
    p.lambda[1] = l1;
    p.lambda[2] = l2;
}

/// After positions moved at the rates r: the new distance and drift.
template <class N, class Point>
MCH_INLINE void advance_point(Point& p, const Along<N>& r, double h)
{
    using E           = simd::Element<N>;
    const auto step   = static_cast<E>(h);
    const auto pushes = p.lambda[0] > 0;
    using Kept        = std::remove_cvref_t<decltype(p.distance)>;
    p.distance        = static_cast<Kept>(p.distance + step * r[0]);
    for (std::size_t k = 0; k < 2; ++k)
        p.drift[k] = static_cast<Kept>(simd::select(pushes, N(p.drift[k] + step * r[1 + k]), N{}));
}

/// Static friction holds what slips slower than kStickSpeed when the step begins. Decided once a step: what the first
/// substep lets slip before friction is found must not unstick a contact.
template <class N>
MCH_INLINE N friction_at(const Along<N>& r, N mu_static, N mu_dynamic)
{
    using E = simd::Element<N>;
    return simd::select(r[1] * r[1] + r[2] * r[2] < static_cast<E>(kStickSpeed * kStickSpeed), mu_static, mu_dynamic);
}

/// The speed at which a contact is to part after an impact, 0: none. `before`: normal rate before the substep, `now`:
/// with this substep's loads. Symplectic Euler keeps E - h g v / 2, not E: falling a body is slow by half a substep of
/// gravity, rising again by another half. With both restored the rebound height is e^2 of the drop whatever the
/// substep.
template <class N>
MCH_INLINE N rebound_speed(N before, N now, N distance, N restitution, double h)
{
    using E          = simd::Element<N>;
    const N    speed = -now, one = simd::broadcast<N>(1);
    const auto hits  = simd::both(simd::both(restitution > 0, before < static_cast<E>(-0.5 * kRestitutionThreshold)),
                                  speed > static_cast<E>(kRestitutionThreshold));
    if (!simd::any(hits)) return N{};
    const N safe   = simd::select(hits, speed, one);
    const N gained = simd::max(N{}, simd::min(safe + before, safe));  // by gravity during this substep
    const N share  = simd::max(N{}, simd::min(distance / (static_cast<E>(h) * safe), one));
    const N hit    = (safe - gained) + (E(0.5) + share) * gained;
    return simd::select(hits, restitution * hit + E(0.5) * gained, N{});
}

/// Makes a point that pushes part at the speed `bounce`; `mass`: 1 / K_nn. Returns the impulse to add.
template <class N, class Point>
MCH_INLINE N bounce_point(Point& p, N mass, N rate, N bounce)
{
    const N    n   = p.lambda[0];
    const auto now = simd::both(bounce > 0, n > 0);
    const N    d   = simd::select(now, simd::max(N{}, n - (rate - bounce) * mass) - n, N{});
    p.lambda[0]    = n + d;
    return d;
}

/// The base rates of a point that carries and holds bodies which go on about it: a row of the beginning of a substep
/// that asks for no rate finds a rate at its end, and to take that away each time is a brake, (w h)^2 / 2 of the speed.
/// `half`: what the turn of the bodies adds to the rates within half of the substep, `old`: the rates before it. No more
/// than those turned round is asked for, so that contacts do no work for this.
template <class N>
MCH_INLINE N arc_rate(N half, N old)
{ return simd::max(simd::min(N{}, half), simd::min(simd::max(N{}, half), old)); }

// -- friction against turning

template <class N, class Spin>
MCH_INLINE void hold_spin(Spin& s, N normal)
{
    const N torsion = s.torsional * normal;
    s.lambda[0]     = simd::max(N(-torsion), simd::min(torsion, N(s.lambda[0])));
    N l1 = s.lambda[1], l2 = s.lambda[2];
    hold_to_disk(l1, l2, N(s.rolling * normal));
    s.lambda[1] = l1;
    s.lambda[2] = l2;
}

/// One sweep over the rows against turning of a point whose normal impulse is `normal`, at the rates r [rad/s]. Rolling
/// that goes on is resisted against its rate, as slipping friction is. Returns the impulses to add; none where nothing
/// presses.
template <class N, class Spin>
MCH_INLINE Along<N> solve_spin(Spin& s, const Along<N>& r, N normal)
{
    const auto pressed = normal > 0;
    const N    t0 = s.lambda[0], t1 = s.lambda[1], t2 = s.lambda[2];
    const N    torsion = s.torsional * normal, rolling = s.rolling * normal;
    const N    l0 = simd::max(N(-torsion), simd::min(torsion, N(t0 - s.mass * r[0])));
    N          l1 = t1 - (s.inverse[0] * r[1] + s.inverse[1] * r[2]), l2 = t2 - (s.inverse[1] * r[1] + s.inverse[2] * r[2]);
    const auto rolls = l1 * l1 + l2 * l2 > rolling * rolling;
    if (simd::any(rolls)) {
        N s1 = t1 - s.step * r[1], s2 = t2 - s.step * r[2];
        hold_to_disk(s1, s2, rolling);
        l1 = simd::select(rolls, s1, l1);
        l2 = simd::select(rolls, s2, l2);
    }
    const Along<N> d{simd::select(pressed, l0 - t0, N{}), simd::select(pressed, l1 - t1, N{}),
                     simd::select(pressed, l2 - t2, N{})};
    s.lambda[0] = t0 + d[0];
    s.lambda[1] = t1 + d[1];
    s.lambda[2] = t2 + d[2];
    return d;
}

}  // namespace mechane::solvers::softstep
