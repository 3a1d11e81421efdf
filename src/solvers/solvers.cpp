#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "mechane/solvers/codes.h"
#include "mechane/solvers/solver.h"
#include "softstep/softstep.h"

namespace mechane::solvers {

namespace {
constexpr std::array<std::string_view, 1> kNames{"softstep"};
}

std::span<const std::string_view> solver_names() { return kNames; }

Result<std::unique_ptr<Solver>> make_solver(std::string_view name, const model::Model& model,
                                            const SolverOptions& options, Diagnostics& out)
{
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
        return make_diagnostic(kSolverUnknown, {}, fmt::format("solver '{}' does not exist", name),
                               fmt::format("Known solvers: {}.", fmt::join(kNames, ", ")));
    if (options.substeps < 1 || options.substeps > 64)
        return make_diagnostic(kSolverModel, {}, fmt::format("substeps is {}, expected 1 to 64", options.substeps));
    if (model.gravity.empty())
        return make_diagnostic(kSolverModel, {},
                               "the model has no gravity entry, expected one per world and one for the global world",
                               "Build models with ModelBuilder::finalize.");
    return softstep::make(model, options, out);
}

}  // namespace mechane::solvers
