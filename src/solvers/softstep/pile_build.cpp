#include <algorithm>

#include "system.h"
#include "wide.h"

// Rows and bodies of piles, eight at a time. Rows are made once a step, and again where something has turned.

namespace mechane::solvers::softstep {

using namespace wide;

namespace {

/// How a body may turn before its pile's rows are made anew [rad].
constexpr Real kRebuildTurn = Real(0.05);

/// Rotation and inertia of the bodies of one side.
struct Turned {
    std::array<Wide3, 3> turn;
    Wide6                inverse_inertia;
    Wide                 inverse_mass;
};
[[gnu::always_inline]] inline Turned turned(const Pile& pile, const Bundle& b, std::size_t s)
{
    const auto x = gather(pile.pose.data(), b.body[s], kPoseStride),
               y = gather(pile.pose.data() + kWide, b.body[s], kPoseStride);
    return {{{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], y[0]}}}, {y[1], y[2], y[3], y[4], y[5], y[6]}, y[7]};
}

/// The tangents' block inverted, and the step of a row that slips: one over its largest eigenvalue.
struct Block {
    Wides<3> inverse;
    Wide     step;
};
[[gnu::always_inline]] inline Block invert(const Wide& a, const Wide& b, const Wide& c, const Wide& least)
{
    const Wide det = a * c - b * b, half = Real(0.5) * (a - c);
    const auto good = det > least;
    const Wide safe = good ? det : all(1), most = Real(0.5) * (a + c) + root(half * half + b * b);
    return {{good ? c / safe : Wide{}, good ? -b / safe : Wide{}, good ? a / safe : Wide{}},
            most > 0 ? 1 / (most > 0 ? most : all(1)) : Wide{}};
}

/// The point of what rolls that is farthest along `d` (Rolling::farthest).
[[gnu::always_inline]] inline Wide3 touched(const Turned& body, const Wide3& centre, const Wide6& M, const Wide3& d)
{
    const auto& R = body.turn;
    const Wide3 d_B{R[0][0] * d[0] + R[1][0] * d[1] + R[2][0] * d[2], R[0][1] * d[0] + R[1][1] * d[1] + R[2][1] * d[2],
                    R[0][2] * d[0] + R[1][2] * d[1] + R[2][2] * d[2]};
    const Wide3 m  = M * d_B;
    const Wide  dd = dot(d_B, m), scale = 1 / root(dd > 0 ? dd : all(1));
    return centre + scale * m;
}

