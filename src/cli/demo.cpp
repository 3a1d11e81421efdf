// `mechane demo`: a first run without any input: a robot is dropped, and pages, pictures and layers of it are written.
// The sample lies beside the program. Commands that are shown are those that work in the user's shell.

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "cli/watch.h"
#include "mechane/core/hash.h"
#include "mechane/simulation/simulate.h"

namespace mechane::cli {
namespace {

namespace fs = std::filesystem;

struct DemoArgs {
    std::string folder = "out";
};

// The folder of samples is known to the one who launched the program, which may be a wheel or a build tree.
std::optional<fs::path> find_sample(const Launch& launch)
{
    std::error_code failed;
    const fs::path  sample = fs::path(launch.samples) / "quadruped" / "quadruped.usda";
    return fs::exists(sample, failed) ? std::optional(sample) : std::nullopt;
}

/// The command by which a user of this shell starts the program.
/// Relative where that is short; from far away the full path is easier to read.
std::string shown_name(const Launch& launch)
{
    std::error_code   failed;
    const std::string shown = fs::relative(launch.program, fs::current_path(failed), failed).string();
    return fmt::format("{}{}{}", failed || shown.starts_with("../..") ? launch.program : shown,
                       launch.before.empty() ? "" : " ", fmt::join(launch.before, " "));
}

int run_demo(const DemoArgs& args, Context& context)
{
    Io&        io     = context.io;
    const auto sample = find_sample(context.launch);
    if (!sample) {
        io.say_error(
            "the sample stage is not beside the program\n  help: keep the folder 'samples' where the build put "
            "it, or build again\n");
        return kExitInput;
    }
    const auto options = scene_options(context);
    if (!options) return kExitUsage;
    std::error_code failed;
    fs::create_directories(args.folder, failed);
    if (failed) {
        io.say_error(fmt::format("cannot make the folder {}: {}\n", args.folder, failed.message()));
        return kExitOutput;
    }

    Diagnostics found;
    const auto  start = std::chrono::steady_clock::now();
    const auto  scene = run::load_scene(sample->string(), *options, found);
    io.report(found);
    if (!scene) return io.fail(scene.error());
    loading_ended();
    run::SimulateOptions run;
    // Four seconds at 1/60 s: the robot falls, lands and stands.
    run.frames   = 240;
    run.threads  = context.global.threads;
    run.progress = [&io](std::int64_t done, std::int64_t total) {
        io.progress("simulating", done, total);
        return true;
    };
    Diagnostics running;
    auto        result = run::simulate(scene->model, run, running);
    io.end_progress();
    io.report(running);
    if (!result) return io.fail(result.error());
    record::Recording& recording = result->recording;
    recording.source             = sample->string();
    const double wall            = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    io.say(
        fmt::format("A robot of {} bodies and {} drives dropped, landed and stood for {:.0f} s; opening, importing and "
                    "simulating it took {:.0f} ms.\n",
                    // Without the six of the floating base.
                    scene->model.body_count(), scene->model.joint_dof_count() - 6,
                    run.dt * static_cast<double>(recording.steps), 1e3 * wall));
    io.say(fmt::format("State hash {}:{}, the same on every run of this build.\n", to_hex(recording.hash),
                       recording.steps));

    // The suffix says which writer is used: page, picture, animation, layer, tables.
    auto         written = nlohmann::json::array();
    const auto   names   = {"quadruped.html", "quadruped.png", "quadruped.apng", "quadruped.usda", "quadruped.json"};
    std::int64_t done_of = 0;
    for (const char* name : names) {
        io.progress("writing", done_of++, static_cast<std::int64_t>(names.size()));
        const std::string file = (fs::path(args.folder) / name).string();
        const auto        done = write_output(file, *scene, recording, context);
        io.end_progress();
        if (!done) return io.fail(done.error());
        written.push_back(file);
        io.say(fmt::format("wrote {}\n", file));
    }
    io.say(fmt::format("It took {:.1f} s with the pictures.\n",
                       std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
    io.say(fmt::format(
        "\nTry next:\n  open {0}/quadruped.html                 in a browser: play, scrub, orbit, overlays\n"
        "  {1} tree {2}\n  {1} sim YOUR_ROBOT.usda --ground -o run.html\n  {1} info YOUR_ROBOT.usda --mass\n",
        args.folder, shown_name(context.launch), fs::relative(*sample, fs::current_path(failed), failed).string()));
    if (context.global.json)
        io.out(nlohmann::json{{"schema", "mechane.demo/1"},
                              {"files", written},
                              {"hash", to_hex(recording.hash)},
                              {"steps", recording.steps}}
                   .dump(1) +
               "\n");
    return result->diverged ? kExitDiverged : kExitClean;
}

}  // namespace

void add_demo(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<DemoArgs>();
    CLI::App* verb = app.add_subcommand("demo", "Drop a robot; write a page, pictures and a USD layer of the run");
    is_output_folder(verb->add_option("-o,--output", args->folder, "Output folder")->capture_default_str());
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_demo(*args, context); });
}

}  // namespace mechane::cli
