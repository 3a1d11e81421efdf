#pragma once
#include "mechane/core/result.h"
#include "solvers/mujoco/backend.h"

namespace mechane::solvers::mujoco {

/// The library of this process.
/// @error SOLVER_UNAVAILABLE
Result<const Backend*> library();

}  // namespace mechane::solvers::mujoco
