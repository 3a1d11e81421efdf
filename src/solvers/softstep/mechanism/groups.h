#pragma once
#include "mechane/model/state.h"
#include "solvers/softstep/mechanism/mechanism.h"

namespace mechane::solvers::softstep {

struct System;

void build_system(const model::Model& model, System& system);
/// Reads gains, limits and targets; non-finite commands count as zero. Returns how many there were.
void read_laws(const model::Control& control, Mechanism& system);

/// What steps hand on to each other, from a system of other joints of the same model.
void carry_over(const System& old, System& now);

}  // namespace mechane::solvers::softstep
