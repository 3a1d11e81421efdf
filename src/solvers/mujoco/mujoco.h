#pragma once
#include "mechane/core/result.h"
#include "mechane/solvers/mujoco.h"
#include "mechane/solvers/parameters.h"
#include "mechane/solvers/solver.h"

namespace mechane::solvers::mujoco {

/// MuJoCo's step, a library that is loaded at run time. See docs/solvers.md.
/// @error SOLVER_UNAVAILABLE, SOLVER_MODEL
Result<std::unique_ptr<Solver>> make(const model::Model& model, const SolverOptions& options, SolverChoice choice,
                                     MujocoTables tables, Diagnostics& out);

}  // namespace mechane::solvers::mujoco
