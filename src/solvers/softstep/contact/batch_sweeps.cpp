// Sweeps over packets: projected Gauss-Seidel with the law of contact_law.h, colour after colour. Packets of one colour
// share no moving body, so their order and the threads do not change a bit.
// Rates [m/s], impulses [N s]. A sweep returns the largest change of a rate; packets of bodies that are still are
// passed by.

#include <algorithm>

#include "solvers/softstep/contact/batch_kernels.h"
#include "solvers/softstep/contact/contact_law.h"

namespace mechane::solvers::softstep {

using namespace simd;

namespace {

[[gnu::always_inline]] inline Wide3 impulse(const PacketAxes& axes, const Wide3& l)
{ return l[0] * axes[0] + (l[1] * axes[1] + l[2] * axes[2]); }

template <bool one>
MCH_INLINE Wide solve(const Packet& b, const PacketAxes& axes, PacketPoint& p, Moving<one>& moving, const BatchSweep& sweep,
                      Real inverse_h, bool relax, bool& changed)
{
    const Wide3 r      = rates(axes, p, moving);
    // The law of a stiff normal row is made anew from the distance; nothing of it is stored.
    const auto  normal = stiff_normal<Wide>(p.distance, p.mass, p.push, sweep.soft, inverse_h, relax);
    if (!any(inverted(is_idle(p, r[0], normal.bias, relax)))) return Wide{};
    const Wide3 d = solve_point(p, normal, r, sweep.anchor, relax);
    moving.push(b, p, impulse(axes, d));
    changed = true;
    return max(abs(d[0]) * p.K[0], max(abs(d[1]) * p.K[3], abs(d[2]) * p.K[4]));
}

template <bool one>
MCH_INLINE Wide turn_back(const Packet& b, const PacketAxes& axes, PacketSpin& spin, const Wide& normal, Moving<one>& moving,
                          bool& changed)
{
    if (!any(normal > 0)) return Wide{};
    Wide3 r = along(axes, moving.spin());
    r[0] += spin.belt;
    const Wide3 d = solve_spin(spin, r, normal);
    moving.turn(b, impulse(axes, d));
    changed = true;
    return max(abs(d[0]) * spin.K[0], max(abs(d[1]) * spin.K[1], abs(d[2]) * spin.K[2]));
}

template <bool one>
MCH_INLINE Wide solve_packet(ContactBatch& batch, const Packet& b, const BatchSweep& sweep, Real inverse_h, bool relax,
                             std::int32_t& solved)
{
    Moving<one> moving(batch.velocity, b);
    Wide        change{};
    // What neither this sweep nor the one before it has changed by much is passed by.
    // The first sweep of each kind solves all packets; later ones those whose bodies changed lately.
    if (!sweep.first && !moving.stirred(static_cast<Real>(sweep.number - 1))) return change;
    ++solved;
    bool changed = false;
    for (std::int32_t k = 0; k < b.points; ++k) {
        const std::int32_t i    = sweep.backwards ? b.points - 1 - k : k;
        PacketPoint&         p    = batch.points[static_cast<std::size_t>(b.point + i)];
        const PacketAxes&    axes = batch.axes_of(b, i);
        if (b.spin >= 0)
            change = max(change, turn_back(b, axes, batch.spins[static_cast<std::size_t>(b.spin + i)], p.lambda[0],
                                               moving, changed));
        change = max(change, solve(b, axes, p, moving, sweep, inverse_h, relax, changed));
    }
    if (!changed) return change;
    // Bodies remember the last sweep that changed them by much: the packets of theirs are solved in that one and the
    // next, and others are passed by.
    for (std::size_t s = moving.kFirst; s < 2; ++s)
        moving.sweep[s] = change > static_cast<Real>(sweep.still)
                              ? broadcast<Wide>(static_cast<Real>(sweep.number))
                              : moving.sweep[s];
    moving.put_back(batch, b);
    return change;
}

}  // namespace

template <bool one>
[[gnu::always_inline]] static inline void warm_start_packet(ContactBatch& batch, const Packet& b)
{
    Moving<one> moving(batch.velocity, b);
    for (std::int32_t i = 0; i < b.points; ++i) {
        PacketPoint&      p    = batch.points[static_cast<std::size_t>(b.point + i)];
        const PacketAxes& axes = batch.axes_of(b, i);
        hold_friction<Wide>(p);
        moving.push(b, p, impulse(axes, p.lambda));
        if (b.spin < 0) continue;
        PacketSpin& spin = batch.spins[static_cast<std::size_t>(b.spin + i)];
        hold_spin(spin, p.lambda[0]);
        moving.turn(b, impulse(axes, spin.lambda));
    }
    moving.put_back(batch, b);
}

MCH_CLONES_AVX512 static void warm_start_part(ContactBatch& batch, std::size_t begin, std::size_t end)
{
    for (std::size_t k = begin; k < end; ++k) {
        const Packet& b = batch.packets[k];
        if (b.one)
            warm_start_packet<true>(batch, b);
        else
            warm_start_packet<false>(batch, b);
    }
}

void warm_start_batch(ContactBatch& batch, const tasks::Pool* pool)
{
    in_colours(batch, false, pool,
               [&](std::size_t begin, std::size_t end, std::size_t) { warm_start_part(batch, begin, end); });
}

MCH_CLONES_AVX512 static void hold_part(ContactBatch& batch, std::size_t begin, std::size_t end)
{
    for (std::size_t k = begin; k < end; ++k) {
        const Packet& b = batch.packets[k];
        if (b.spin < 0) continue;
        Moving<> moving(batch.velocity, b);
        WideMask changed = Wide{} < Wide{};
        for (std::int32_t i = 0; i < b.points; ++i) {
            PacketSpin&   spin  = batch.spins[static_cast<std::size_t>(b.spin + i)];
            const Wide3 start = spin.lambda;
            hold_spin(spin, batch.points[static_cast<std::size_t>(b.point + i)].lambda[0]);
            const Wide3 d = spin.lambda - start;
            changed       = changed | (d[0] != 0) | (d[1] != 0) | (d[2] != 0);
            moving.turn(b, impulse(batch.axes_of(b, i), d));
        }
        if (any(changed)) moving.put_back(batch, b);
    }
}

/// Impulses against turning are bounded by the normal impulse of now; what exceeds it is taken back.
void hold_spins(ContactBatch& batch, const tasks::Pool* pool)
{
    if (batch.spins.empty()) return;
    in_colours(batch, false, pool,
               [&](std::size_t begin, std::size_t end, std::size_t) { hold_part(batch, begin, end); });
}

/// Packets of one colour.
MCH_CLONES_AVX512 static ContactBatch::Part sweep_part(ContactBatch& batch, const BatchSweep& sweep, std::size_t begin, std::size_t end)
{
    const auto inverse_h = static_cast<Real>(1 / sweep.h);
    ContactBatch::Part out;
    Wide       change{};
    for (std::size_t k = begin; k < end; ++k) {
        const Packet& b = batch.packets[k];
        if (sweep.relax && b.idle) continue;
        const Wide most = sweep.relax ? b.one ? solve_packet<true>(batch, b, sweep, inverse_h, true, out.solved)
                                              : solve_packet<false>(batch, b, sweep, inverse_h, true, out.solved)
                          : b.one     ? solve_packet<true>(batch, b, sweep, inverse_h, false, out.solved)
                                      : solve_packet<false>(batch, b, sweep, inverse_h, false, out.solved);
        change          = max(change, most);
    }
    out.change = largest_of(change);
    return out;
}

/// Backward sweeps take colours, packets' points and contacts in the reverse order.
double sweep_batch(ContactBatch& batch, const BatchSweep& sweep, const tasks::Pool* pool)
{
    // A sweep that passes by most packets is not worth sharing.
    const tasks::Pool* shared = sweep.first || batch.busy ? pool : nullptr;
    const std::size_t  count  = batch.colours.size() - 1;
    std::int32_t       solved = 0;
    double             change = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t colour = sweep.backwards ? count - 1 - k : k;
        const auto        begin  = static_cast<std::size_t>(batch.colours[colour]),
                          end    = static_cast<std::size_t>(batch.colours[colour + 1]);
        batch.parts.assign(part_count(end - begin), {});
        tasks::for_chunks(shared, end - begin, kPart, [&](std::size_t from, std::size_t to, std::size_t part) {
            batch.parts[part] = sweep_part(batch, sweep, begin + from, begin + to);
        });
        for (const ContactBatch::Part& part : batch.parts) {
            solved += part.solved;
            change = std::max(change, static_cast<double>(part.change));
        }
    }
    batch.busy = 2 * static_cast<std::size_t>(solved) > batch.packets.size();
    return change;
}

