#pragma once
#include <memory>

#include "mechane/solvers/parameters.h"
#include "mechane/solvers/solver.h"

namespace mechane::solvers::featherstone {

/// Reduced coordinates with penalty contacts and semi-implicit Euler, as Newton 1.8's SolverFeatherstone (specification
/// "dynamics", 4.3). The primary state is joint_q and joint_qd; bodies without a joint move freely.
/// @error SOLVER_MODEL  the model has enabled joints that close loops, or a follower and its leader in different trees
Result<std::unique_ptr<Solver>> make(const model::Model& model, const SolverOptions& options, SolverChoice choice);

}  // namespace mechane::solvers::featherstone
