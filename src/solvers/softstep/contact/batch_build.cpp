// Rows of batches, and the motion of their bodies within a step: build, meet, predict, move. The formulas are those of
// articulated_contacts.cpp for bodies of one link, in `Real` and for eight pairs at once. Rows are made once a step,
// and again where something has turned.

#include <algorithm>
#include <cmath>

#include "solvers/softstep/contact/batch_kernels.h"
#include "solvers/softstep/contact/contact_law.h"

namespace mechane::solvers::softstep {

using namespace simd;

namespace {

/// How a body may turn before its batch's rows are made anew [rad].
constexpr Real kRebuildTurn = Real(0.05);

/// Rotation and inertia of the bodies of one side.
struct Turned {
    std::array<Wide3, 3> turn;
    Wide6                inverse_inertia;
    Wide                 inverse_mass;
};
[[gnu::always_inline]] inline Turned turned(const ContactBatch& batch, const Packet& b, std::size_t s)
{
    const auto x = gather(batch.pose.data(), b.body[s], kPoseStride),
               y = gather(batch.pose.data() + kWide, b.body[s], kPoseStride);
    return {{{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], y[0]}}}, {y[1], y[2], y[3], y[4], y[5], y[6]}, y[7]};
}

/// The point of what rolls that is farthest along `d` (Rolling::farthest).
[[gnu::always_inline]] inline Wide3 touched(const Turned& body, const Wide3& centre, const Wide6& M, const Wide3& d)
{
    const auto& R = body.turn;
    const Wide3 d_B{R[0][0] * d[0] + R[1][0] * d[1] + R[2][0] * d[2], R[0][1] * d[0] + R[1][1] * d[1] + R[2][1] * d[2],
                    R[0][2] * d[0] + R[1][2] * d[1] + R[2][2] * d[2]};
    const Wide3 m  = M * d_B;
    // The farthest point of an ellipsoid along d: c + M d / sqrt(d . M d).
    const Wide  dd = dot(d_B, m), scale = 1 / sqrt(dd > 0 ? dd : broadcast<Wide>(1));
    return centre + scale * m;
}

[[gnu::always_inline]] inline void build_point(const Packet& b, const std::array<Turned, 2>& bodies,
                                               const std::array<Wide3, 2>& way, const Moving<>& now,
                                               const Wide& lighter, bool first, const PacketAxes& axes,
                                               const PacketRolling* rolling, PacketPoint& p, PacketStart& start)
{
    std::array<Wide3, 2> arm;
    for (std::size_t s = 0; s < 2; ++s) {
        const Wide3 core = rolling
                               ? touched(bodies[s], start.core[s], (*rolling)[s].M, (*rolling)[s].toward)
                               : start.core[s];
        for (std::size_t k = 0; k < 3; ++k) arm[s][k] = dot(bodies[s].turn[k], core);
        p.arm[s] = arm[s] + (s == 0 ? start.margin[0] : -start.margin[1]) * axes[0];
    }
    if (first) {
        start.arm  = arm;
        p.distance = start.distance;
    } else {
        p.distance =
            // Differences of displacements since the start of the step: exact at any distance from the origin.
            start.distance + dot(axes[0], (way[1] + (arm[1] - start.arm[1])) - (way[0] + (arm[0] - start.arm[0])));
    }
    std::array<std::array<Wide3, 3>, 2> turning, response;
    for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t k = 0; k < 3; ++k) {
            turning[s][k]  = cross(p.arm[s], axes[k]);
            response[s][k] = b.inverse_inertia[s] * turning[s][k];
        }
    const Wide inverse_mass = b.inverse_mass[0] + b.inverse_mass[1];
    const auto between      = [&](std::size_t i, std::size_t k) __attribute__((always_inline)) {
        const Wide turn = dot(turning[0][i], response[0][k]) + dot(turning[1][i], response[1][k]);
        return i == k ? turn + inverse_mass : turn;
    };
    const Wide nn = between(0, 0), k11 = between(1, 1), k12 = between(1, 2), k22 = between(2, 2);
    // The response threshold of a row that nothing can move, as in articulated_contacts.cpp.
    const auto active = nn > Real(1e-12);
    p.K               = {nn, between(0, 1), between(0, 2), k11, k22};
    // What is ill-conditioned in the arithmetic of a Real needs more of a ridge than in doubles.
    const Wide ridge   = Real(1e-6) * (k11 + k22) + Real(1e-14);
    const auto tangent = invert_tangents<Wide>(k11 + ridge, k12, k22 + ridge, Wide{});
    p.inverse          = tangent.inverse;
    p.slip_step        = tangent.step;
    const Wide K        = active ? nn : broadcast<Wide>(1);
    p.mass              = active ? 1 / K : Wide{};
    p.push              = push_speed<Wide>(K, lighter);
    // What is not active has a gap that nothing closes.
    p.distance = active ? p.distance : broadcast<Wide>(kNoContact);
    if (!first) return;
    p.mu = friction_at(rates(axes, p, now), b.mu_static, b.mu_dynamic);
    for (std::size_t k = 0; k < 3; ++k) p.lambda[k] = active ? p.lambda[k] : Wide{};
}

