// Single contacts of free bodies (FreeContact): the storage for worlds with few rows. The law is contact_law.h; linear
// rows are kept once for both bodies, scaled by the roots of their inverse masses.
// Velocities are mass-orthonormal ("whitened"): the first block of a body is sqrt(m) v, the second C^-1 R^T w with
// I^-1 = C C^T. m, I, R: mass, inertia in body axes, rotation; v, w: velocity of the centre of mass, angular velocity.
// What a sweep reads of a contact is in a few cache lines, in the order of the sweeps, since reading them is what a
// step of many contacts costs.

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "solvers/softstep/contact/body_contacts.h"

namespace mechane::solvers::softstep {

namespace {

using Rates = Along<double>;

MCH_INLINE Lanes doubles(const Real* at) { return simd::convert<double>(simd::load<kLanes>(at)); }

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
    // J u with J = (root n, G^T (r x n)) for each body.
    [[gnu::always_inline]] double rate(const FreeContact& c, std::size_t row)
    {
        L[row] = doubles(c.linear[row]);
        A[row] = doubles(c.angular[0][row]);
        Lanes r = L[row] * linear + A[row] * turn0;
        if constexpr (two) {
            B[row] = doubles(c.angular[1][row]);
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
MCH_INLINE double solve(Mechanism& system, FreeContact& c, const Softness& soft, double anchor, double inverse_h,
                        bool relax)
{
    if (relax && c.distance > 0 && is_untouched(c)) return 0;
    const NormalRow<double> normal = stiff_normal(static_cast<double>(c.distance), static_cast<double>(c.mass),
                                                  static_cast<double>(c.push), soft, inverse_h, relax);
    Touched<two>            at(system.u, c);
    const double            r0 = at.rate(c, 0);
    // Most contacts that do not push yet will not in this sweep either: their normal rate says so.
    if (is_idle(c, r0, normal.bias, relax)) return 0;
    const Rates d = solve_point<double>(c, normal, {r0, at.rate(c, 1), at.rate(c, 2)}, anchor, relax);
    if (d[0] != 0 || d[1] != 0 || d[2] != 0) at.push(c, d[0], d[1], d[2]);
    return std::max({std::abs(d[0]) * static_cast<double>(c.K[0]), std::abs(d[1]) * static_cast<double>(c.K[3]),
                     std::abs(d[2]) * static_cast<double>(c.K[4])});
}

template <bool two>
[[gnu::always_inline]] inline Rates rates(std::vector<double>& u, const FreeContact& c)
{
    Touched<two> at(u, c);
    return {at.rate(c, 0), at.rate(c, 1), at.rate(c, 2)};
}

template <bool two>
[[gnu::always_inline]] inline void push(Mechanism& system, const FreeContact& c, double n, double t1, double t2)
{
    Touched<two> at(system.u, c);
    for (std::size_t k = 0; k < 3; ++k) at.rate(c, k);
    at.push(c, n, t1, t2);
}

}  // namespace

void build_free(const Mechanism& system, ContactRow& row, const std::array<Vec3d, 2>& p, FreeContact& c)
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
        // K = 1/m_1 + 1/m_2 on the diagonal plus the turning parts.
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
    c.push      = static_cast<Real>(row.push);
    c.mass      = static_cast<Real>(1 / row.K[0]);
    c.mu        = static_cast<Real>(row.mu);
    c.slip_step = static_cast<Real>(row.slip_step);
    for (std::size_t k = 0; k < 2; ++k) c.drift[k] = static_cast<Real>(row.drift[k]);
    for (std::size_t k = 0; k < 3; ++k) c.inverse[k] = static_cast<Real>(row.inverse[k]);
    c.K = {static_cast<Real>(row.K[0]), static_cast<Real>(row.K[1]), static_cast<Real>(row.K[2]),
           static_cast<Real>(row.K[3]), static_cast<Real>(row.K[5])};
}

/// Only what changes goes back to the row: impulses and drift.
void store_free(const FreeContact& c, ContactRow& row)
{
    row.lambda = c.lambda;
    row.drift  = {static_cast<double>(c.drift[0]), static_cast<double>(c.drift[1])};
}

MCH_CLONES_AVX2 Rates free_rates(std::vector<double>& u, const FreeContact& c)
{ return c.u[1] >= 0 ? rates<true>(u, c) : rates<false>(u, c); }

MCH_CLONES_AVX2 void warm_start_free(Mechanism& system, FreeContact& c)
{
    hold_friction<double>(c);
    if (c.lambda[0] == 0) return;
    if (c.u[1] >= 0)
        push<true>(system, c, c.lambda[0], c.lambda[1], c.lambda[2]);
    else
        push<false>(system, c, c.lambda[0], c.lambda[1], c.lambda[2]);
}

MCH_CLONES_AVX2 double solve_free(Mechanism& system, FreeContact& c, const Softness& soft, double anchor, double inverse_h,
                                  bool relax)
{
    return c.u[1] >= 0 ? solve<true>(system, c, soft, anchor, inverse_h, relax)
                       : solve<false>(system, c, soft, anchor, inverse_h, relax);
}

MCH_CLONES_AVX2 void advance_free(Mechanism& system, FreeContact& c, double h)
{ advance_point<double>(c, c.u[1] >= 0 ? rates<true>(system.u, c) : rates<false>(system.u, c), h); }

MCH_CLONES_AVX2 void bounce_free(Mechanism& system, FreeContact& c, double bounce)
{
    if (bounce <= 0 || c.lambda[0] <= 0) return;
    const double rate  = (c.u[1] >= 0 ? rates<true>(system.u, c) : rates<false>(system.u, c))[0];
    const double delta = bounce_point(c, static_cast<double>(c.mass), rate, bounce);
    if (c.u[1] >= 0)
        push<true>(system, c, delta, 0, 0);
    else
        push<false>(system, c, delta, 0, 0);
}

}  // namespace mechane::solvers::softstep
