// `mechane replay`: shows a recording, writes its frames in other formats, computes it again and compares hashes.
// The recording names its scene and options, so it can be opened without them; options given now are added.
// The digest proves that contents are unchanged; with a key it is an HMAC (RFC 2104), which only who has the key can
// make.
// Exit status: findings where a hash or digest differs or the file is damaged.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "cli/scene_args.h"
#include "cli/seconds.h"
#include "cli/watch.h"
#include "mechane/core/hash.h"
#include "mechane/files/codes.h"
#include "mechane/files/inputs.h"
#include "mechane/files/read.h"
#include "mechane/record/codes.h"
#include "mechane/run/controllers.h"
#include "mechane/simulation/recording_check.h"
#include "mechane/simulation/recording_file.h"
#include "mechane/simulation/verify.h"
#include "mechane/usd/codes.h"

namespace mechane::cli {
namespace {

struct ReplayArgs {
    std::string              file, stage;
    std::string              key, expect;
    bool                     verify = false, digest = false;
    double                   from = -std::numeric_limits<double>::infinity();
    double                   to   = std::numeric_limits<double>::infinity();
    std::vector<std::string> outputs;
};

/// Loads the scene as it was opened and changed for the recording.
/// The stage may have been moved; its options are those of the recording.
Result<run::Scene> scene_of(const record::RecordingFile& file, const ReplayArgs& args, Context& context,
                            SceneArgs& scene, Diagnostics& found)
{
    if (!from_text(file.header.scene, scene, context.global))
        return make_diagnostic(
            record::kRecordingFile, {.layer = args.file}, "it has no record of what was simulated",
            "No file describes the model, which a program made. That program computes it once more by "
            "mechane::replay.");
    if (!args.stage.empty()) scene.file = args.stage;
    const auto options = scene_options(scene, context);
    if (!options)
        return make_diagnostic(record::kRecordingFile, {.layer = args.file}, "it has no record of what was simulated");
    return run::load_scene(scene.file, *options, found);
}

/// The commands of its controllers, and their motions.
/// Commands and switches are inputs, which verify has to give at the same steps.
Result<run::Controlled> controlled(const record::RecordingFile& file, const SceneArgs& args, const run::Scene& scene,
                                   const Context& context, Diagnostics& found)
{
    run::ControllerOptions options;
    if (const auto wanted = switches(args, context.io)) options.switches = *wanted;
    options.table      = file.header.control;
    options.table_name = file.header.source;
    options.begin      = file.header.dt * static_cast<double>(file.first_step);
    options.metre      = stage_in_world(scene).meters_per_unit;
    return run::control(scene, options, run::follower(scene), found);
}

/// What a recording holds is data where nothing else was asked for.
void tell(const ReplayArgs& args, const Context& context, const std::string& line)
{ args.outputs.empty() && !context.global.json ? context.io.out(line) : context.io.say(line); }

void summarize(const record::RecordingFile& file, const ReplayArgs& args, const Context& context)
{
    const record::RecordingHeader& header = file.header;
    // Times are products of step and dt, as in the run.
    const double end = header.dt * static_cast<double>(file.first_step + file.recording.steps);
    tell(args, context,
         fmt::format("{} · {} · {} {} substeps · dt {:.6g} s · {}\n", args.file, header.source, header.solver,
                     header.substeps, header.dt, header.program));
    tell(args, context,
         fmt::format("steps     {} to {} ({:.3f} s) · {} frames{}\n", file.first_step,
                     file.first_step + file.recording.steps, end, file.recording.frames.size(),
                     file.complete ? "" : " · not complete"));
    tell(args, context,
         fmt::format("state     hash {}:{}\n", to_hex(file.recording.hash), file.first_step + file.recording.steps));
}

/// The digest that was asked for, or an empty text.
Result<std::string> digest_of(const record::RecordingFile& file, const ReplayArgs& args)
{
    if (!args.digest && args.key.empty() && args.expect.empty()) return std::string();
    std::string key;
    // A key is a short secret; a larger file was named by mistake.
    if (!args.key.empty()) {
        constexpr std::uint64_t kMost = 1 << 20;
        auto                    read  = files::read(args.key, kMost);
        if (!read) return read.error();
        key = *std::move(read);
        if (key.empty()) return make_diagnostic(files::kReadFailed, {.layer = args.key}, "the key file is empty");
    }
    return record::recording_digest(file, key);
}

int run_replay(const ReplayArgs& args, Context& context)
{
    Io&  io   = context.io;
    auto file = record::read_recording(args.file);
    if (!file) return io.fail(file.error());
    if (file->damage) io.report(*file->damage);
    summarize(*file, args, context);
    // The stage is an input too; it is read later.
    // Noted now, so that no output can be named like it.
    files::note_read(args.stage.empty() ? file->header.source : args.stage);
    for (const std::string& output : args.outputs)
        if (const auto refused = files::refuse_input(output); !refused) return io.fail(refused.error());
    const auto digest = digest_of(*file, args);
    if (!digest) return io.fail(digest.error());
    if (!digest->empty())
        tell(args, context, fmt::format("digest    {} {}\n", args.key.empty() ? "sha256" : "hmac-sha256", *digest));
    const bool other = !args.expect.empty() && *digest != args.expect;
    if (other) io.say_error(fmt::format("the digest differs from the expected {}\n", args.expect));

    std::optional<run::Verification> verification;
    Diagnostics                      found;
    // Only these need the model; hashes and digest come from the file alone.
    if (args.verify || !args.outputs.empty()) {
        SceneArgs  scene_args;
        const auto scene = scene_of(*file, args, context, scene_args, found);
        io.report(found);
        if (!scene) return io.fail(scene.error());
        loading_ended();
        if (args.verify) {
            const Interruptible scope;
            Diagnostics         running;
            const auto          control = controlled(*file, scene_args, *scene, context, running);
            if (!control) return io.fail(control.error());
            const auto done = run::verify(scene->model, *file,
                                          {.threads = context.global.threads,
                                           .progress =
                                               [&io](std::int64_t step, std::int64_t total) {
                                                   io.progress("verifying", step, total);
                                                   return !Interruptible::asked();
                                               },
                                           .follow        = control->follow,
                                           .other_columns = control->columns},
                                          running);
            io.end_progress();
            io.report(running);
            found.append(running);
            if (!done) return io.fail(done.error());
            if (Interruptible::asked()) return kExitInterrupted;
            verification = *done;
            // Equal: hashes of all steps, and frames as they are computed from them.
            if (done->equal)
                tell(args, context,
                     fmt::format("verified  {} steps have the recorded hash, {} frames are as computed\n", done->steps,
                                 done->frames));
            else if (done->first_difference < 0 && done->first_frame >= 0)
                io.say_error(fmt::format(
                    "frame {} of the recording differs from the computed one, although the steps have their "
                    "recorded hash: the file was changed\n",
                    done->first_frame));
            else if (done->first_difference >= 0)
                io.say_error(fmt::format("step {} ({:.6g} s) differs from the recording\n", done->first_difference,
                                         file->header.dt * static_cast<double>(done->first_difference)));
            else
                io.say_error(fmt::format("{} steps have the recorded hash; the rest of the recording is missing\n",
                                         done->steps));
        }
        if (auto wrong = record::check_recording(*file, scene->model, args.file)) return io.fail(*wrong);
        // By the times of frames, both ends included.
        record::Recording part = file->recording;
        std::erase_if(part.frames, [&](const record::Frame& f) { return f.t < args.from || f.t > args.to; });
        if (!args.outputs.empty() && part.frames.empty()) {
            io.say_error(fmt::format("the recording has no frame between {:g} s and {:g} s\n", args.from, args.to));
            return kExitUsage;
        }
        for (const std::string& output : args.outputs) {
            if (const auto written = write_output(output, *scene, part, context); !written)
                return io.fail(written.error());
            io.say(fmt::format("wrote     {}\n", output));
        }
    }
    if (context.global.json) {
        nlohmann::ordered_json document{
            {"schema", "mechane.replay/1"},
            {"file", args.file},
            {"source", file->header.source},
            {"solver", file->header.solver},
            {"dt", file->header.dt},
            {"first_step", file->first_step},
            {"steps", file->recording.steps},
            {"frames", file->recording.frames.size()},
            {"complete", file->complete},
            {"hash", to_hex(file->recording.hash)},
            {"digest", digest->empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(*digest)},
            {"verified", nullptr}};
        if (verification)
            document["verified"] = {{"equal", verification->equal},
                                    {"steps", verification->steps},
                                    {"frames", verification->frames},
                                    {"first_frame_difference", verification->first_frame < 0
                                                                   ? nlohmann::ordered_json(nullptr)
                                                                   : nlohmann::ordered_json(verification->first_frame)},
                                    {"first_difference", verification->first_difference < 0
                                                             ? nlohmann::ordered_json(nullptr)
                                                             : nlohmann::ordered_json(verification->first_difference)}};
        io.out(document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
    if ((verification && !verification->equal) || file->damage || other) return kExitFindings;
    return exit_after(found, context);
}

}  // namespace

void add_replay(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<ReplayArgs>();
    CLI::App* verb = app.add_subcommand("replay", "Show a recording, convert its frames, or verify it");
    verb->add_option("file", args->file, "Recording written by `mechane sim -o FILE.mrec`")->required();
    verb->add_flag("--verify", args->verify, "Compute every step again and compare its hash with the recorded one");
    verb->add_flag("--digest", args->digest, "Print the SHA-256 of the recording's contents");
    verb->add_option("--key", args->key, "Key file: the digest becomes an HMAC-SHA256 with this key");
    verb->add_option("--expect", args->expect, "Exit with status 1 unless the digest is this one");
    verb->add_option("--stage", args->stage, "The stage, if it was moved since the recording");
    verb->add_option("--from", args->from, "First time to write [s]")->transform(in_seconds);
    verb->add_option("--to", args->to, "Last time to write [s]")->transform(in_seconds);
    is_output_file(
        verb->add_option("-o,--output", args->outputs, "Output file for the frames, format by extension; may repeat"),
        [](const std::string& output) { return is_known_output(output) && !is_recording(output); }, known_outputs());
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_replay(*args, context); });
}

}  // namespace mechane::cli