/// What turning about `w` with the arm `r` adds to the velocity of its end in a second.
MCH_INLINE static Wide3 centripetal(const Wide3& w, const Wide3& r) { return cross(w, cross(w, r)); }

MCH_CLONES_AVX512 static bool follow_part(ContactBatch& batch, const std::vector<Real>& velocity, double h, bool swings,
                                          std::size_t begin, std::size_t end)
{
    bool       some = false;
    const auto half = static_cast<Real>(0.5 * h), age = static_cast<Real>(batch.row_age);
    for (std::size_t k = begin; k < end; ++k) {
        const Packet&  b = batch.packets[k];
        const Moving<> before(velocity, b);
        for (std::int32_t i = 0; i < b.points; ++i) {
            PacketPoint&       p     = batch.points[static_cast<std::size_t>(b.point + i)];
            const PacketStart& start = batch.starts[static_cast<std::size_t>(b.point + i)];
            const PacketAxes&  axes  = batch.axes_of(b, i);
            p.base                 = {Wide{}, start.belt[0], start.belt[1]};
            if (!swings) continue;
            Wide3 turned{}, goes_on{};  // of all bodies, and of those that impulses move
            for (std::size_t s = 0; s < 2; ++s) {
                // The points that ride with the bodies: where a shape rolls there are none.
                const Wide3 core = p.arm[s] - (s == 0 ? start.margin[0] : -start.margin[1]) * axes[0];
                Wide        rides = broadcast<Wide>(s == 0 ? -1 : 1);
                if (b.rolling >= 0) {
                    const Wide6& M = batch.rollings[static_cast<std::size_t>(b.rolling + i)][s].M;
                    rides          = M[0] + M[3] + M[5] > 0 ? Wide{} : rides;
                }
                const Wide3 c = rides * centripetal(before.angular[s], core);
                turned        = turned + c;
                goes_on       = goes_on + (b.inverse_mass[s] > 0 ? broadcast<Wide>(1) : Wide{}) * c;
            }
            const Wide size  = dot(turned, turned);
            const auto counts = half * half * size > Real(kLeastArc * kLeastArc);
            if (!any(counts)) continue;
            some              = true;
            const auto pushes = p.lambda[0] > 0;
            // What the bodies have turned since the rows were made, to first order in the age of the rows.
            const Wide3 away = broadcast<Wide>(age) * along(axes, turned), arc = broadcast<Wide>(half) * along(axes, goes_on),
                        old = rates(axes, p, before) + away;
            for (std::size_t d = 0; d < 3; ++d)
                p.base[d] += counts ? away[d] + (pushes ? arc_rate(arc[d], old[d]) : Wide{}) : Wide{};
        }
    }
    return some;
}

