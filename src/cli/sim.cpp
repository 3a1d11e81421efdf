#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>

#include "cli/command.h"
#include "cli/outputs.h"
#include "mechane/core/hash.h"
#include "mechane/run/simulate.h"

namespace mechane::cli {
namespace {

struct SimArgs {
    std::string              file;
    run::SimulateOptions     options;
    double                   duration = 0;
    bool                     floating = false;
    std::vector<std::string> ground;  ///< empty: no ground; one empty text: default height
    std::string              hold, expect;
    std::vector<std::string> outputs;
    int                      worlds      = 1;
    CLI::Option*             ground_flag = nullptr;
};

std::atomic<bool> g_interrupted{false};
void              on_interrupt(int) { g_interrupted = true; }

std::optional<double> parse_double(const std::string& text)
{
    try {
        std::size_t  used  = 0;
        const double value = std::stod(text, &used);
        if (used == text.size()) return value;
    } catch (const std::exception&) {
    }
    return std::nullopt;
}

/// "KE,KD" or "KE".
std::optional<run::Hold> parse_hold(const std::string& text)
{
    const std::size_t comma = text.find(',');
    const auto        ke    = parse_double(text.substr(0, comma));
    const auto        kd    = comma == std::string::npos ? std::optional(0.0) : parse_double(text.substr(comma + 1));
    if (!ke || !kd) return std::nullopt;
    return run::Hold{*ke, *kd};
}

void summarize(const Context& context, const SimArgs& args, const run::Scene& scene, const run::SimulateResult& result,
               double wall_s)
{
    const record::Recording& recording = result.recording;
    const record::RunReport& report    = recording.report;
    const double             simulated = static_cast<double>(recording.steps) * recording.dt;
    const Io&                io        = context.io;
    io.say(fmt::format("{} · {} bodies · {} {} sub-steps · dt {:.6g} s · {} threads\n", args.file,
                       scene.model.body_count(), recording.solver, args.options.substeps, recording.dt,
                       args.options.threads == 0 ? "all" : std::to_string(args.options.threads)));
    io.say(fmt::format("ran       {:.3f} s simulated in {:.3f} s ({:.1f}x real time)\n", simulated, wall_s,
                       wall_s > 0 ? simulated / wall_s : 0));
    io.say(
        fmt::format("contacts  max {} · mean {:.1f} · at the end {:.3g} mm into static shapes, {:.3g} mm between "
                    "bodies ({:.3g} mm at the start)\n",
                    report.contacts_max, report.contacts_mean, 1e3 * report.final_penetration,
                    1e3 * report.final_overlap, 1e3 * report.start_overlap));
    if (report.joint_error_linear > 0 || report.joint_error_angular > 0)
        io.say(fmt::format("loops     closed within {:.3g} mm, {:.3g} degrees\n", 1e3 * report.joint_error_linear,
                           report.joint_error_angular / kDegrees));
    io.say(fmt::format("energy    kinetic {:.4g} -> {:.4g} J · potential {:.4g} -> {:.4g} J\n",
                       recording.frames.front().kinetic, recording.frames.back().kinetic,
                       recording.frames.front().potential, recording.frames.back().potential));
    io.say(fmt::format("state     hash {}:{}\n", to_hex(recording.hash), recording.steps));
    if (context.global.timings)
        for (const auto& [phase, seconds] : report.wall_s)
            io.say(fmt::format("time      {:12} {:.3f} ms a step\n", phase,
                               1e3 * seconds / std::max<double>(1, static_cast<double>(recording.steps))));
}

int run_sim(SimArgs& args, Context& context)
{
    Io&  io      = context.io;
    auto options = scene_options(context);
    if (!options) return kExitUsage;
    if (args.file.empty() && !args.ground.empty() &&
        !parse_double(args.ground.front())) {  // "--ground FILE": the flag took the file
        args.file = args.ground.front();
        args.ground.clear();
    }
    if (args.file.empty()) {
        io.say("error: no stage was named\n  mechane sim FILE\n");
        return kExitUsage;
    }
    if (args.ground_flag->count() > 0) {
        options->ground = true;
        if (!args.ground.empty() && !args.ground.front().empty()) {
            options->ground_height = parse_double(args.ground.front());
            if (!options->ground_height) {
                io.say(fmt::format(
                    "error: --ground '{}' is no height in metres\n  write the file before --ground, or --ground=Z\n",
                    args.ground.front()));
                return kExitUsage;
            }
        }
    }
    if (!args.hold.empty()) {
        options->hold = parse_hold(args.hold);
        if (!options->hold) {
            io.say(fmt::format("error: --hold '{}' is not of the form KE,KD\n", args.hold));
            return kExitUsage;
        }
    }
    if (args.floating) options->import.floating = true;
    options->worlds      = args.worlds;
    args.options.threads = context.global.threads;
    if (args.duration > 0)
        args.options.frames = static_cast<std::int64_t>(std::ceil(args.duration / args.options.dt - 1e-9));
    if (context.global.json && args.outputs.empty()) args.outputs = {"-.json"};
    for (const std::string& output : args.outputs)
        if (!is_known_output(output)) {
            io.say(fmt::format("error: do not know how to write '{}'\n  formats by extension: {}\n", output,
                               known_outputs()));
            return kExitUsage;
        }

    Diagnostics found;
    const auto  scene = run::load_scene(args.file, *options, found);
    io.report(found);
    if (!scene) return io.fail(scene.error());

    Diagnostics running;
    std::signal(SIGINT, on_interrupt);
    args.options.progress = [&io](std::int64_t done, std::int64_t total) {
        io.progress("simulating", done, total);
        return !g_interrupted;
    };
    const auto   start  = std::chrono::steady_clock::now();
    auto         result = run::simulate(scene->model, args.options, running);
    const double wall   = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    io.end_progress();
    io.report(running);
    if (!result) return io.fail(result.error());
    result->recording.source = args.file;

    summarize(context, args, *scene, *result, wall);
    for (const std::string& output : args.outputs) {
        const auto written = write_output(output, *scene, result->recording, context);
        if (!written) return io.fail(written.error());
        if (output != "-.json" && output != "/dev/null") io.say(fmt::format("wrote     {}\n", output));
    }
    if (result->diverged) return kExitDiverged;
    if (result->interrupted) return kExitInterrupted;
    if (!args.expect.empty()) {
        const std::string hash = fmt::format("{}:{}", to_hex(result->recording.hash), result->recording.steps);
        if (args.expect != hash && args.expect != to_hex(result->recording.hash)) {
            io.say(fmt::format("error: state hash is {}, expected {}\n", hash, args.expect));
            return kExitFindings;
        }
    }
    found.append(running);
    return context.global.strict && found.count(Severity::warning) + found.count(Severity::error) > 0 ? kExitFindings
                                                                                                      : kExitClean;
}

}  // namespace

void add_sim(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<SimArgs>();
    CLI::App* verb = app.add_subcommand("sim", "Simulate a stage");
    verb->add_option("file", args->file, "Stage to simulate (usda, usdc, usd, usdz)");
    verb->add_option("--solver", args->options.solver, "Solver")->capture_default_str();
    verb->add_option("--dt", args->options.dt, "External step [s]")->capture_default_str();
    verb->add_option("--frames,--num-frames", args->options.frames, "External steps")->capture_default_str();
    verb->add_option("--duration", args->duration, "Seconds to simulate, instead of --frames (a trailing s is allowed)")
        ->transform([](std::string text) {
            return !text.empty() && text.back() == 's' ? text.substr(0, text.size() - 1) : text;
        });
    verb->add_option("--every", args->options.every, "Keep every k-th step")->capture_default_str();
    verb->add_option("--substeps", args->options.substeps, "Sub-steps of the solver, 1 to 64")->capture_default_str();
    verb->add_option("--worlds,--world-count", args->worlds, "Copies of the scene, each a world of its own")
        ->capture_default_str();
    args->ground_flag =
        verb->add_option("--ground", args->ground,
                         "Add a static plane; at height Z [m], by default just below the lowest collider")
            ->expected(0, 1);
    verb->add_flag("--floating", args->floating, "Free a robot that is fixed to the world");
    verb->add_option("--hold", args->hold, "KE,KD: drive every joint to its start pose");
    verb->add_option("--set", args->options.set, "PATH.field=value before the first step; may repeat");
    verb->add_option("--control", args->options.control_file, "CSV of commands over time: t,PATH.field,...");
    verb->add_option("--expect", args->expect, "State hash that the run must end with (exit status 1 otherwise)");
    verb->add_option("-o,--output", args->outputs, "File to write, format by extension; may repeat");
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_sim(*args, context); });
}

}  // namespace mechane::cli
