#pragma once
#include <memory>

#include "mechane/core/result.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "mechane/simulation/engine.h"
#include "mechane/simulation/settings.h"
#include "mechane/simulation/simulate.h"

namespace mechane::run {

/// A run before its first step. `simulate` goes through it to the end, a live session as the clock and its pages ask.
struct PreparedRun {
    std::unique_ptr<simulation::Engine> engine;  ///< works on the state and controls that it was prepared with
    ControlTable                        table;   ///< commands over time; without times where there are none
    dynamics::Projection projected;  ///< how far bodies were moved onto their joints; nothing after a checkpoint

    /// What the animation and then the table command for the next step; the table has the last word.
    void command(model::State& state, model::Control& control);
};

/// Makes the engine, resumes the checkpoint, applies the settings, reads the table, and moves bodies onto their joints.
/// Left to do are inputs of a recording and `Engine::begin`.
/// @param model, state, control  of the caller, who keeps them as long as the run
/// @param found  gets what settings and commands ask for beyond the limits of their joints
/// @error RUN_ARGUMENT, RUN_SET_UNKNOWN, RUN_CONTROL_FILE, RECORD_CHECKPOINT, and those of solvers::make_solver
Result<PreparedRun> prepare_run(const model::Model& model, const SimulateOptions& options, model::State& state,
                                model::Control& control, Diagnostics& found);

}  // namespace mechane::run