[[gnu::always_inline]] inline void build_turning(const Packet& b, const PacketAxes& axes, PacketSpin& spin)
{
    std::array<Wide3, 3> response;
    for (std::size_t k = 0; k < 3; ++k) response[k] = b.inverse_inertia[0] * axes[k] + b.inverse_inertia[1] * axes[k];
    const Wide  nn = dot(axes[0], response[0]), k11 = dot(axes[1], response[1]), k12 = dot(axes[1], response[2]),
                k22  = dot(axes[2], response[2]);
    const auto disk  = invert_tangents<Wide>(k11, k12, k22, Real(1e-6) * k11 * k22);
    spin.mass        = nn > 0 ? 1 / (nn > 0 ? nn : broadcast<Wide>(1)) : Wide{};
    spin.K           = {nn, k11, k22};
    spin.inverse     = disk.inverse;
    spin.step        = disk.step;
}

/// Eight bodies that follow each other.
[[gnu::always_inline]] inline Wides<kWide> take(const std::vector<Real>& from, std::size_t body)
{
    Wides<kWide> out;
    std::memcpy(&out, from.data() + kWide * body, sizeof out);
    transpose(out);
    return out;
}
[[gnu::always_inline]] inline void give(std::vector<Real>& to, std::size_t body, Wides<kWide> x)
{
    transpose(x);
    std::memcpy(to.data() + kWide * body, &x, sizeof x);
}

}  // namespace

/// Returns the longest arm [m].
MCH_CLONES_AVX512 static Real build_part(ContactBatch& batch, bool first, std::size_t begin, std::size_t end)
{
    Wide longest{};
    for (std::size_t at = begin; at < end; ++at) {
        Packet&                     b = batch.packets[at];
        const std::array<Turned, 2> bodies{turned(batch, b, 0), turned(batch, b, 1)};
        const Moving<>              now(batch.unconstrained, b);
        std::array<Wide3, 2>        way;
        for (std::size_t s = 0; s < 2; ++s) {
            b.inverse_inertia[s] = bodies[s].inverse_inertia;
            b.inverse_mass[s]    = bodies[s].inverse_mass;
            if (first) continue;
            const auto w = gather(batch.displacement.data(), b.body[s]);
            way[s]       = {w[0], w[1], w[2]};
        }
        const Wide most    = max(b.inverse_mass[0], b.inverse_mass[1]);
        const Wide lighter = 1 / (most > 0 ? most : broadcast<Wide>(1));
        for (std::int32_t i = 0; i < b.points; ++i) {
            const PacketAxes&    axes = batch.axes_of(b, i);
            const PacketRolling* rolling =
                b.rolling >= 0 ? &batch.rollings[static_cast<std::size_t>(b.rolling + i)] : nullptr;
            build_point(b, bodies, way, now, lighter, first, axes, rolling,
                        batch.points[static_cast<std::size_t>(b.point + i)],
                        batch.starts[static_cast<std::size_t>(b.point + i)]);
            if (b.spin >= 0) build_turning(b, axes, batch.spins[static_cast<std::size_t>(b.spin + i)]);
            for (const Wide3& arm : batch.points[static_cast<std::size_t>(b.point + i)].arm)
                longest = max(longest, dot(arm, arm));
        }
    }
    return std::sqrt(largest_of(longest));
}

void build_packets(ContactBatch& batch, bool first, const tasks::Pool* pool)
{
    batch.parts.assign(part_count(batch.packets.size()), {});
    tasks::for_chunks(pool, batch.packets.size(), kPart, [&](std::size_t begin, std::size_t end, std::size_t part) {
        batch.parts[part].change = build_part(batch, first, begin, end);
    });
    batch.longest = 0;
    for (const ContactBatch::Part& part : batch.parts) batch.longest = std::max(batch.longest, part.change);
    batch.row_age = 0;
}

