#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/model/model.h"
#include "mechane/simulation/recording_file.h"
#include "mechane/simulation/simulate.h"

namespace mechane::run {

/// What a recording's header says of these options and this model. The caller adds program, source and scene.
record::RecordingHeader recording_header(const model::Model& model, const SimulateOptions& options);

/// The outcome of computing a recording again.
struct Verification {
    bool         equal            = false;  ///< every step has the recorded hash, every frame is what was computed, and
                                            ///< nothing of the recording is missing
    std::int64_t steps            = 0;      ///< that were compared
    std::int64_t first_difference = -1;     ///< first step whose hash differs, -1 if none does
    std::int64_t frames           = 0;      ///< stored frames that were compared
    std::int64_t first_frame      = -1;     ///< first stored frame that is not what was computed, -1 if all are
};

struct VerifyOptions {
    int threads = 0;  ///< 0: all cores; no influence on the outcome
    std::function<bool(std::int64_t done, std::int64_t total)> progress{};  ///< return false to stop early
    Follow                                                     follow{};    ///< as in SimulateOptions
    std::vector<std::string>                                   other_columns{};
};

/// Steps the model as the header says, and compares the hash of every step with the recorded one and every stored frame
/// with what is computed.
/// @error RECORD_OTHER_MODEL  the recording is of another model; RECORD_INCONSISTENT; those of simulate
Result<Verification> verify(const model::Model& model, const record::RecordingFile& file, const VerifyOptions& options,
                            Diagnostics& found);

}  // namespace mechane::run
