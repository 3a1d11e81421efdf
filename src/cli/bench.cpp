// `mechane bench`: how fast a scene is stepped, or how long it takes from a file to a model.
// Inputs: a stage or a built-in scene, solver and step. Outputs: steps per second, times of phases, contacts, rows and
// sweeps of the solver, peak memory, the hash of the state.
// Recording is left out of the times. The hash tells whether two measurements computed the same motion.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/counted.h"
#include "cli/device_option.h"
#include "cli/outputs.h"
#include "cli/scene_args.h"
#include "cli/seconds.h"
#include "cli/watch.h"
#include "mechane/core/hash.h"
#include "mechane/device/device_solver.h"
#include "mechane/run/builtin_scenes.h"
#include "mechane/simulation/simulate.h"
#include "mechane/usd/selections.h"

namespace mechane::cli {
namespace {

struct BenchArgs {
    SceneArgs             scene;
    run::SimulateOptions  run;
    std::optional<double> dt;
    bool                  import = false, slide_only = false;
    std::string           device;
};

double ms_since(std::chrono::steady_clock::time_point start)
{ return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

/// Peak resident memory of this process [MiB].
double peak_mib()
{
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) / 1024;
}

/// The scene, copied once a world.
Result<model::Model> finalized(const model::ModelBuilder& scene, int worlds, Diagnostics& found)
{
    if (worlds == 1) return scene.finalize({}, found);
    model::ModelBuilder copies;
    copies.up_axis = scene.up_axis;
    if (auto copied = copies.replicate(scene, worlds); !copied) return copied.error();
    return copies.finalize({}, found);
}

/// The stage, or the built-in scene of that name; a file wins.
/// @return nothing if an option is invalid; the message has been printed
std::optional<Result<model::Model>> load(BenchArgs& args, Context& context, Diagnostics& found)
{
    if (args.scene.file.empty() && args.scene.ground.empty()) {
        std::string known;
        for (const run::BuiltinScene& scene : run::builtin_scenes())
            known += (known.empty() ? "" : ", ") + std::string(scene.name);
        context.io.say_error(fmt::format("no stage given\n  name a file, or one of the built-in scenes: {}\n", known));
        return std::nullopt;
    }
    const auto options = scene_options(args.scene, context);
    if (!options) return std::nullopt;
    if (args.dt) run::set_step(args.run, {*args.dt, "given"});
    std::error_code none;
    if (!std::filesystem::exists(args.scene.file, none)) {
        const auto named = run::builtin_scene(args.scene.file);
        if (named) return finalized(*named, args.scene.worlds, found);
        // What looks like a file is told as a missing file, anything else as an unknown scene.
        if (args.scene.file.find_first_of("./\\") == std::string::npos) return named.error();
    }
    auto scene = run::load_scene(args.scene.file, *options, found);
    if (!scene) return scene.error();
    run::set_step(args.run, run::step_size(*scene, args.dt));
    loading_ended();
    return std::move(scene->model);
}

/// Steps a scene and prints its speed.
int bench_steps(BenchArgs& args, Context& context)
{
    Io& io = context.io;
    if (const auto fits = fit_device(args.device, args.run); !fits) return io.fail(fits.error());
    auto placed = device::with_device(args.run.solver, args.device);
    if (!placed) return io.fail(placed.error());
    args.run.solver = *std::move(placed);
    Diagnostics found;
    auto        loaded = load(args, context, found);
    if (!loaded) return kExitUsage;
    Result<model::Model>& model = *loaded;
    io.report(found);
    if (!model) return io.fail(model.error());
    if (args.slide_only)
        for (auto* friction : {&model->shape_material_mu_torsional, &model->shape_material_mu_rolling})
            std::fill(friction->begin(), friction->end(), Real(0));
    args.run.threads = context.global.threads;
    // One frame at the start and one at the end: keeping frames is no part of what is measured.
    args.run.every    = std::max<std::int64_t>(1, args.run.frames);
    args.run.progress = [&io](std::int64_t done, std::int64_t total) {
        io.progress("stepping", done, total);
        return true;
    };
    std::vector<double> step_ms;
    auto                before = std::chrono::steady_clock::now();
    args.run.on_step           = [&](std::int64_t, std::uint64_t) {
        step_ms.push_back(ms_since(before));
        before = std::chrono::steady_clock::now();
    };
    Diagnostics running;
    const auto  result = run::simulate(*model, args.run, running);
    io.end_progress();
    io.report(running);
    found.append(running);
    if (!result) return io.fail(result.error());

    const record::Recording& recording = result->recording;
    const auto               steps     = static_cast<double>(recording.steps);
    double                   wall      = 0;
    nlohmann::ordered_json   phases    = nlohmann::ordered_json::object();
    for (const auto& [phase, seconds] : recording.report.wall_s) {
        if (phase == "record") continue;
        wall += seconds;
        phases[phase] = 1e3 * seconds / std::max(1.0, steps);
    }
    const double per_second = wall > 0 ? steps / wall : 0;
    std::sort(step_ms.begin(), step_ms.end());
    // The 95th percentile shows steps that are slow now and then, which a mean hides.
    const double p95  = step_ms.empty() ? 0 : step_ms[(step_ms.size() - 1) * 95 / 100];
    const double rows = static_cast<double>(recording.report.rows) / std::max(1.0, steps);
    // Sweeps are counted over all islands and substeps of the run.
    const double sweeps = static_cast<double>(recording.report.sweeps) / std::max(1.0, steps * args.run.substeps);
    const double most   = static_cast<double>(recording.report.sweeps_most) / args.run.substeps;
    const auto   worlds = static_cast<double>(std::max(1, args.scene.worlds));
    // The figures are what the verb is for: data, unless the same go there as JSON.
    const auto tell = [&](const std::string& line) { context.global.json ? io.say(line) : io.out(line); };
    tell(fmt::format(
        "{} · {} · {} {} · dt {:.6g} s{} · {}\n", args.scene.file, counted(model->body_count(), "body", "bodies"),
        recording.solver, counted(static_cast<std::size_t>(args.run.substeps), "substep"), recording.dt,
        from_stage(recording.report.dt_source), counted(static_cast<std::size_t>(recording.steps), "step")));
    tell(fmt::format("speed     {:.4g} steps/s · {:.4g} world steps/s · {:.4g} body steps/s · {:.4g}x real time\n",
                     per_second, per_second * worlds, per_second * static_cast<double>(model->body_count()),
                     per_second * recording.dt));
    for (const auto& [phase, each] : phases.items())
        tell(fmt::format("time      {:12} {:.4g} ms a step\n", phase, each.get<double>()));
    tell(fmt::format("step      {:.4g} us · 95 % within {:.4g} us\n", 1e6 / std::max(1e-9, per_second), 1e3 * p95));
    tell(fmt::format("contacts  mean {:.1f} · deepest {:.3g} mm\n", recording.report.contacts_mean,
                     1e3 * recording.report.deepest_penetration));
    tell(fmt::format("rows      mean {:.1f} · {:.1f} sweeps per substep over all islands, {:.1f} in the longest step\n",
                     rows, sweeps, most));
    if (recording.report.block_solves + recording.report.block_fallbacks > 0)
        tell(fmt::format("direct    {:.1f} islands solved directly per step · {} left to sweeps\n",
                         static_cast<double>(recording.report.block_solves) / std::max(1.0, steps),
                         recording.report.block_fallbacks));
    tell(fmt::format("memory    {:.1f} MiB at the peak\n", peak_mib()));
    if (context.global.json) {
        nlohmann::ordered_json document{{"schema", "mechane.bench/1"},
                                        {"scene", args.scene.file},
                                        {"solver", recording.solver},
                                        {"threads", args.run.threads},
                                        {"worlds", args.scene.worlds},
                                        {"bodies", model->body_count()},
                                        {"dt", recording.dt},
                                        {"dt_source", recording.report.dt_source},
                                        {"substeps", args.run.substeps},
                                        {"steps", recording.steps},
                                        {"steps_per_s", per_second},
                                        {"body_steps_per_s", per_second * static_cast<double>(model->body_count())},
                                        {"contacts_mean", recording.report.contacts_mean},
                                        {"deepest_penetration", recording.report.deepest_penetration},
                                        {"joint_error_linear", recording.report.joint_error_linear},
                                        {"us_per_step", 1e6 / std::max(1e-9, per_second)},
                                        {"us_per_step_p95", 1e3 * p95},
                                        {"world_steps_per_s", per_second * worlds},
                                        {"real_time_factor", per_second * recording.dt},
                                        {"rows_mean", rows},
                                        {"sweeps_mean", sweeps},
                                        {"sweeps_max", most},
                                        {"block_solves", recording.report.block_solves},
                                        {"block_fallbacks", recording.report.block_fallbacks},
                                        {"peak_mib", peak_mib()},
                                        {"phases_ms", phases},
                                        {"hash", to_hex(recording.hash)}};
        io.out(document.dump(1) + "\n");
    }
    return result->diverged ? kExitDiverged : exit_after(found, context);
}

/// Times a file on its way to a model.
int bench_import(BenchArgs& args, Context& context)
{
    Io&        io      = context.io;
    const auto options = scene_options(args.scene, context);
    if (!options) return kExitUsage;
    nlohmann::ordered_json phases;
    Diagnostics            found;
    const auto             timed = [&](const char* name, auto&& work) {
        const auto start  = std::chrono::steady_clock::now();
        auto       result = work();
        phases[name]      = ms_since(start);
        return result;
    };
    const auto stage = timed("open", [&] { return usd::Stage::open(args.scene.file, options->open); });
    if (!stage) return io.fail(stage.error());
    found.append((*stage)->diagnostics());
    if (const auto wrong = usd::check_selections(**stage, options->open.variant_selections); !wrong.empty())
        return io.fail(*wrong.begin());
    model::ModelBuilder builder;
    const auto          imported =
        timed("import", [&] { return importer::import_usd(**stage, options->import, builder, found); });
    if (!imported) {
        io.report(found);
        return io.fail(imported.error());
    }
    if (options->tell_ignored) run::tell_ignored(*imported, found);
    const auto model = timed("finalize", [&] { return builder.finalize({}, found); });
    if (!model) return io.fail(model.error());
    const auto tell  = [&](const std::string& line) { context.global.json ? io.say(line) : io.out(line); };
    double     total = 0;
    for (const auto& [phase, each] : phases.items()) {
        total += each.get<double>();
        tell(fmt::format("time      {:12} {:.3f} ms\n", phase, each.get<double>()));
    }
    tell(fmt::format("time      {:12} {:.3f} ms · {}, {}, {}\n", "all", total,
                     counted(model->body_count(), "body", "bodies"), counted(model->joint_count(), "joint"),
                     counted(model->shape_count(), "shape")));
    if (context.global.json)
        io.out(nlohmann::ordered_json{{"schema", "mechane.bench.import/1"},
                                      {"scene", args.scene.file},
                                      {"bodies", model->body_count()},
                                      {"joints", model->joint_count()},
                                      {"shapes", model->shape_count()},
                                      {"phases_ms", phases}}
                   .dump(1) +
               "\n");
    io.report(found);
    return exit_after(found, context);
}

}  // namespace

void add_bench(CLI::App& app, Context& context)
{
    auto      args   = std::make_shared<BenchArgs>();
    CLI::App* verb   = app.add_subcommand("bench", "Benchmark: steps per second of a stage or a built-in scene");
    args->run.frames = 1000;
    add_scene_args(*verb, args->scene);
    verb->add_option("--solver", args->run.solver, "Solver, as in sim")->capture_default_str();
    verb->add_option("--device", args->device,
                     "Where to step: cpu, cuda or cuda:N, host, as in sim; the time includes copying the states there "
                     "and back at every step")
        ->default_str("cpu");
    verb->add_option("--dt", args->dt,
                     "Time step [s], such as 0.005 or 1/200; default: that of the stage if it authors one, else 1/60")
        ->transform(in_seconds);
    verb->add_option("--nstep,--frames", args->run.frames, "Number of time steps")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
        ->capture_default_str();
    verb->add_option("--substeps", args->run.substeps, "Substeps of the solver in each step, 1 to 64")
        ->capture_default_str();
    verb->add_option("--nthread", context.global.threads, "Same as --threads");
    verb->add_flag("--sleeping", args->run.sleeping, "Let islands at rest sleep");
    verb->add_flag_callback(
        "--exact-contacts", [args] { args->run.keep_pairs = false; },
        "Disable the contact cache: compute all contacts in every step");
    verb->add_flag_callback(
        "--discrete", [args] { args->run.sweep_fast = false; },
        "Disable continuous collision detection (fast bodies may tunnel)");
    verb->add_flag("--slide-only", args->slide_only, "Sliding friction only, no torsional and rolling friction");
    verb->add_flag("--import", args->import, "Time open, import and finalize instead of steps");
    std::string scenes = "Built-in scenes; name:N sets the size N:\n";
    for (const run::BuiltinScene& scene : run::builtin_scenes())
        scenes += fmt::format("  {:16} {} (N = {})\n", scene.name, scene.meaning, scene.size);
    verb->footer(scenes);
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback(
        [args, &context] { context.exit = args->import ? bench_import(*args, context) : bench_steps(*args, context); });
}

}  // namespace mechane::cli
