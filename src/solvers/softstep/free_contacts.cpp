#include <algorithm>
#include <cmath>
#include <type_traits>

#include "system.h"

// Contacts of bodies that hang in no tree of several links, which piles are made of. What a sweep reads of one is in a
// few cache lines, in the order of the sweeps: a pile of a thousand boxes has tens of thousands, and reading them is
// what its step costs.

namespace mechane::solvers::softstep {

namespace {

using Rates = std::array<double, 3>;

using RealLanes [[gnu::vector_size(kLanes * sizeof(Real)), gnu::aligned(alignof(Real)), gnu::may_alias]] = Real;

[[gnu::always_inline]] inline void load(const Real* at, Lanes& out)
{ out = __builtin_convertvector(*reinterpret_cast<const RealLanes*>(at), Lanes); }

/// The velocities that a contact touches, and what it does to them.
template <bool two>
struct Touched {
    double *first, *second;
    Lanes   linear, turn0, turn1, L[3], A[3], B[3];

    [[gnu::always_inline]] Touched(std::vector<double>& u, const FreeContact& c)
        : first(u.data() + c.u[0]), second(two ? u.data() + c.u[1] : nullptr)
    {
        linear = static_cast<double>(c.root[0]) * lanes(first);
        turn0  = lanes(first + kLanes);
        if constexpr (two) {
            linear += static_cast<double>(c.root[1]) * lanes(second);
            turn1 = lanes(second + kLanes);
        }
    }
    [[gnu::always_inline]] double rate(const FreeContact& c, std::size_t row)
    {
        load(c.linear[row], L[row]);
        load(c.angular[0][row], A[row]);
        Lanes r = L[row] * linear + A[row] * turn0;
        if constexpr (two) {
            load(c.angular[1][row], B[row]);
            r += B[row] * turn1;
        }
        return static_cast<double>(c.base[row]) + sum(r);
    }
    /// After the rates of all three rows were asked for.
    [[gnu::always_inline]] void push(const FreeContact& c, double n, double t1, double t2)
    {
        const Lanes force = n * L[0] + t1 * L[1] + t2 * L[2];
        lanes(first) += static_cast<double>(c.root[0]) * force;
        lanes(first + kLanes) = turn0 + (n * A[0] + t1 * A[1] + t2 * A[2]);
        if constexpr (two) {
            lanes(second) += static_cast<double>(c.root[1]) * force;
            lanes(second + kLanes) = turn1 + (n * B[0] + t1 * B[1] + t2 * B[2]);
        }
    }
};

template <bool two>
[[gnu::always_inline]] inline double solve(System& system, FreeContact& c, const Softness& soft, double anchor,
                                           bool relax)
{
    const double n = c.lambda[0], t1 = c.lambda[1], t2 = c.lambda[2];
    const bool   open = c.distance > 0, fresh = n == 0;
    const auto   bias = static_cast<double>(c.bias);
    if (fresh && relax && open && t1 == 0 && t2 == 0) return 0;
    Touched<two> at(system.u, c);
    double       r0 = at.rate(c, 0);
    // Most contacts that do not push yet will not in this sweep either: their normal rate says so.
    if (fresh && t1 == 0 && t2 == 0 && r0 + bias >= 0) return 0;
    double r1 = at.rate(c, 1), r2 = at.rate(c, 2);

    const auto   K0 = static_cast<double>(c.K[0]), K1 = static_cast<double>(c.K[1]), K2 = static_cast<double>(c.K[2]);
    const bool   rigid = relax || open;
    const double mass  = (rigid ? 1 : soft.mass_scale) * static_cast<double>(c.mass);
    double       dn    = 0;
    const auto   push  = [&] {
        // A contact that this sub-step did not reach is the next one's business.
        if (relax && fresh && open) return;
        dn = std::max(0.0, n - mass * (r0 + bias) - (rigid ? 0 : soft.impulse_scale) * n) - n;
        r0 += K0 * dn;
        r1 += K1 * dn;
        r2 += K2 * dn;
    };
    // A contact without a normal force yet has no friction to offer, so there the normal comes first; else it comes
    // last and wins.
    if (fresh) push();
    double d1 = 0, d2 = 0;
    if (c.mu > 0) {
        const double e1    = r1 + anchor * static_cast<double>(c.drift[0]),
                     e2    = r2 + anchor * static_cast<double>(c.drift[1]);
        const double bound = static_cast<double>(c.mu) * (n + dn);
        const auto   a = static_cast<double>(c.inverse[0]), b = static_cast<double>(c.inverse[1]),
                     d  = static_cast<double>(c.inverse[2]);
        double       l1 = t1 - (a * e1 + b * e2), l2 = t2 - (b * e1 + d * e2);
        if (l1 * l1 + l2 * l2 > bound * bound) {
            // It slips, against the velocity (contact_rows.cpp).
            const auto step   = static_cast<double>(c.slip_step);
            l1                = t1 - step * r1;
            l2                = t2 - step * r2;
            const double size = std::sqrt(l1 * l1 + l2 * l2);
            if (size > bound) {
                l1 *= bound / size;
                l2 *= bound / size;
            }
            c.drift[0] = c.drift[1] = 0;
        }
        d1 = l1 - t1;
        d2 = l2 - t2;
        r0 += K1 * d1 + K2 * d2;
        c.lambda[1] = l1;
        c.lambda[2] = l2;
    }
    if (!fresh) push();
    c.lambda[0] = n + dn;
    if (dn != 0 || d1 != 0 || d2 != 0) at.push(c, dn, d1, d2);
    return std::max(
        {std::abs(dn) * K0, std::abs(d1) * static_cast<double>(c.K[3]), std::abs(d2) * static_cast<double>(c.K[4])});
}

template <bool two>
[[gnu::always_inline]] inline Rates rates(std::vector<double>& u, const FreeContact& c)
{
    Touched<two> at(u, c);
    return {at.rate(c, 0), at.rate(c, 1), at.rate(c, 2)};
}

template <bool two>
[[gnu::always_inline]] inline void push(System& system, const FreeContact& c, double n, double t1, double t2)
{
    Touched<two> at(system.u, c);
    for (std::size_t k = 0; k < 3; ++k) at.rate(c, k);
    at.push(c, n, t1, t2);
}

}  // namespace

void build_free(const System& system, ContactRow& row, const std::array<Vec3d, 2>& p, FreeContact& c)
{
    const std::array<Vec3d, 3> directions{row.n, row.t1, row.t2};
    // The first seat is a body's, the second may be nobody's.
    const std::array<std::size_t, 2> side =
        row.link[0] >= 0 ? std::array<std::size_t, 2>{0, 1} : std::array<std::size_t, 2>{1, 0};
    double                inverse_mass = 0;
    std::array<double, 6> K{};
    for (std::size_t d = 0; d < 3; ++d) {
        c.linear[d][0] = static_cast<Real>(directions[d].x);
        c.linear[d][1] = static_cast<Real>(directions[d].y);
        c.linear[d][2] = static_cast<Real>(directions[d].z);
        c.linear[d][3] = 0;
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const std::size_t  s    = side[i];
        const std::int32_t link = row.link[s];
        c.u[i]                  = -1;
        if (link < 0) continue;
        const std::int32_t tree = system.forest.links[link].tree;
        const double       sign = s == 0 ? -1 : 1, inverse_root = system.inverse_root_mass[tree];
        const Mat33d&      G = system.spin_root[tree];
        const Vec3d        r = p[s] - system.motion.com_W[link];
        c.u[i]               = system.groups[system.forest.trees[tree].group].u_begin;
        c.root[i]            = static_cast<Real>(sign * inverse_root);
        inverse_mass += inverse_root * inverse_root;
        std::array<Vec3d, 3> turn;
        for (std::size_t d = 0; d < 3; ++d) {
            turn[d]            = sign * transpose_times(G, cross(r, directions[d]));
            c.angular[i][d][0] = static_cast<Real>(turn[d].x);
            c.angular[i][d][1] = static_cast<Real>(turn[d].y);
            c.angular[i][d][2] = static_cast<Real>(turn[d].z);
            c.angular[i][d][3] = 0;
        }
        K[0] += dot(turn[0], turn[0]);
        K[1] += dot(turn[0], turn[1]);
        K[2] += dot(turn[0], turn[2]);
        K[3] += dot(turn[1], turn[1]);
        K[4] += dot(turn[1], turn[2]);
        K[5] += dot(turn[2], turn[2]);
    }
    for (const std::size_t k : {std::size_t{0}, std::size_t{3}, std::size_t{5}}) K[k] += inverse_mass;
    row.K = K;
    for (std::size_t d = 0; d < 3; ++d) c.base[d] = static_cast<Real>(row.base[d]);
}

void load_free(const ContactRow& row, FreeContact& c)
{
    for (std::size_t d = 0; d < 3; ++d) c.base[d] = static_cast<Real>(row.base[d]);
    c.lambda    = row.lambda;
    c.distance  = static_cast<Real>(row.distance);
    c.bias      = static_cast<Real>(row.normal.bias);
    c.mass      = static_cast<Real>(1 / row.K[0]);
    c.mu        = static_cast<Real>(row.mu);
    c.slip_step = static_cast<Real>(row.slip_step);
    for (std::size_t k = 0; k < 2; ++k) c.drift[k] = static_cast<Real>(row.drift[k]);
    for (std::size_t k = 0; k < 3; ++k) c.inverse[k] = static_cast<Real>(row.Kt_inv[k]);
    c.K = {static_cast<Real>(row.K[0]), static_cast<Real>(row.K[1]), static_cast<Real>(row.K[2]),
           static_cast<Real>(row.K[3]), static_cast<Real>(row.K[5])};
}

void store_free(const FreeContact& c, ContactRow& row)
{
    row.lambda = c.lambda;
    row.drift  = {static_cast<double>(c.drift[0]), static_cast<double>(c.drift[1])};
}

MCH_WIDE std::array<double, 3> free_rates(std::vector<double>& u, const FreeContact& c)
{ return c.u[1] >= 0 ? rates<true>(u, c) : rates<false>(u, c); }

MCH_WIDE void warm_start_free(System& system, FreeContact& c)
{
    // Friction that an earlier step needed must fit this step's normal force.
    const double bound = static_cast<double>(c.mu) * c.lambda[0],
                 t     = std::sqrt(c.lambda[1] * c.lambda[1] + c.lambda[2] * c.lambda[2]);
    if (t > bound) {
        c.lambda[1] *= bound / t;
        c.lambda[2] *= bound / t;
    }
    if (c.lambda[0] == 0) return;
    if (c.u[1] >= 0)
        push<true>(system, c, c.lambda[0], c.lambda[1], c.lambda[2]);
    else
        push<false>(system, c, c.lambda[0], c.lambda[1], c.lambda[2]);
}

MCH_WIDE double solve_free(System& system, FreeContact& c, const Softness& soft, double anchor, bool relax)
{ return c.u[1] >= 0 ? solve<true>(system, c, soft, anchor, relax) : solve<false>(system, c, soft, anchor, relax); }

MCH_WIDE void advance_free(System& system, FreeContact& c, double h)
{
    const Rates  r        = c.u[1] >= 0 ? rates<true>(system.u, c) : rates<false>(system.u, c);
    const double distance = static_cast<double>(c.distance) + h * r[0];
    c.distance            = static_cast<Real>(distance);
    c.bias                = static_cast<Real>(std::max(distance, 0.0) / h);
    if (c.lambda[0] > 0) {
        c.drift[0] += static_cast<Real>(h * r[1]);
        c.drift[1] += static_cast<Real>(h * r[2]);
    } else {
        c.drift[0] = c.drift[1] = 0;
    }
}

MCH_WIDE void bounce_free(System& system, FreeContact& c, double bounce)
{
    if (bounce <= 0 || c.lambda[0] <= 0) return;
    const double rate   = (c.u[1] >= 0 ? rates<true>(system.u, c) : rates<false>(system.u, c))[0];
    const double normal = std::max(0.0, c.lambda[0] - (rate - bounce) * static_cast<double>(c.mass));
    const double delta  = normal - c.lambda[0];
    c.lambda[0]         = normal;
    if (c.u[1] >= 0)
        push<true>(system, c, delta, 0, 0);
    else
        push<false>(system, c, delta, 0, 0);
}

}  // namespace mechane::solvers::softstep
