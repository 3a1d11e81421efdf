#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/scene_args.h"
#include "mechane/core/hash.h"
#include "mechane/record/codes.h"
#include "mechane/record/recording_file.h"
#include "mechane/run/controllers.h"
#include "mechane/run/verify.h"

namespace mechane::cli {
namespace {

struct ReplayArgs {
    std::string              file, stage;
    bool                     verify = false;
    double                   from   = -std::numeric_limits<double>::infinity();
    double                   to     = std::numeric_limits<double>::infinity();
    std::vector<std::string> outputs;
};

std::atomic<bool> g_interrupted{false};
void              on_interrupt(int) { g_interrupted = true; }

/// Loads what was simulated, as it was opened and changed then.
Result<run::Scene> scene_of(const record::RecordingFile& file, const ReplayArgs& args, Context& context,
                            SceneArgs& scene, Diagnostics& found)
{
    if (!from_text(file.header.scene, scene, context.global))
        return make_diagnostic(record::kRecordingFile, {.layer = args.file}, "it does not say what was simulated");
    if (!args.stage.empty()) scene.file = args.stage;
    const auto options = scene_options(scene, context);
    if (!options)
        return make_diagnostic(record::kRecordingFile, {.layer = args.file}, "it does not say what was simulated");
    return run::load_scene(scene.file, *options, found);
}

/// What its controllers were told, and did.
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

void summarize(const record::RecordingFile& file, const ReplayArgs& args, const Io& io)
{
    const record::RecordingHeader& header = file.header;
    const double                   end    = header.dt * static_cast<double>(file.first_step + file.recording.steps);
    io.say(fmt::format("{} · {} · {} {} sub-steps · dt {:.6g} s · {}\n", args.file, header.source, header.solver,
                       header.substeps, header.dt, header.program));
    io.say(fmt::format("steps     {} to {} ({:.3f} s) · {} frames{}\n", file.first_step,
                       file.first_step + file.recording.steps, end, file.recording.frames.size(),
                       file.complete ? "" : " · not complete"));
    io.say(fmt::format("state     hash {}:{}\n", to_hex(file.recording.hash), file.recording.steps));
}

int run_replay(const ReplayArgs& args, Context& context)
{
    Io& io = context.io;
    for (const std::string& output : args.outputs)
        if (!is_known_output(output) || is_recording(output)) {
            io.say_error(
                fmt::format("do not know how to write '{}'\n  formats by extension: {}\n", output, known_outputs()));
            return kExitUsage;
        }
    auto file = record::read_recording(args.file);
    if (!file) return io.fail(file.error());
    if (file->damage) io.report(*file->damage);
    summarize(*file, args, io);

    std::optional<run::Verification> verification;
    if (args.verify || !args.outputs.empty()) {
        Diagnostics found;
        SceneArgs   scene_args;
        const auto  scene = scene_of(*file, args, context, scene_args, found);
        io.report(found);
        if (!scene) return io.fail(scene.error());
        if (args.verify) {
            std::signal(SIGINT, on_interrupt);
            Diagnostics running;
            const auto  control = controlled(*file, scene_args, *scene, context, running);
            if (!control) return io.fail(control.error());
            const auto done = run::verify(scene->model, *file,
                                          {.threads = context.global.threads,
                                           .progress =
                                               [&io](std::int64_t step, std::int64_t total) {
                                                   io.progress("verifying", step, total);
                                                   return !g_interrupted;
                                               },
                                           .follow        = control->follow,
                                           .other_columns = control->columns},
                                          running);
            io.end_progress();
            if (!done) return io.fail(done.error());
            if (g_interrupted) return kExitInterrupted;
            verification = *done;
            if (done->equal)
                io.say(fmt::format("verified  {} steps have the recorded hash\n", done->steps));
            else if (done->first_difference >= 0)
                io.say_error(fmt::format("step {} ({:.6g} s) differs from the recording\n", done->first_difference,
                                         file->header.dt * static_cast<double>(done->first_difference)));
            else
                io.say_error(fmt::format("{} steps have the recorded hash, the rest of the recording is missing\n",
                                         done->steps));
        }
        record::Recording part = file->recording;
        std::erase_if(part.frames, [&](const record::Frame& f) { return f.t < args.from || f.t > args.to; });
        if (!args.outputs.empty() && part.frames.empty()) {
            io.say_error(fmt::format("no frame lies between {:g} s and {:g} s\n", args.from, args.to));
            return kExitUsage;
        }
        for (const std::string& output : args.outputs) {
            if (const auto written = write_output(output, *scene, part, context); !written)
                return io.fail(written.error());
            io.say(fmt::format("wrote     {}\n", output));
        }
    }
    if (context.global.json) {
        nlohmann::ordered_json document{{"schema", "mechane.replay/1"},
                                        {"file", args.file},
                                        {"source", file->header.source},
                                        {"solver", file->header.solver},
                                        {"dt", file->header.dt},
                                        {"first_step", file->first_step},
                                        {"steps", file->recording.steps},
                                        {"frames", file->recording.frames.size()},
                                        {"complete", file->complete},
                                        {"hash", to_hex(file->recording.hash)},
                                        {"verified", nullptr}};
        if (verification)
            document["verified"] = {{"equal", verification->equal},
                                    {"steps", verification->steps},
                                    {"first_difference", verification->first_difference < 0
                                                             ? nlohmann::ordered_json(nullptr)
                                                             : nlohmann::ordered_json(verification->first_difference)}};
        io.out(document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
    return (verification && !verification->equal) || file->damage ? kExitFindings : kExitClean;
}

}  // namespace

void add_replay(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<ReplayArgs>();
    CLI::App* verb = app.add_subcommand("replay", "Play a recording again; verify it");
    verb->add_option("file", args->file, "Recording that `mechane sim -o FILE.mrec` wrote")->required();
    verb->add_flag("--verify", args->verify, "Compute every step once more and compare its hash with the recorded one");
    verb->add_option("--stage", args->stage, "The stage, if it no longer lies where it was recorded");
    verb->add_option("--from", args->from, "First time that is written [s]");
    verb->add_option("--to", args->to, "Last time that is written [s]");
    verb->add_option("-o,--output", args->outputs, "File to write the frames to, format by extension; may repeat");
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_replay(*args, context); });
}

}  // namespace mechane::cli
