// A run before its first step: engine, checkpoint, settings, table of commands, projection onto the joints, in this
// order. The order matters: settings may change what a checkpoint said, and the projection has to see what the settings
// moved.

#include "mechane/simulation/prepared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "mechane/simulation/codes.h"
#include "mechane/solvers/support.h"
#include "simulation/target_range.h"

namespace mechane::run {

void PreparedRun::command(model::State& state, model::Control& control)
{
    // The animation comes before the commands, which have the last word.
    engine->follow();
    if (!table.times.empty()) apply_controls(engine->model(), table, state.time, state, control);
}

namespace {

/// A body's velocity that its joint does not allow, once the body moves as the joint does [m/s, rad/s].
void report_velocity(const model::Model& model, const Setting& setting, const model::State& state, Diagnostics& found)
{
    constexpr double kReported = 1e-3;
    if (setting.field != Field::body_qd) return;
    const auto& v  = setting.values;
    const auto  at = [&](std::size_t i) { return v.size() == 1 ? v[0] : v[i]; };
    const Vec3d linear{at(0), at(1), at(2)}, angular{at(3), at(4), at(5)};
    double      most = 0;
    std::size_t of   = 0;
    for (const std::size_t body : setting.starts) {
        const auto   own = static_cast<Spatiald>(state.body_qd[body]);
        const double off = std::max(length(own.linear - linear), length(own.angular - angular));
        if (off > most) most = off, of = body;
    }
    // Velocities are kept in single precision.
    if (most > kReported + 1e-5 * std::max(length(linear), length(angular)))
        found.add(kSetVelocity, {.prim = model.body_label[of]},
                  fmt::format("'{}': the joint of the body keeps it from this velocity by {:.3g} m/s or rad/s",
                              setting.path, most));
}

}  // namespace

Result<PreparedRun> prepare_run(const model::Model& model, const SimulateOptions& options, model::State& state,
                                model::Control& control, Diagnostics& found)
{
    PreparedRun out;
    auto        engine = simulation::Engine::make(model, state, control,
                                                  {.solver     = options.solver,
                                                   .dt         = options.dt,
                                                   .substeps   = options.substeps,
                                                   .threads    = options.threads,
                                                   .sleeping   = options.sleeping,
                                                   .keep_pairs = options.keep_pairs,
                                                   .sweep_fast = options.sweep_fast,
                                                   .follow     = options.follow},
                                                  found);
    if (!engine) return engine.error();
    out.engine = *std::move(engine);
    // The checkpoint comes before the settings, which are about the run that continues.
    if (options.from != nullptr)
        if (auto resumed = out.engine->resume(*options.from); !resumed) return resumed.error();
    // The engine's model is the animation's copy, if there is one.
    const model::Model& stepped = out.engine->model();
    // What the asset itself says of the start is told before settings change it: they move bodies as asked.
    if (options.from == nullptr && !options.set.empty()) out.engine->check_start(found);
    // A registered solver may read what it likes.
    const bool           known = !solvers::support_of(options.solver).empty();
    std::vector<Setting> settings;
    for (const std::string& text : options.set) {
        const auto setting = parse_setting(stepped, text);
        if (!setting) return setting.error();
        // A command without effect is an error, one beyond a limit a finding.
        if (const auto idle = without_effect(stepped, *setting, options.solver)) return *idle;
        report_beyond_limits(stepped, *setting, found);
        if (known) report_idle_target(stepped, *setting, found);
        apply_setting(stepped, *setting, state, control);
        settings.push_back(*setting);
    }
    if (!options.control.empty()) {
        auto table = parse_control_table(stepped, options.control, options.control_name, options.other_columns);
        if (!table) return table.error();
        out.table = *std::move(table);
        for (const Setting& column : out.table.columns) {
            if (const auto idle = without_effect(stepped, column, options.solver)) return *idle;
            if (known) report_idle_target(stepped, column, found);
        }
        report_beyond_limits(stepped, out.table, found);
    }
    // A checkpoint holds a state that fits its joints.
    if (options.from == nullptr) {
        Diagnostics of_settings;
        out.projected = out.engine->project(options.set.empty() ? found : of_settings);
        for (const Setting& setting : settings) report_velocity(stepped, setting, state, found);
    }
    return out;
}

}  // namespace mechane::run
