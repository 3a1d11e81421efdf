// Computing a recording once more and comparing it: hash of every step, frames bit by bit. The first difference ends
// the run, as everything after it differs too.
// Input: model, recording, options; the header says solver, dt, settings and commands. Nothing in a recording is
// trusted (check_recording, read_checkpoint).

#include "mechane/simulation/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mechane/simulation/checkpoint.h"
#include "mechane/simulation/codes.h"
#include "mechane/simulation/recording_check.h"

namespace mechane::run {

record::RecordingHeader recording_header(const model::Model& model, const SimulateOptions& options)
{
    record::RecordingHeader header;
    header.model      = record::model_hash(model);
    header.solver     = options.solver;
    header.dt         = options.dt;
    header.substeps   = options.substeps;
    header.sleeping   = options.sleeping;
    header.keep_pairs = options.keep_pairs;
    header.sweep_fast = options.sweep_fast;
    header.set        = options.set;
    header.control    = options.control;
    if (options.from != nullptr) header.start = record::to_bytes(*options.from);
    return header;
}

namespace {

/// The interval of recorded frames in steps. The first and the last step always have a frame; the second frame gives
/// the interval.
/// Files do not say --every.
std::int64_t spacing(const record::RecordingFile& file)
{
    const std::vector<record::Frame>& frames = file.recording.frames;
    const std::int64_t                steps  = std::max<std::int64_t>(1, file.recording.steps);
    if (frames.size() < 2) return steps;
    const double apart = std::round((frames[1].t - frames[0].t) / file.header.dt);
    return std::clamp(static_cast<std::int64_t>(std::clamp(apart, 1.0, 1e15)), std::int64_t{1}, steps);
}

/// What a recording and a model have in another number. A recording holds of its model a hash alone, so that of equal
/// numbers nothing more can be said.
std::string what_differs(const record::RecordingFile& file, const model::Model& model)
{
    if (file.recording.frames.empty()) return "bodies, joints or shapes have changed";
    const record::Frame& first = file.recording.frames.front();
    const auto           of    = [](std::size_t bodies, std::size_t coordinates) {
        return fmt::format("{} {} and {} {} of joints", bodies, bodies == 1 ? "body" : "bodies", coordinates,
                           coordinates == 1 ? "coordinate" : "coordinates");
    };
    const std::string recorded = of(first.body_q.size(), first.joint_q.size()),
                      now      = of(model.body_count(), model.joint_coord_count());
    return recorded != now ? fmt::format("it has {}, and the stage now {}", recorded, now)
                           : fmt::format(
                                 "the stage has {} as it had, and a mass, a shape, a drive or another value "
                                 "of it is another",
                                 now);
}

}  // namespace

Result<Verification> verify(const model::Model& model, const record::RecordingFile& file, const VerifyOptions& options,
                            Diagnostics& found)
{
    const record::RecordingHeader& header = file.header;
    if (header.model != record::model_hash(model))
        return make_diagnostic(record::kOtherModel, {.layer = header.source}, what_differs(file, model));

    if (auto wrong = record::check_recording(file, model, header.source)) return *wrong;

    std::optional<record::Checkpoint> from;
    if (!header.start.empty()) {
        auto read = record::read_checkpoint(header.start, header.source);
        if (!read) return read.error();
        from = *std::move(read);
    }
    Verification    result;
    SimulateOptions run{.solver        = header.solver,
                        .dt            = header.dt,
                        .frames        = file.recording.steps,
                        .every         = spacing(file),
                        .substeps      = header.substeps,
                        .threads       = options.threads,
                        .set           = header.set,
                        .control       = header.control,
                        .control_name  = header.source,
                        .other_columns = options.other_columns,
                        .sleeping      = header.sleeping,
                        .keep_pairs    = header.keep_pairs,
                        .sweep_fast    = header.sweep_fast,
                        .from          = from ? &*from : nullptr};
    run.keep_frames = false;  // each is compared as it comes
    run.inputs      = file.inputs;
    run.follow      = options.follow;
    run.on_step     = [&](std::int64_t step, std::uint64_t hash) {
        const auto index = static_cast<std::size_t>(step - file.first_step);
        // A file that was cut off has fewer hashes than steps.
        if (index >= file.hashes.size()) return;
        ++result.steps;
        if (file.hashes[index] != hash && result.first_difference < 0) result.first_difference = step;
    };
    run.on_frame = [&](const record::Frame& frame) {
        const auto at = static_cast<std::size_t>(result.frames++);
        if (result.first_frame >= 0 || at >= file.recording.frames.size()) return;
        if (!record::same(file.recording.frames[at], frame)) result.first_frame = static_cast<std::int64_t>(at);
    };
    run.progress = [&](std::int64_t done, std::int64_t total) {
        return result.first_difference < 0 && (!options.progress || options.progress(done, total));
    };
    const auto done = simulate(model, run, found);
    if (!done) return done.error();
    const auto stored = static_cast<std::int64_t>(file.recording.frames.size());
    // A recording with frames that the run did not make is not equal.
    if (result.first_frame < 0 && stored > result.frames) result.first_frame = result.frames;  // more than there were
    result.equal = result.first_difference < 0 && result.first_frame < 0 && file.complete && !file.damage &&
                   result.frames == stored && static_cast<std::size_t>(result.steps) == file.hashes.size();
    return result;
}

}  // namespace mechane::run