[[gnu::always_inline]] inline void build_point(const Bundle& b, const std::array<Turned, 2>& bodies,
                                               const std::array<Wide3, 2>& way, const Moving<>& now,
                                               const Wide& lighter, bool first, const PileAxes& axes,
                                               const PileRolling* rolling, PilePoint& p, PileStart& start)
{
    std::array<Wide3, 2> arm;
    for (std::size_t s = 0; s < 2; ++s) {
        const Wide3 core = rolling
                               ? touched(bodies[s], start.core[s], (*rolling)[s], s == 0 ? axes[0] : Wide3{} - axes[0])
                               : start.core[s];
        for (std::size_t k = 0; k < 3; ++k) arm[s][k] = dot(bodies[s].turn[k], core);
        p.arm[s] = arm[s] + (s == 0 ? start.margin[0] : -start.margin[1]) * axes[0];
    }
    if (first) {
        start.arm  = arm;
        p.distance = start.distance;
    } else {
        p.distance =
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
    const auto active = nn > Real(1e-12);
    p.response        = {nn, between(0, 1), between(0, 2), k11, k22};
    // What is ill-conditioned in the arithmetic of a Real needs more of a ridge than in doubles.
    const Wide  ridge   = Real(1e-6) * (k11 + k22) + Real(1e-14);
    const Block tangent = invert(k11 + ridge, k12, k22 + ridge, Wide{});
    p.inverse           = tangent.inverse;
    p.slip_step         = tangent.step;
    const Wide K        = active ? nn : all(1);
    p.mass              = active ? 1 / K : Wide{};
    p.push              = Real(kPushVelocity) * root(smallest(all(1), K * lighter));
    // What is not active has a gap that nothing closes.
    p.distance = active ? p.distance : all(kNoContact);
    if (!first) return;
    // Which friction applies is decided once a step.
    const Wide3 r    = rates(axes, p, now);
    const auto  slow = r[1] * r[1] + r[2] * r[2] < Real(kStickSpeed * kStickSpeed);
    p.mu             = slow ? b.mu_static : b.mu_dynamic;
    for (std::size_t k = 0; k < 3; ++k) p.lambda[k] = active ? p.lambda[k] : Wide{};
}

[[gnu::always_inline]] inline void build_turning(const Bundle& b, const PileAxes& axes, PileSpin& spin)
{
    std::array<Wide3, 3> response;
    for (std::size_t k = 0; k < 3; ++k) response[k] = b.inverse_inertia[0] * axes[k] + b.inverse_inertia[1] * axes[k];
    const Wide  nn = dot(axes[0], response[0]), k11 = dot(axes[1], response[1]), k12 = dot(axes[1], response[2]),
                k22  = dot(axes[2], response[2]);
    const Block disk = invert(k11, k12, k22, Real(1e-6) * k11 * k22);
    spin.mass        = nn > 0 ? 1 / (nn > 0 ? nn : all(1)) : Wide{};
    spin.response    = {nn, k11, k22};
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

MCH_WIDER static void build_part(Pile& pile, bool first, std::size_t begin, std::size_t end)
{
    for (std::size_t at = begin; at < end; ++at) {
        Bundle&                     b = pile.bundles[at];
        const std::array<Turned, 2> bodies{turned(pile, b, 0), turned(pile, b, 1)};
        const Moving<>              now(pile.lonely, b);
        std::array<Wide3, 2>        way;
        for (std::size_t s = 0; s < 2; ++s) {
            b.inverse_inertia[s] = bodies[s].inverse_inertia;
            b.inverse_mass[s]    = bodies[s].inverse_mass;
            if (first) continue;
            const auto w = gather(pile.way.data(), b.body[s]);
            way[s]       = {w[0], w[1], w[2]};
        }
        const Wide most    = largest(b.inverse_mass[0], b.inverse_mass[1]);
        const Wide lighter = 1 / (most > 0 ? most : all(1));
        for (std::int32_t i = 0; i < b.points; ++i) {
            const PileAxes&    axes = pile.axes_of(b, i);
            const PileRolling* rolling =
                b.rolling >= 0 ? &pile.rollings[static_cast<std::size_t>(b.rolling + i)] : nullptr;
            build_point(b, bodies, way, now, lighter, first, axes, rolling,
                        pile.points[static_cast<std::size_t>(b.point + i)],
                        pile.starts[static_cast<std::size_t>(b.point + i)]);
            if (b.spin >= 0) build_turning(b, axes, pile.spins[static_cast<std::size_t>(b.spin + i)]);
        }
    }
}

void build_bundles(Pile& pile, bool first, const tasks::Pool* pool)
{
    tasks::for_chunks(pool, pile.bundles.size(), kPart,
                      [&](std::size_t begin, std::size_t end, std::size_t) { build_part(pile, first, begin, end); });
}

MCH_WIDER static void meet_part(Pile& pile, double h, std::size_t begin, std::size_t end)
{
    const auto step = static_cast<Real>(h);
    for (std::size_t k = begin; k < end; ++k) {
        const Bundle& b = pile.bundles[k];
        if (!any(b.restitution > 0)) continue;
        // What the contacts did in the sub-step before is not yet undone where it is too much: not a speed to rebound
        // from.
        const Moving<> before(pile.before, b), now(pile.lonely, b);
        for (std::int32_t i = 0; i < b.points; ++i) {
            const PilePoint& p     = pile.points[static_cast<std::size_t>(b.point + i)];
            PileStart&       start = pile.starts[static_cast<std::size_t>(b.point + i)];
            const PileAxes&  axes  = pile.axes_of(b, i);
            // As in contact_rows.cpp, `meet`.
            const Wide old = rates(axes, p, before)[0], speed = -rates(axes, p, now)[0];
            const auto hits   = (p.mass > 0) & (b.restitution > 0) & (old < Real(-0.5 * kRestitutionThreshold)) &
                                (speed > Real(kRestitutionThreshold));
            const Wide safe   = hits ? speed : all(1);
            const Wide gained = largest(Wide{}, smallest(safe + old, safe));
            const Wide share  = largest(Wide{}, smallest(p.distance / (step * safe), all(1)));
            const Wide hit    = (safe - gained) + (Real(0.5) + share) * gained;
            start.bounce      = hits ? b.restitution * hit + Real(0.5) * gained : Wide{};
        }
    }
}

void meet_pile(Pile& pile, double h, const tasks::Pool* pool)
{
    tasks::for_chunks(pool, pile.bundles.size(), kPart,
                      [&](std::size_t begin, std::size_t end, std::size_t) { meet_part(pile, h, begin, end); });
}

MCH_WIDER void predict_bodies(Pile& pile, double h, bool keep_push)
{
    const auto step = static_cast<Real>(h);
    for (std::size_t i = 0; i < pile.links.size(); i += kWide) {
        auto       v = take(pile.velocity, i), lonely = take(pile.lonely, i);
        const auto a = take(pile.push, i);
        for (std::size_t k = 0; k < 6; ++k) {
            const Wide pushed = lonely[k];
            lonely[k]         = v[k] + step * a[k];
            v[k]              = keep_push ? lonely[k] + pushed : lonely[k];
        }
        v[6] = Wide{};
        give(pile.velocity, i, v);
        give(pile.lonely, i, lonely);
    }
}

MCH_WIDER int move_bodies(Pile& pile, double h)
{
    const auto     step = static_cast<Real>(h);
    constexpr Real most = static_cast<Real>(kMaxVelocity), wild = static_cast<Real>(kDivergedVelocity);
    int            slowed = 0;
    Wide           turned_most{};
    const auto     count = pile.links.size() + pile.prescribed.size();
    for (std::size_t i = 0; i < count; i += kWide) {
        auto       v = take(pile.velocity, i), x = take(pile.way, i);
        const Wide vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], ww = v[3] * v[3] + v[4] * v[4] + v[5] * v[5];
        const Wide fastest = largest(vv, ww);
        // An explosion is left as it is: the step will be undone.
        const auto fast = (fastest > most * most) & (fastest < wild * wild);
        if (any(fast)) {
            const Wide shrink = fast ? most / root(fast ? fastest : all(1)) : all(1);
            for (std::size_t k = 0; k < 6; ++k) v[k] *= shrink;
            for (std::size_t k = 0; k < kWide; ++k) slowed += fast[k] && i + k < pile.links.size() ? 1 : 0;
            give(pile.velocity, i, v);
        }
        for (std::size_t k = 0; k < 3; ++k) x[k] += step * v[k];
        // The turn of the sub-step by its series, on the left of those before.
        const Wide  angle = step * root(ww), half2 = Real(0.25) * angle * angle;
        const Wide  sine   = Real(0.5) * step * (1 - half2 * (Real(1.0 / 6) - half2 * (Real(1.0 / 120)))),
                    cosine = 1 - half2 * (Real(0.5) - half2 * (Real(1.0 / 24) - half2 * Real(1.0 / 720)));
        const Wide3 d{sine * v[3], sine * v[4], sine * v[5]}, q{x[3], x[4], x[5]};
        const Wide3 turn = cosine * q + (x[6] * d + cross(d, q));
        const Wide  w    = cosine * x[6] - dot(d, q);
        const Wide  size = 1 / root(dot(turn, turn) + w * w);
        for (std::size_t k = 0; k < 3; ++k) x[3 + k] = size * turn[k];
        x[6] = size * w;
        x[7] += angle;
        turned_most = largest(turned_most, x[7]);
        give(pile.way, i, x);
    }
    // What was slowed down does not move as its impulses say.
    pile.turns = slowed > 0 || any(turned_most > kRebuildTurn);
    return slowed;
}

}  // namespace mechane::solvers::softstep
