#pragma once
#include <memory>

#include "mechane/solvers/parameters.h"
#include "mechane/solvers/solver.h"

/// Vertex block descent (Chen, Liu, Yang, Yuksel 2024, "Vertex Block Descent", ACM TOG 43(4)) for particles.
///
/// An implicit Euler step is the minimum of  sum m/(2 h^2) |x - y|^2 + U(x)  over the positions x, where
/// y = x0 + h v + h^2 (g + f/m). Particles are visited by colours, no two of which share an element; each takes one
/// Newton step on the 3x3 block of that sum, with the others held. Velocities are (x - x0)/h.
///
/// Bodies are stepped by softstep, which gets the forces that particles put on them as external wrenches.
namespace mechane::solvers::vbd {

/// softstep of a model with particles: these move by vbd, both in the same substeps.
/// @param of  the choice of softstep
Result<std::unique_ptr<Solver>> make_with_softstep(const model::Model& model, const SolverOptions& options,
                                                   const SolverChoice& of, Diagnostics& out);
Result<std::unique_ptr<Solver>> make(const model::Model& model, const SolverOptions& options, SolverChoice choice,
                                     Diagnostics& out);

}  // namespace mechane::solvers::vbd
