#include <algorithm>

#include "system.h"
#include "wide.h"

// Impulses of piles. The laws are those of free_contacts.cpp, for eight points at once: what is a branch there is a
// choice between numbers here, but where all lanes go one way.

namespace mechane::solvers::softstep {

using namespace wide;

namespace {

[[gnu::always_inline]] inline Wide3 impulse(const PileAxes& axes, const Wide3& l)
{ return l[0] * axes[0] + (l[1] * axes[1] + l[2] * axes[2]); }

/// Takes what is beyond the disk of radius `bound` off two components.
[[gnu::always_inline]] inline void hold(Wide& a, Wide& b, const Wide& bound)
{
    const Wide square = a * a + b * b;
    const auto beyond = square > bound * bound;
    if (!any(beyond)) return;
    const Wide shrink = beyond ? bound / root(beyond ? square : all(1)) : all(1);
    a *= shrink;
    b *= shrink;
}

/// What a sweep does with every point.
struct Law {
    Real inverse_h, mass_scale, leak, bias_rate, anchor, still, number;
    bool first;
};

template <bool one>
[[gnu::always_inline]] inline Wide solve(const Bundle& b, const PileAxes& axes, PilePoint& p, Moving<one>& moving,
                                         const Law& law, bool relax, bool& changed)
{
    const Wide3 start = p.lambda;
    const auto  open  = p.distance > 0;
    const auto  fresh = start[0] == 0;
    const auto  still = fresh & (start[1] == 0) & (start[2] == 0);
    Wide3       r     = rates(axes, p, moving);
    // A gap closes within the sub-step at most; penetration is pushed out with bias.
    const Wide bias = open ? law.inverse_h * p.distance : relax ? Wide{} : largest(law.bias_rate * p.distance, -p.push);
    // Lanes that do not push and will not in this sweep either.
    const auto idle = relax ? still & (open | (r[0] + bias >= 0)) : still & (r[0] + bias >= 0);
    if (!any(~idle)) return Wide{};
    const auto  rigid  = relax ? everywhere() : open;
    const Wide  mass   = rigid ? p.mass : law.mass_scale * p.mass;
    const Wide  give   = rigid ? Wide{} : all(law.leak);
    const Real  anchor = law.anchor;
    const auto& K      = p.response;
    const auto  push   = [&](const WideMask& now) __attribute__((always_inline)) {
        const Wide after = largest(Wide{}, start[0] - mass * (r[0] + bias) - give * start[0]);
        const Wide d     = now ? after - start[0] : Wide{};
        r[0] += K[0] * d;
        r[1] += K[1] * d;
        r[2] += K[2] * d;
        return d;
    };
    // A contact that this sub-step did not reach is the next one's business.
    const auto reached = relax ? ~(fresh & open) : everywhere();
    Wide       dn      = push(fresh & reached);
    const Wide e1 = r[1] + anchor * p.drift[0], e2 = r[2] + anchor * p.drift[1];
    const Wide bound = p.mu * (start[0] + dn);
    Wide       l1    = start[1] - (p.inverse[0] * e1 + p.inverse[1] * e2),
               l2    = start[2] - (p.inverse[1] * e1 + p.inverse[2] * e2);
    // What is not pressed offers no friction.
    const auto bare  = bound <= 0;
    l1               = bare ? Wide{} : l1;
    l2               = bare ? Wide{} : l2;
    const auto slips = l1 * l1 + l2 * l2 > bound * bound;
    if (any(slips)) {
        Wide s1 = start[1] - p.slip_step * r[1], s2 = start[2] - p.slip_step * r[2];
        hold(s1, s2, bound);
        l1         = slips ? s1 : l1;
        l2         = slips ? s2 : l2;
        p.drift[0] = slips ? Wide{} : p.drift[0];
        p.drift[1] = slips ? Wide{} : p.drift[1];
    }
    const Wide d1 = l1 - start[1], d2 = l2 - start[2];
    r[0] += K[1] * d1 + K[2] * d2;
    dn += push(~fresh);
    p.lambda = {start[0] + dn, l1, l2};
    moving.push(b, p, impulse(axes, {dn, d1, d2}));
    changed = true;
    return largest(absolute(dn) * K[0], largest(absolute(d1) * K[3], absolute(d2) * K[4]));
}

[[gnu::always_inline]] inline void hold_spin(PileSpin& spin, const Wide& normal)
{
    const Wide torsion = spin.torsional * normal;
    spin.lambda[0]     = largest(-torsion, smallest(torsion, spin.lambda[0]));
    hold(spin.lambda[1], spin.lambda[2], spin.rolling * normal);
}

template <bool one>
[[gnu::always_inline]] inline Wide turn_back(const Bundle& b, const PileAxes& axes, PileSpin& spin, const Wide& normal,
                                             Moving<one>& moving, bool& changed)
{
    const auto pressed = normal > 0;
    if (!any(pressed)) return Wide{};
    Wide3 r = along(axes, moving.spin());
    r[0] += spin.belt;
    const Wide3 start = spin.lambda;
    PileSpin    next  = spin;
    next.lambda[0] -= spin.mass * r[0];
    Wide       l1    = start[1] - (spin.inverse[0] * r[1] + spin.inverse[1] * r[2]),
               l2    = start[2] - (spin.inverse[1] * r[1] + spin.inverse[2] * r[2]);
    const Wide bound = spin.rolling * normal;
    const auto rolls = l1 * l1 + l2 * l2 > bound * bound;
    next.lambda[1]   = rolls ? start[1] - spin.step * r[1] : l1;
    next.lambda[2]   = rolls ? start[2] - spin.step * r[2] : l2;
    hold_spin(next, normal);
    Wide3 d;
    for (std::size_t k = 0; k < 3; ++k) {
        d[k] = pressed ? next.lambda[k] - start[k] : Wide{};
        spin.lambda[k] += d[k];
    }
    moving.turn(b, impulse(axes, d));
    changed = true;
    return largest(absolute(d[0]) * spin.response[0],
                   largest(absolute(d[1]) * spin.response[1], absolute(d[2]) * spin.response[2]));
}

template <bool one>
[[gnu::always_inline]] inline Wide solve_bundle(Pile& pile, const Bundle& b, const Law& law, bool relax,
                                                std::int32_t& solved)
{
    Moving<one> moving(pile.velocity, b);
    Wide        change{};
    // What neither this sweep nor the one before it has changed by much is passed by.
    if (!law.first && !moving.stirred(law.number - 1)) return change;
    ++solved;
    bool changed = false;
    for (std::int32_t i = 0; i < b.points; ++i) {
        PilePoint&      p    = pile.points[static_cast<std::size_t>(b.point + i)];
        const PileAxes& axes = pile.axes_of(b, i);
        if (b.spin >= 0)
            change = largest(change, turn_back(b, axes, pile.spins[static_cast<std::size_t>(b.spin + i)], p.lambda[0],
                                               moving, changed));
        change = largest(change, solve(b, axes, p, moving, law, relax, changed));
    }
    if (!changed) return change;
    for (std::size_t s = moving.kFirst; s < 2; ++s)
        moving.sweep[s] = change > law.still ? all(law.number) : moving.sweep[s];
    moving.put_back(pile, b);
    return change;
}

[[gnu::always_inline]] inline double largest_lane(const Wide& x)
{
    Real out = 0;
    for (int i = 0; i < kWide; ++i) out = std::max(out, x[i]);
    return static_cast<double>(out);
}

}  // namespace

template <bool one>
[[gnu::always_inline]] static inline void warm_start_bundle(Pile& pile, const Bundle& b)
{
    Moving<one> moving(pile.velocity, b);
    for (std::int32_t i = 0; i < b.points; ++i) {
        PilePoint&      p    = pile.points[static_cast<std::size_t>(b.point + i)];
        const PileAxes& axes = pile.axes_of(b, i);
        // Friction that an earlier step needed must fit this step's normal force.
        hold(p.lambda[1], p.lambda[2], p.mu * p.lambda[0]);
        moving.push(b, p, impulse(axes, p.lambda));
        if (b.spin < 0) continue;
        PileSpin& spin = pile.spins[static_cast<std::size_t>(b.spin + i)];
        hold_spin(spin, p.lambda[0]);
        moving.turn(b, impulse(axes, spin.lambda));
    }
    moving.put_back(pile, b);
}

MCH_WIDER static void warm_start_part(Pile& pile, std::size_t begin, std::size_t end)
{
    for (std::size_t k = begin; k < end; ++k) {
        const Bundle& b = pile.bundles[k];
        if (b.one)
            warm_start_bundle<true>(pile, b);
        else
            warm_start_bundle<false>(pile, b);
    }
}

void warm_start_pile(Pile& pile, const tasks::Pool* pool)
{
    in_colours(pile, false, pool,
               [&](std::size_t begin, std::size_t end, std::size_t) { warm_start_part(pile, begin, end); });
}

MCH_WIDER static void hold_part(Pile& pile, std::size_t begin, std::size_t end)
{
    for (std::size_t k = begin; k < end; ++k) {
        const Bundle& b = pile.bundles[k];
        if (b.spin < 0) continue;
        Moving<> moving(pile.velocity, b);
        WideMask changed = Wide{} < Wide{};
        for (std::int32_t i = 0; i < b.points; ++i) {
            PileSpin&   spin  = pile.spins[static_cast<std::size_t>(b.spin + i)];
            const Wide3 start = spin.lambda;
            hold_spin(spin, pile.points[static_cast<std::size_t>(b.point + i)].lambda[0]);
            const Wide3 d = spin.lambda - start;
            changed       = changed | (d[0] != 0) | (d[1] != 0) | (d[2] != 0);
            moving.turn(b, impulse(pile.axes_of(b, i), d));
        }
        if (any(changed)) moving.put_back(pile, b);
    }
}

void hold_spins(Pile& pile, const tasks::Pool* pool)
{
    if (pile.spins.empty()) return;
    in_colours(pile, false, pool,
               [&](std::size_t begin, std::size_t end, std::size_t) { hold_part(pile, begin, end); });
}

/// Bundles of one colour.
MCH_WIDER static Pile::Part sweep_part(Pile& pile, const PileSweep& sweep, std::size_t begin, std::size_t end)
{
    const Law  law{static_cast<Real>(1 / sweep.h),  static_cast<Real>(sweep.mass_scale),
                   static_cast<Real>(sweep.leak),   static_cast<Real>(sweep.bias_rate),
                   static_cast<Real>(sweep.anchor), static_cast<Real>(sweep.still),
                   static_cast<Real>(sweep.number), sweep.first};
    Pile::Part out;
    Wide       change{};
    for (std::size_t k = begin; k < end; ++k) {
        const Bundle& b = pile.bundles[k];
        if (sweep.relax && b.idle) continue;
        const Wide most = sweep.relax ? b.one ? solve_bundle<true>(pile, b, law, true, out.solved)
                                              : solve_bundle<false>(pile, b, law, true, out.solved)
                          : b.one     ? solve_bundle<true>(pile, b, law, false, out.solved)
                                      : solve_bundle<false>(pile, b, law, false, out.solved);
        change          = largest(change, most);
    }
    out.change = static_cast<Real>(largest_lane(change));
    return out;
}

double sweep_pile(Pile& pile, const PileSweep& sweep, const tasks::Pool* pool)
{
    // A sweep that passes by most bundles is not worth sharing.
    const tasks::Pool* shared = sweep.first || pile.busy ? pool : nullptr;
    const std::size_t  count  = pile.colours.size() - 1;
    std::int32_t       solved = 0;
    double             change = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t colour = sweep.backwards ? count - 1 - k : k;
        const auto        begin  = static_cast<std::size_t>(pile.colours[colour]),
                          end    = static_cast<std::size_t>(pile.colours[colour + 1]);
        pile.parts.assign(part_count(end - begin), {});
        tasks::for_chunks(shared, end - begin, kPart, [&](std::size_t from, std::size_t to, std::size_t part) {
            pile.parts[part] = sweep_part(pile, sweep, begin + from, begin + to);
        });
        for (const Pile::Part& part : pile.parts) {
            solved += part.solved;
            change = std::max(change, static_cast<double>(part.change));
        }
    }
    pile.busy = 2 * static_cast<std::size_t>(solved) > pile.bundles.size();
    return change;
}

