// Rows of single dofs: limits (stops or springs), dry friction and velocity limits. The laws are row_law.h; units are
// those of the dof (m, rad; N s, N m s).
//
//     lower limit     rate  v, gap q - lower, l >= 0        friction        rate v, |l| <= h friction
//     upper limit     rate -v, gap upper - q, l >= 0        velocity limit  rate -sign(v) v, bias = limit, l >= 0
//
// q, v: coordinate and rate of the dof; h: substep [s]. Limits of balls are cones (general_rows.cpp).

#include <algorithm>
#include <cmath>

#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/mechanism/row_law.h"
#include "solvers/softstep/mechanism/rows.h"

namespace mechane::solvers::softstep {

namespace {

void build_limit(RowLaw& row, double gap, double rate, const DofLaw& law, double h)
{
    // A stop makes a row while it is still open, so that contacts do not push through it within the substep. A spring
    // has nothing to do before the joint runs into it.
    row.active = law.stiff_limit ? gap + 2 * h * std::min(rate, 0.0) < kLimitReach : gap + h * std::min(rate, 0.0) < 0;
    if (!row.active) {
        row.lambda = 0;
        return;
    }
    row.gap  = gap;
    row.low  = 0;
    row.high = kUnbounded;
    if (law.stiff_limit)
        make_stop(row, gap, h);
    else
        make_spring(row, law.limit_ke, law.limit_kd, gap, 0, h);
}

[[gnu::always_inline]] inline void apply(double* u, const DofRows& rows, double impulse)
{
    if (impulse == 0) return;
    const double*             Y      = rows.Y;
    const std::int32_t*       blocks = rows.blocks;
    const std::int32_t* const end    = blocks + rows.count;
    for (; blocks != end; ++blocks, Y += kLanes) lanes(u + *blocks) += impulse * lanes(Y);
}

/// Of a whitened group.
[[gnu::always_inline]] inline double rate_of(const double* u, const DofRows& rows)
{
    const double*             Y      = rows.Y;
    const std::int32_t*       blocks = rows.blocks;
    const std::int32_t* const end    = blocks + rows.count;
    Lanes                     rate{};
    for (; blocks != end; ++blocks, Y += kLanes) rate += lanes(Y) * lanes(u + *blocks);
    return sum(rate);
}

}  // namespace

bool make_dof_laws(Mechanism& system, std::int32_t k, double h)
{
    const Forest& f = system.forest;
    if (f.model_dof[k] < 0) return false;
    const DofLaw& law  = system.laws[k];
    DofRows&      rows = system.dof_rows[k];
    const double  rate = system.motion.v[k];
    rows.lower.active = rows.upper.active = false;
    if (f.model_coord[k] >= 0 && (law.has_lower || law.has_upper)) {
        const Link&  link = f.links[f.dof_link[k]];
        const double q    = system.motion.q[link.coord + (k - link.dof)];
        if (law.has_lower) build_limit(rows.lower, q - law.lower, rate, law, h);
        if (law.has_upper) build_limit(rows.upper, law.upper - q, -rate, law, h);
    }
    rows.friction.active = law.friction > 0;
    // Near its velocity limit a dof has a row before it is over it: contacts of this substep may speed it up.
    rows.velocity.active = std::abs(rate) > 0.9 * law.velocity_limit && law.velocity_limit > 0;
    rows.active          = rows.lower.active || rows.upper.active || rows.friction.active || rows.velocity.active;
    if (!rows.active) return false;
    // Coulomb: at most h times the friction force in a substep.
    rows.friction.high = h * law.friction;
    rows.friction.low  = -rows.friction.high;
    rows.velocity_sign = rate > 0 ? -1 : 1;
    rows.velocity.bias = rows.velocity.relax_bias = law.velocity_limit;
    rows.velocity.low                             = 0;
    rows.velocity.high                            = kUnbounded;
    rows.velocity.lambda                          = 0;
    return true;
}

bool keep_dof_rows(Mechanism& system, Group& group, std::int32_t dof, double w)
{
    DofRows& rows = system.dof_rows[dof];
    rows.w        = w;
    rows.active   = w > 0;
    if (rows.active) system.active_dofs[group.active_dof_end++] = dof;
    return rows.active;
}

void build_dof_rows(Mechanism& system, Group& group, double h)
{
    group.active_dof_end = group.dof_begin;
    for (std::int32_t k = group.dof_begin; k < group.dof_end; ++k)
        if (make_dof_laws(system, k, h))
            keep_dof_rows(system, group, k, respond_dof(system, group, k, system.dof_rows[k]));
}

double start_dof_rows(DofRows& rows)
{
    rows.friction.lambda = std::clamp(rows.friction.lambda, rows.friction.low, rows.friction.high);
    // Both limits push along opposite directions of one row.
    return (rows.lower.active ? rows.lower.lambda : 0) - (rows.upper.active ? rows.upper.lambda : 0) +
           (rows.friction.active ? rows.friction.lambda : 0);
}

void warm_start_dof_rows(Mechanism& system, const Group& group)
{
    for (std::int32_t i = group.dof_begin; i < group.active_dof_end; ++i) {
        DofRows& rows = system.dof_rows[system.active_dofs[i]];
        apply(system.u.data(), rows, start_dof_rows(rows));
    }
}

MCH_CLONES_AVX2 double solve_dof_rows(Mechanism& system, const Group& group, bool relax)
{
    double              change = 0;
    double* const       u      = system.u.data();
    const std::int32_t *dof    = system.active_dofs.data() + group.dof_begin,
                       *last   = system.active_dofs.data() + group.active_dof_end;
    const bool whitened        = group.whitened;
    for (; dof != last; ++dof) {
        DofRows&     rows = system.dof_rows[*dof];
        // In plain coordinates the rate of a dof is its own number.
        const double rate = whitened ? rate_of(u, rows) : u[group.u_begin + *dof - group.dof_begin];
        solve_dof_laws(rows, rate, relax, change, [&](int, double impulse)
                                                      __attribute__((always_inline)) { apply(u, rows, impulse); });
    }
    return change;
}

void advance_dof_rows(Mechanism& system, const Group& group, double h)
{
    for (std::int32_t i = group.dof_begin; i < group.active_dof_end; ++i) {
        const std::int32_t k    = system.active_dofs[i];
        DofRows&           rows = system.dof_rows[k];
        if (rows.lower.active) advance_stop(rows.lower, system.motion.v[k], h);
        if (rows.upper.active) advance_stop(rows.upper, -system.motion.v[k], h);
    }
}

}  // namespace mechane::solvers::softstep
