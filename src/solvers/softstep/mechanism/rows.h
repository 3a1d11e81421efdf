#pragma once
#include "solvers/softstep/mechanism/mechanism.h"

namespace mechane::solvers::softstep {

void build_dof_rows(Mechanism& system, Group& group, double h);
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
