// A run before its first step: engine, checkpoint, settings, table of commands, projection onto the joints, in this
// order. The order matters: settings may change what a checkpoint said, and the projection has to see what the settings
// moved.

#include "mechane/simulation/prepared_run.h"

#include <utility>

#include "simulation/target_range.h"

namespace mechane::run {

void PreparedRun::command(model::State& state, model::Control& control)
{
    // The animation comes before the commands, which have the last word.
    engine->follow();
    if (!table.times.empty()) apply_controls(engine->model(), table, state.time, state, control);
}

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
    for (const std::string& text : options.set) {
        const auto setting = parse_setting(stepped, text);
        if (!setting) return setting.error();
        // A command without effect is an error, one beyond a limit a finding.
        if (const auto idle = without_effect(stepped, *setting, options.solver)) return *idle;
        report_beyond_limits(stepped, *setting, found);
        apply_setting(stepped, *setting, state, control);
    }
    if (!options.control.empty()) {
        auto table = parse_control_table(stepped, options.control, options.control_name, options.other_columns);
        if (!table) return table.error();
        out.table = *std::move(table);
        for (const Setting& column : out.table.columns)
            if (const auto idle = without_effect(stepped, column, options.solver)) return *idle;
        report_beyond_limits(stepped, out.table, found);
    }
    // A checkpoint holds a state that fits its joints.
    if (options.from == nullptr) out.projected = out.engine->project(found);
    return out;
}

}  // namespace mechane::run