MCH_WIDER static bool advance_part(Pile& pile, Real step, std::size_t begin, std::size_t end)
{
    bool bounces = false;
    for (std::size_t k = begin; k < end; ++k) {
        Bundle&        b = pile.bundles[k];
        const Moving<> moving(pile.velocity, b);
        WideMask       busy = Wide{} < Wide{}, rebounds = busy;
        for (std::int32_t i = 0; i < b.points; ++i) {
            PilePoint&  p      = pile.points[static_cast<std::size_t>(b.point + i)];
            const Wide3 r      = rates(pile.axes_of(b, i), p, moving);
            const auto  pushes = p.lambda[0] > 0;
            p.distance += step * r[0];
            p.drift[0] = pushes ? p.drift[0] + step * r[1] : Wide{};
            p.drift[1] = pushes ? p.drift[1] + step * r[2] : Wide{};
            busy       = busy | pushes | (p.distance <= 0) | (p.lambda[1] != 0) | (p.lambda[2] != 0);
            if (pile.elastic) rebounds = rebounds | (pile.starts[static_cast<std::size_t>(b.point + i)].bounce > 0);
        }
        b.idle    = !any(busy);
        b.bounces = any(rebounds);
        bounces   = bounces || b.bounces;
    }
    return bounces;
}

bool advance_pile(Pile& pile, double h, const tasks::Pool* pool)
{
    pile.parts.assign(part_count(pile.bundles.size()), {});
    tasks::for_chunks(pool, pile.bundles.size(), kPart, [&](std::size_t begin, std::size_t end, std::size_t part) {
        pile.parts[part].solved = advance_part(pile, static_cast<Real>(h), begin, end) ? 1 : 0;
    });
    return some_part(pile);
}

