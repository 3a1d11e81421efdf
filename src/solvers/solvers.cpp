// The registry of solvers: names, `make_solver`, solvers of the program's own, and the report of features that a solver
// does not honour. Called by simulation/engine.cpp and by bindings.
// A name may carry settings behind a colon ("xpbd:iterations=8"); parameters.cpp reads them. The order of checks is
// name, options, settings, features: a caller sees the first fault.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mechane/solvers/codes.h"
#include "mechane/solvers/mujoco.h"
#include "mechane/solvers/parameters.h"
#include "mechane/solvers/solver.h"
#include "mechane/solvers/support.h"
#include "solvers/featherstone/featherstone.h"
#include "solvers/mujoco/mujoco.h"
#include "solvers/semi_implicit/semi_implicit.h"
#include "solvers/shared/rods.h"
#include "solvers/soft/overlap.h"
#include "solvers/vbd/vbd.h"
#include "solvers/xpbd/xpbd.h"

namespace mechane::solvers {

namespace {
constexpr std::array<std::string_view, 6> kNames{"softstep", "xpbd", "semi-implicit", "featherstone", "vbd", "mujoco"};

/// Solvers of the program's own. What was handed out stays valid: nothing is ever taken away.
/// A deque keeps its elements in place: views that solver_names() handed out go on to be valid when names are added.
struct Registry {
    std::mutex                                        mutex;
    std::deque<std::pair<std::string, SolverFactory>> own;
    std::deque<std::vector<std::string_view>>         lists{{kNames.begin(), kNames.end()}};
};
Registry& registry()
{
    static Registry* const all = new Registry;  // lives as long as the threads that may ask for it
    return *all;
}
SolverFactory own_factory(std::string_view name)
{
    Registry&             all = registry();
    const std::lock_guard lock(all.mutex);
    for (const auto& [known, factory] : all.own)
        if (known == name) return factory;
    return {};
}

/// How many there are and what the first of them are called; things without names of their own have one for all.
std::string count_and_names(const std::vector<std::string_view>& labels)
{
    constexpr std::size_t         kNamed = 5;
    std::vector<std::string_view> names;
    for (const std::string_view label : labels)
        if (names.size() <= kNamed && std::find(names.begin(), names.end(), label) == names.end())
            names.push_back(label);
    if (names.size() == 1 && labels.size() > 1) return std::to_string(labels.size());
    const bool more = names.size() > kNamed;
    if (more) names.pop_back();
    return fmt::format("{}: {}{}", labels.size(), fmt::join(names, ", "), more ? ", ..." : "");
}

/// One diagnostic a feature of the model that the solver does not honour.
/// @param choice  the solver with its parameters, "xpbd:enable_restitution=1"
/// @error SOLVER_MODEL  the first of them, if `strict`
/// Softstep says it by itself (report_features in softstep.cpp) only where its answer depends on more than the table.
Result<void> report_support(std::string_view choice, const model::Model& model, bool strict, Diagnostics& out)
{
    const std::string_view solver = canonical_name(choice.substr(0, choice.find(':')));
    for (const FeatureUse& use : features_of(model)) {
        const auto rows = support_of(choice);
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const SupportRow& r) { return r.feature == use.feature; });
        if (row == rows.end() || row->support == Support::full) continue;
        std::string text =
            fmt::format("{}: {} ({}) {} {}: {}", solver, use.feature->what, count_and_names(use.labels),
                        use.labels.size() == 1 ? "is" : "are", to_string(row->support), row->consequence);
        const Site site{.prim = std::string(use.labels.front())};
        if (strict) return make_diagnostic(kSolverModel, site, std::move(text));
        out.add(row->support == Support::ignored ? kSolverFeature : kSolverApproximates, site, std::move(text));
    }
    return {};
}
}  // namespace

std::span<const std::string_view> solver_names()
{
    Registry&             all = registry();
    const std::lock_guard lock(all.mutex);
    return all.lists.back();
}

Result<void> register_solver(std::string name, SolverFactory factory)
{
    if (!factory)
        return make_diagnostic(kSolverName, {}, "factory: expected a function", "Give one that makes a solver.");
    Registry&             all = registry();
    const std::lock_guard lock(all.mutex);
    const auto&           known = all.lists.back();
    if (name.empty())
        return make_diagnostic(kSolverName, {}, "name: expected a text that is not empty", "Give it a name.");
    if (name.find(':') != std::string::npos)
        return make_diagnostic(kSolverName, {},
                               fmt::format("name: '{}' has a colon, behind which options would stand", name));
    if (std::find(known.begin(), known.end(), canonical_name(name)) != known.end())
        return make_diagnostic(kSolverName, {}, fmt::format("name: '{}' is taken", name));
    all.own.emplace_back(std::move(name), std::move(factory));
    all.lists.push_back(known);
    all.lists.back().push_back(all.own.back().first);
    return {};
}

