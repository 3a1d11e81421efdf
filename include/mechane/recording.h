#pragma once
#include <cstdint>
#include <string>

#include "mechane/model.h"
#include "mechane/result.h"

namespace mechane {

/// How a recording is computed once more. Step, substeps, solver and start are those of the recording.
struct ReplayOptions {
    /// 0..4096; another number is SIM_OPTION.
    int threads = 0;  ///< 0: all cores; the outcome does not depend on it
};

/// What computing a recording once more showed.
struct [[nodiscard]] Replay {
    /// Every step has the recorded hash, every frame is what was computed, and nothing of the recording is missing.
    bool         equal            = false;
    std::int64_t steps            = 0;   ///< that were run and compared, beside the start
    std::int64_t first_difference = -1;  ///< first step whose hash differs, -1 if none does
    std::int64_t frames           = 0;   ///< that were compared
};

/// Computes a recording of `Simulation::record` or `mechane sim` once more and compares it, bit by bit. What the
/// program wrote between the steps is in the recording; the animation of a stage is the model's.
/// @error RECORD_FILE, RECORD_OTHER_MODEL, RECORD_INCONSISTENT, RECORD_CHECKPOINT, and those of Simulation::make
/// Costs what the run has cost. The file is read once and not written to. A difference is no error but an answer:
/// `equal` is false, and `first_difference` says from which step on. It means that the model, the program, its
/// compiler or the processor's arithmetic is another one, or that the file was changed.
/// @param file   that `Simulation::finish_recording` or `mechane sim -o` published
/// @param model  made as the recorded one was, by `load` with equal options or by the same calls of a builder; what
/// `edit` made of a model cannot be recorded
Result<Replay> replay(const std::string& file, const Model& model, const ReplayOptions& options = {});

}  // namespace mechane
