#pragma once
#include <memory>

#include "mechane/solvers/parameters.h"
#include "mechane/solvers/solver.h"
#include "solvers/softstep/parameters.h"

namespace mechane::solvers::softstep {

/// How its contacts are, and what moves particles beside it; the parameters of `softstep` as numbers.
struct Options {
    RigidIslands rigid_islands = RigidIslands::automatic;
    bool         soft_xpbd     = false;
};
/// Parameters that the choice does not name have their defaults.
Options options_of(const SolverChoice& choice);

/// The default solver: reduced coordinates for trees, soft rows with substeps for contacts and limits, loops eliminated
/// (docs/softstep_method.md). Reports what the model has that it does not honour.
/// @param choice  of softstep
std::unique_ptr<Solver> make(const model::Model& model, const SolverOptions& options, const SolverChoice& choice,
                             Diagnostics& out);

}  // namespace mechane::solvers::softstep
