#pragma once
#include <memory>

#include "mechane/solvers/solver.h"

namespace mechane::solvers::softstep {

/// The default solver: reduced coordinates for trees, soft rows with substeps for contacts and limits, loops eliminated
/// (docs/softstep_method.md). Reports what the model has that it does not honour.
std::unique_ptr<Solver> make(const model::Model& model, const SolverOptions& options, Diagnostics& out);

}  // namespace mechane::solvers::softstep
