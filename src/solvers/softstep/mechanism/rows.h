#pragma once
#include <algorithm>
#include <cmath>

#include "solvers/softstep/mechanism/mechanism.h"

namespace mechane::solvers::softstep {

/// Laws of the rows of a dof at its present coordinate; returns whether it has any in this substep.
bool make_dof_laws(Mechanism& system, std::int32_t dof, double h);
/// Takes the rows of a dof into its group's list, unless nothing moves it. `w`: the dof's response to itself.
bool keep_dof_rows(Mechanism& system, Group& group, std::int32_t dof, double w);
void build_dof_rows(Mechanism& system, Group& group, double h);
/// What the impulses of the last substep add up to.
double start_dof_rows(DofRows& rows);
/// One sweep over the rows of a dof at `rate`: calls push(which, impulse) for friction, velocity limit, lower and upper
/// limit that change. `change`: the largest of a rate.
template <class Push>
MCH_INLINE void solve_dof_laws(DofRows& rows, double rate, bool relax, double& change, const Push& push)
{
    const auto add = [&](int which, double impulse) __attribute__((always_inline)) {
        if (impulse == 0) return;
        push(which, impulse);
        rate += impulse * rows.w;
        change = std::max(change, std::abs(impulse) * rows.w);
    };
    if (rows.friction.active) add(0, solve_row(rows.friction, rate, rows.w, relax));
    if (rows.velocity.active)
        add(1, rows.velocity_sign * solve_row(rows.velocity, rows.velocity_sign * rate, rows.w, relax));
    if (rows.lower.active) add(2, solve_row(rows.lower, rate, rows.w, relax));
    if (rows.upper.active) add(3, -solve_row(rows.upper, -rate, rows.w, relax));
}
void build_general_row(Mechanism& system, GeneralRow& row, double h);
void advance_general(Mechanism& system, GeneralRow& row, double h);
void warm_start_dof_rows(Mechanism& system, const Group& group);
void warm_start_general(Mechanism& system, GeneralRow& row);
/// The solve functions return the largest velocity that they changed a row by.
double solve_dof_rows(Mechanism& system, const Group& group, bool relax);
/// After positions moved: what is left of the way to each limit.
void   advance_dof_rows(Mechanism& system, const Group& group, double h);
double solve_general(Mechanism& system, GeneralRow& row, bool relax);
/// Which general rows a joint of the model needs; appends them to Mechanism::general.
void list_general_rows(Mechanism& system);

}  // namespace mechane::solvers::softstep
