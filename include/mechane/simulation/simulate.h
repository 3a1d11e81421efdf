#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/model/model.h"
#include "mechane/simulation/checkpoint.h"
#include "mechane/simulation/engine.h"
#include "mechane/simulation/recording.h"

namespace mechane::run {

using simulation::Follow;

/// What a run in one call takes; programs that write between steps use `Simulation`, which runs the same loop.
struct SimulateOptions {
    std::string              solver = "softstep";  ///< or, on a device, "softstep@cuda:0" (device::with_device)
    double                   dt     = 1.0 / 60;    ///< external step [s]; `set_step` takes that of a stage
    std::string              dt_source{};          ///< where it comes from, for the report; may be empty
    std::int64_t             frames   = 120;       ///< external steps
    std::int64_t             every    = 1;         ///< keep every k-th step (the first and the last always)
    int                      substeps = 8;         ///< 1..64
    int                      threads  = 0;         ///< 0: all cores
    std::vector<std::string> set{};                ///< "PATH.field=value", applied before the first step
    std::string              control{};            ///< CSV of commands over time: its text, or empty
    std::string              control_name{};       ///< where it comes from, for diagnostics
    std::vector<std::string> other_columns{};      ///< of `control`, that `follow` reads
    bool                     sleeping = false;     ///< islands that have come to rest are left out
    /// Off: contacts of all pairs are found anew in each step, for comparisons. An animation turns it off by itself.
    bool keep_pairs = true;  ///< pairs at rest keep their contacts
    /// Off: what crosses more than the speculative reach in one step may pass through.
    bool sweep_fast = true;  ///< fast bodies are followed along their way
    /// Read during the call only.
    const record::Checkpoint* from     = nullptr;  ///< to go on from: `frames` more steps
    bool                      keep_end = false;    ///< fill SimulateResult::end
    /// Off: the recording holds its first and last frame; `on_frame` is told all that `every` asks for.
    bool keep_frames = true;
    /// A run whose frames would take more memory than this is refused before its first step, contacts not counted.
    std::uint64_t most_frame_bytes = std::uint64_t{8} << 30;  ///< [bytes]

    /// What a program wrote between the steps of a recording, given again at the same steps; the last word.
    std::span<const record::StepInput> inputs{};

    Follow follow{};  ///< called before each step; the control table has the last word
    /// Told each state as it comes: the start is step 0, or that of the checkpoint; `hash` is chained up to it.
    std::function<void(std::int64_t step, std::uint64_t hash)> on_step{};
    /// Told each frame that is kept.
    std::function<void(const record::Frame&)> on_frame{};
    /// Called after every step; return false to stop early (the recording ends there).
    std::function<bool(std::int64_t done, std::int64_t total)> progress{};
};

/// Has a run look for contacts every n substeps instead of once an external step: makes the step n substeps long and
/// their number larger, so that time, substeps and kept frames stay what they were.
/// @error RUN_ARGUMENT  n does not divide the number of substeps
Result<void> collide_every(SimulateOptions& options, int substeps);

/// The outcome of a run. When it diverged the recording ends with the last good state.
struct SimulateResult {
    record::Recording recording;
    /// Also where single worlds stopped while the others went on to the end; `found` then has RUN_WORLD_DIVERGED.
    bool diverged = false;
    /// `progress` asked for it.
    bool               interrupted = false;
    record::Checkpoint end;  ///< what a further run may go on from
    double             projected_linear  = 0,
                       projected_angular = 0;  ///< how far authored poses were moved onto the joints [m], [rad]
};

/// Runs the loop: collide, step, record. The same model and options give the same hash for any number of threads.
/// A run that resumes a checkpoint ends with the state and hash of one that was never interrupted.
/// @error RUN_ARGUMENT, RUN_SET_UNKNOWN, RUN_CONTROL_FILE, RECORD_CHECKPOINT, and those of solvers::make_solver
/// @param found  gets what was corrected at the start, what diverged (RUN_DIVERGED), joints that broke and overflows
/// A divergence is no error of this function: see `SimulateResult::diverged`.
Result<SimulateResult> simulate(const model::Model& model, const SimulateOptions& options, Diagnostics& found);

}  // namespace mechane::run