MCH_WIDER static void bounce_part(Pile& pile, std::size_t begin, std::size_t end)
{
    for (std::size_t k = begin; k < end; ++k) {
        const Bundle& b = pile.bundles[k];
        if (!b.bounces) continue;
        Moving<> moving(pile.velocity, b);
        bool     changed = false;
        for (std::int32_t i = 0; i < b.points; ++i) {
            PilePoint& p      = pile.points[static_cast<std::size_t>(b.point + i)];
            const Wide bounce = pile.starts[static_cast<std::size_t>(b.point + i)].bounce;
            const auto now    = (bounce > 0) & (p.lambda[0] > 0);
            if (!any(now)) continue;
            const PileAxes& axes  = pile.axes_of(b, i);
            const Wide      after = largest(Wide{}, p.lambda[0] - (rates(axes, p, moving)[0] - bounce) * p.mass);
            const Wide      d     = now ? after - p.lambda[0] : Wide{};
            p.lambda[0] += d;
            moving.push(b, p, d * axes[0]);
            changed = true;
        }
        if (changed) moving.put_back(pile, b);
    }
}

void bounce_pile(Pile& pile, bool backwards, const tasks::Pool* pool)
{
    in_colours(pile, backwards, pool,
               [&](std::size_t begin, std::size_t end, std::size_t) { bounce_part(pile, begin, end); });
}

void sum_pile(Pile& pile, const tasks::Pool* pool)
{
    tasks::for_chunks(pool, pile.bundles.size(), kPart, [&](std::size_t begin, std::size_t end, std::size_t) {
        const auto from = static_cast<std::size_t>(pile.bundles[begin].point),
                   to   = static_cast<std::size_t>(pile.bundles[end - 1].point + pile.bundles[end - 1].points);
        for (std::size_t i = from; i < to; ++i)
            for (std::size_t k = 0; k < 3; ++k) pile.starts[i].impulse_sum[k] += pile.points[i].lambda[k];
    });
}

}  // namespace mechane::solvers::softstep
