// mechane::replay: computes a recording once more and compares every bit (run/verify). The model must be the recorded
// one; its animation is part of it.

#include "mechane/recording.h"

#include <fmt/format.h>

#include <algorithm>

#include "mechane/simulation/codes.h"
#include "mechane/simulation/model_parts.h"
#include "mechane/simulation/recording_file.h"
#include "mechane/simulation/verify.h"

namespace mechane {

Result<Replay> replay(const std::string& file, const Model& model, const ReplayOptions& options)
{
    if (options.threads < 0 || options.threads > 4096)
        return make_diagnostic(simulation::kOption, {},
                               fmt::format("threads: {} is not in 0 (all cores) to 4096", options.threads));
    const auto recording = record::read_recording(file);
    if (!recording) return recording.error();
    Diagnostics        notes;
    run::VerifyOptions how;
    how.threads     = options.threads;
    how.follow      = model.parts().animation;
    const auto done = run::verify(model.arrays(), *recording, how, notes);
    if (!done) return done.error();
    return Replay{.equal            = done->equal,
                  .steps            = std::max<std::int64_t>(done->steps - 1, 0),  // the start has a hash too
                  .first_difference = done->first_difference,
                  .frames           = done->frames};
}

}  // namespace mechane