namespace {
Result<void> check(const model::Model& model, const SolverOptions& options)
{
    if (options.substeps < 1 || options.substeps > 64)
        return make_diagnostic(kSolverModel, {}, fmt::format("substeps is {}, expected 1 to 64", options.substeps));
    if (model.gravity.empty())
        return make_diagnostic(kSolverModel, {},
                               "the model has no gravity entry, expected one per world and one for the global world",
                               "Build models with ModelBuilder::finalize.");
    return {};
}
}  // namespace

Result<std::unique_ptr<Solver>> make_mujoco(std::string_view choice, const model::Model& model,
                                            const SolverOptions& options, MujocoTables tables, Diagnostics& out)
{
    if (auto sound = check(model, options); !sound) return sound.error();
    auto chosen = choose_solver(choice);
    if (!chosen) return chosen.error();
    if (chosen->name != "mujoco")
        return make_diagnostic(kSolverUnknown, {}, fmt::format("'{}' is not the solver mujoco", choice));
    if (auto honoured = report_support(choice, model, options.strict, out); !honoured) return honoured.error();
    return mujoco::make(model, options, *std::move(chosen), std::move(tables), out);
}

namespace {

/// A solver of our own, by its canonical name.
Result<std::unique_ptr<Solver>> make_own(std::string_view is, const model::Model& model, const SolverOptions& options,
                                         SolverChoice choice, Diagnostics& out)
{
    if (is == "semi-implicit") return semi_implicit::make(model, options, std::move(choice));
    if (is == "xpbd") return xpbd::make(model, options, std::move(choice));
    if (is == "featherstone") return featherstone::make(model, options, std::move(choice));
    if (is == "mujoco") return mujoco::make(model, options, std::move(choice), {}, out);
    if (is == "vbd") return vbd::make(model, options, std::move(choice), out);
    // Softstep moves bodies; particles need vbd, with softstep underneath (vbd/vbd.cpp).
    if (model.particle_count() > 0) return vbd::make_with_softstep(model, options, choice, out);
    return make_softstep(model, options, choice, out);
}

}  // namespace

Result<std::unique_ptr<Solver>> make_solver(std::string_view name, const model::Model& model,
                                            const SolverOptions& options, Diagnostics& out)
{
    const SolverFactory own = own_factory(name);
    const auto          is  = std::string(canonical_name(name.substr(0, name.find(':'))));
    if (!own && std::find(kNames.begin(), kNames.end(), is) == kNames.end())
        return make_diagnostic(kSolverUnknown, {}, fmt::format("solver '{}' does not exist", is),
                               fmt::format("Known solvers: {}.", fmt::join(solver_names(), ", ")));
    if (auto sound = check(model, options); !sound) return sound.error();
    if (own) {
        auto made = own(model, options, out);
        if (made && *made == nullptr)
            // A factory of the program's own is not trusted: a null pointer would fail at the first step.
            return make_diagnostic(kSolverModel, {}, fmt::format("solver '{}' made nothing", name));
        return made;
    }
    auto choice = choose_solver(name);
    if (!choice) return choice.error();
    // What the model asks for and the solver does not do.
    Diagnostics told;
    if (auto honoured = report_support(name, model, options.strict, told); !honoured) return honoured.error();
    // With soft_laws=0 particles meet as in Newton, where all pairs push each other; only the other laws leave out
    // pairs that overlap at the start.
    const bool newton = std::any_of(choice->settings.begin(), choice->settings.end(),
                                    [](const auto& one) { return one.name == "soft_laws" && one.value == 0; });
    if (const std::size_t held = model.attachment_particle_body_count(); newton && held > 0) {
        std::string text = fmt::format(
            "{}: particles that are held at bodies ({}) are ignored: with soft_laws=0, as "
            "under Newton 1.8, nothing holds them",
            is, held);
        if (options.strict) return make_diagnostic(kSolverModel, {}, std::move(text));
        told.add(kSolverFeature, {}, std::move(text));
    }
    if (const std::size_t pairs = is == "mujoco" || newton ? 0 : soft::overlapping_at_start(model); pairs > 0)
        told.add(kSolverApproximates, {},
                 fmt::format("{}: {} {} of particles of one soft body start nearer than their radii add up to: they do "
                             "not push each other; a particle_radius below half their distance lets parts of it meet",
                             is, pairs, pairs == 1 ? "pair" : "pairs"));
    Diagnostics of_solver;
    auto        made = make_own(is, model, options, *std::move(choice), of_solver);
    // Of a model that is refused nothing is left out or approximated.
    if (made) out.append(told);
    out.append(of_solver);
    return made;
}

}  // namespace mechane::solvers
