#include "mechane/run/verify.h"

#include <algorithm>
#include <optional>

#include "mechane/record/checkpoint.h"
#include "mechane/record/codes.h"

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

Result<Verification> verify(const model::Model& model, const record::RecordingFile& file, const VerifyOptions& options,
                            Diagnostics& found)
{
    const record::RecordingHeader& header = file.header;
    if (header.model != record::model_hash(model))
        return make_diagnostic(record::kOtherModel, {.layer = header.source}, "bodies, joints or shapes have changed");

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
                        .every         = std::max<std::int64_t>(1, file.recording.steps),
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
    run.follow  = options.follow;
    run.on_step = [&](std::int64_t step, std::uint64_t hash) {
        const auto index = static_cast<std::size_t>(step - file.first_step);
        if (index >= file.hashes.size()) return;
        ++result.steps;
        if (file.hashes[index] != hash && result.first_difference < 0) result.first_difference = step;
    };
    run.progress = [&](std::int64_t done, std::int64_t total) {
        return result.first_difference < 0 && (!options.progress || options.progress(done, total));
    };
    const auto done = simulate(model, run, found);
    if (!done) return done.error();
    result.equal = result.first_difference < 0 && file.complete && !file.damage &&
                   static_cast<std::size_t>(result.steps) == file.hashes.size();
    return result;
}

}  // namespace mechane::run
