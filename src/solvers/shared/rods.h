#pragma once
#include <functional>
#include <memory>

#include "mechane/core/result.h"
#include "mechane/solvers/parameters.h"
#include "mechane/solvers/solver.h"

namespace mechane::solvers {

/// Whether the model has rods.
bool has_rods(const model::Model& model);

using MakeSolver = std::function<Result<std::unique_ptr<Solver>>(const model::Model&)>;

/// Lets a solver that knows ball joints step a model with ROD joints: each becomes a ball joint with the rod's bending
/// and twist as a passive spring about its rest rotation, with its damping. Stretch and shear are rigid. Bodies, shapes
/// and contacts keep their indices; coordinates and dofs of the rods are read back from the bodies.
/// @param make  makes the solver of the model that is handed to it, which lives as long as the solver
Result<std::unique_ptr<Solver>> with_rods(const model::Model& model, const MakeSolver& make);

/// softstep, with rods where the model has some.
/// @param choice  of softstep
std::unique_ptr<Solver> make_softstep(const model::Model& model, const SolverOptions& options,
                                      const SolverChoice& choice, Diagnostics& out);

}  // namespace mechane::solvers
