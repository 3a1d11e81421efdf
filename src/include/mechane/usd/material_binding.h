#pragma once
#include "mechane/core/diagnostic.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// What is wrong with the material bindings of a stage: targets that are no Material, prims that bind without
/// MaterialBindingAPI (their bindings count), collections that cannot be evaluated. `Stage::bound_material` leaves
/// faulty bindings out.
void check_material_bindings(const Stage& stage, Diagnostics& found);

}  // namespace mechane::usd