void follow_turns(ContactBatch& batch, const std::vector<Real>& velocity, double h, const tasks::Pool* pool)
{
    // Nothing turns fast enough for any arm?
    Real fastest = 0;
    for (std::size_t i = 0; i < batch.links.size() + batch.prescribed.size(); ++i) {
        const Real* w = velocity.data() + kWide * i + 3;
        fastest       = std::max(fastest, w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    }
    const bool swings = h * static_cast<double>(fastest * batch.longest) > kLeastArc;  // of two bodies, half of each
    if (swings || batch.swings) {
        batch.parts.assign(part_count(batch.packets.size()), {});
        tasks::for_chunks(pool, batch.packets.size(), kPart, [&](std::size_t begin, std::size_t end, std::size_t part) {
            batch.parts[part].solved = follow_part(batch, velocity, h, swings, begin, end) ? 1 : 0;
        });
        batch.swings = some_part(batch);
    }
    batch.row_age += h;
}

MCH_CLONES_AVX512 static bool advance_part(ContactBatch& batch, double h, std::size_t begin, std::size_t end)
{
    bool bounces = false;
    for (std::size_t k = begin; k < end; ++k) {
        Packet&        b = batch.packets[k];
        const Moving<> moving(batch.velocity, b);
        WideMask       busy = Wide{} < Wide{}, rebounds = busy;
        for (std::int32_t i = 0; i < b.points; ++i) {
            PacketPoint&  p      = batch.points[static_cast<std::size_t>(b.point + i)];
            const Wide3 r      = rates(batch.axes_of(b, i), p, moving);
            const auto  pushes = p.lambda[0] > 0;
            advance_point(p, r, h);
            busy       = busy | pushes | (p.distance <= 0) | (p.lambda[1] != 0) | (p.lambda[2] != 0);
            if (batch.elastic) rebounds = rebounds | (batch.starts[static_cast<std::size_t>(b.point + i)].bounce > 0);
        }
        b.idle    = !any(busy);
        b.bounces = any(rebounds);
        bounces   = bounces || b.bounces;
    }
    return bounces;
}

bool advance_batch(ContactBatch& batch, double h, const tasks::Pool* pool)
{
    batch.parts.assign(part_count(batch.packets.size()), {});
    tasks::for_chunks(pool, batch.packets.size(), kPart, [&](std::size_t begin, std::size_t end, std::size_t part) {
        batch.parts[part].solved = advance_part(batch, h, begin, end) ? 1 : 0;
    });
    return some_part(batch);
}

MCH_CLONES_AVX512 static void bounce_part(ContactBatch& batch, bool backwards, std::size_t begin, std::size_t end)
{
    for (std::size_t k = begin; k < end; ++k) {
        const Packet& b = batch.packets[k];
        if (!b.bounces) continue;
        Moving<> moving(batch.velocity, b);
        bool     changed = false;
        for (std::int32_t m = 0; m < b.points; ++m) {
            const std::int32_t i      = backwards ? b.points - 1 - m : m;
            PacketPoint&         p      = batch.points[static_cast<std::size_t>(b.point + i)];
            const Wide         bounce = batch.starts[static_cast<std::size_t>(b.point + i)].bounce;
            if (!any((bounce > 0) & (p.lambda[0] > 0))) continue;
            const PacketAxes& axes = batch.axes_of(b, i);
            moving.push(b, p, bounce_point(p, p.mass, rates(axes, p, moving)[0], bounce) * axes[0]);
            changed = true;
        }
        if (changed) moving.put_back(batch, b);
    }
}

void bounce_batch(ContactBatch& batch, bool backwards, const tasks::Pool* pool)
{
    in_colours(batch, backwards, pool,
               [&](std::size_t begin, std::size_t end, std::size_t) { bounce_part(batch, backwards, begin, end); });
}

/// The force of the step is the mean of the impulses of its substeps.
void sum_batch(ContactBatch& batch, const tasks::Pool* pool)
{
    tasks::for_chunks(pool, batch.packets.size(), kPart, [&](std::size_t begin, std::size_t end, std::size_t) {
        const auto from = static_cast<std::size_t>(batch.packets[begin].point),
                   to   = static_cast<std::size_t>(batch.packets[end - 1].point + batch.packets[end - 1].points);
        for (std::size_t i = from; i < to; ++i)
            for (std::size_t k = 0; k < 3; ++k) batch.starts[i].impulse_sum[k] += batch.points[i].lambda[k];
        for (std::size_t p = begin; p < end; ++p)
            for (std::int32_t i = 0; batch.packets[p].spin >= 0 && i < batch.packets[p].points; ++i) {
                PacketSpin& spin = batch.spins[static_cast<std::size_t>(batch.packets[p].spin + i)];
                for (std::size_t k = 0; k < 3; ++k) spin.impulse_sum[k] += spin.lambda[k];
            }
    });
}

}  // namespace mechane::solvers::softstep