/// Rebound speeds need the velocities before the substep and those of free flight.
MCH_CLONES_AVX512 static void meet_part(ContactBatch& batch, double h, std::size_t begin, std::size_t end)
{
    for (std::size_t k = begin; k < end; ++k) {
        const Packet& b = batch.packets[k];
        if (!any(b.restitution > 0)) continue;
        // What the contacts did in the substep before is not yet undone where it is too much: not a speed to rebound
        // from.
        const Moving<> before(batch.before, b), now(batch.unconstrained, b);
        for (std::int32_t i = 0; i < b.points; ++i) {
            const PacketPoint& p     = batch.points[static_cast<std::size_t>(b.point + i)];
            PacketStart&       start = batch.starts[static_cast<std::size_t>(b.point + i)];
            const PacketAxes&  axes  = batch.axes_of(b, i);
            // As for single points.
            const Wide elastic = p.mass > 0 ? b.restitution : Wide{};
            start.bounce =
                rebound_speed(rates(axes, p, before)[0], rates(axes, p, now)[0], p.distance, elastic, h);
        }
    }
}

void meet_batch(ContactBatch& batch, double h, const tasks::Pool* pool)
{
    tasks::for_chunks(pool, batch.packets.size(), kPart,
                      [&](std::size_t begin, std::size_t end, std::size_t) { meet_part(batch, h, begin, end); });
}

MCH_CLONES_AVX512 void predict_bodies(ContactBatch& batch, double h, bool keep_push)
{
    const auto step = static_cast<Real>(h);
    for (std::size_t i = 0; i < batch.links.size(); i += kWide) {
        auto       v = take(batch.velocity, i), unconstrained = take(batch.unconstrained, i);
        const auto a = take(batch.push, i);
        for (std::size_t k = 0; k < 6; ++k) {
            // `unconstrained` holds the change by the last substep's impulses, which is the warm start as one sum a
            // body.
            const Wide pushed = unconstrained[k];
            unconstrained[k]         = v[k] + step * a[k];
            v[k]              = keep_push ? unconstrained[k] + pushed : unconstrained[k];
        }
        v[6] = Wide{};
        give(batch.velocity, i, v);
        give(batch.unconstrained, i, unconstrained);
    }
}

MCH_CLONES_AVX512 int move_bodies(ContactBatch& batch, double h)
{
    const auto     step = static_cast<Real>(h);
    constexpr Real most = static_cast<Real>(kMaxVelocity), wild = static_cast<Real>(kDivergedVelocity);
    int            slowed = 0;
    Wide           turned_most{};
    const auto     count = batch.links.size() + batch.prescribed.size();
    for (std::size_t i = 0; i < count; i += kWide) {
        auto       v = take(batch.velocity, i), x = take(batch.displacement, i);
        const Wide vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], ww = v[3] * v[3] + v[4] * v[4] + v[5] * v[5];
        const Wide fastest = max(vv, ww);
        // An explosion is left as it is: the step will be undone.
        const auto fast = (fastest > most * most) & (fastest < wild * wild);
        // Velocities above the cap are scaled; above the bound of divergence they are left for the step's end.
        if (any(fast)) {
            const Wide shrink = fast ? most / sqrt(fast ? fastest : broadcast<Wide>(1)) : broadcast<Wide>(1);
            for (std::size_t k = 0; k < 6; ++k) v[k] *= shrink;
            for (std::size_t k = 0; k < kWide; ++k) slowed += fast[k] && i + k < batch.links.size() ? 1 : 0;
            give(batch.velocity, i, v);
        }
        for (std::size_t k = 0; k < 3; ++k) x[k] += step * v[k];
        // The turn of the substep by its series, on the left of those before.
        // Sine and cosine of half the angle by their series: the angle of a substep is small.
        const Wide  angle = step * sqrt(ww), half2 = Real(0.25) * angle * angle;
        const Wide  sine   = Real(0.5) * step * (1 - half2 * (Real(1.0 / 6) - half2 * (Real(1.0 / 120)))),
                    cosine = 1 - half2 * (Real(0.5) - half2 * (Real(1.0 / 24) - half2 * Real(1.0 / 720)));
        const Wide3 d{sine * v[3], sine * v[4], sine * v[5]}, q{x[3], x[4], x[5]};
        const Wide3 turn = cosine * q + (x[6] * d + cross(d, q));
        const Wide  w    = cosine * x[6] - dot(d, q);
        const Wide  size = 1 / sqrt(dot(turn, turn) + w * w);
        for (std::size_t k = 0; k < 3; ++k) x[3 + k] = size * turn[k];
        x[6] = size * w;
        x[7] += angle;
        turned_most = max(turned_most, x[7]);
        give(batch.displacement, i, x);
    }
    // What was slowed down does not move as its impulses say.
    batch.turns = slowed > 0 || any(turned_most > kRebuildTurn);
    return slowed;
}

}  // namespace mechane::solvers::softstep
