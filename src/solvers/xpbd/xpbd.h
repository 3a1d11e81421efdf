#pragma once
#include <memory>

#include "mechane/solvers/parameters.h"
#include "mechane/solvers/solver.h"

namespace mechane::solvers::xpbd {

/// Compliant position projection in maximal coordinates, as Newton 1.8's SolverXPBD (specification "dynamics", 4.1;
/// Macklin, Mueller, Chentanez 2016, "XPBD"; Mueller et al. 2020, "Detailed rigid body simulation with extended
/// position based dynamics").
std::unique_ptr<Solver> make(const model::Model& model, const SolverOptions& options, SolverChoice choice);

}  // namespace mechane::solvers::xpbd
