#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "mechane/solvers/codes.h"
#include "mechane/solvers/solver.h"
#include "mechane/solvers/support.h"
#include "softstep/softstep.h"

namespace mechane::solvers {

namespace {
constexpr std::array<std::string_view, 1> kNames{"softstep"};

/// One diagnostic a feature of the model that the solver does not honour.
/// @error SOLVER_MODEL  the first of them, if `strict`
Result<void> report_support(std::string_view solver, const model::Model& model, bool strict, Diagnostics& out)
{
    for (const FeatureUse& use : features_of(model)) {
        const auto rows = support_of(solver);
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const SupportRow& r) { return r.feature == use.feature; });
        if (row == rows.end() || row->support == Support::full) continue;
        std::string text =
            fmt::format("{}: {} ({}) {} {}: {}", solver, use.feature->what, use.labels.size(),
                        use.labels.size() == 1 ? "is" : "are", to_string(row->support), row->consequence);
        const Site site{.prim = std::string(use.labels.front())};
        if (strict) return make_diagnostic(kSolverModel, site, std::move(text));
        out.add(row->support == Support::ignored ? kSolverFeature : kSolverApproximates, site, std::move(text));
    }
    return {};
}
}  // namespace

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
    if (auto honoured = report_support(name, model, options.strict, out); !honoured) return honoured.error();
    return softstep::make(model, options, out);
}

}  // namespace mechane::solvers
