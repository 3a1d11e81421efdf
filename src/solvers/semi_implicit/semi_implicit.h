#pragma once
#include <memory>

#include "mechane/solvers/parameters.h"
#include "mechane/solvers/solver.h"

namespace mechane::solvers::semi_implicit {

/// Penalty forces in maximal coordinates and semi-implicit Euler, as Newton 1.8's SolverSemiImplicit (specification
/// "dynamics", 4.2). Explicit: stable while h sqrt(k/m) < 2 and h d/m < 2 over everything that pushes a body.
std::unique_ptr<Solver> make(const model::Model& model, const SolverOptions& options, SolverChoice choice);

}  // namespace mechane::solvers::semi_implicit
