// `mechane sim`: simulates a stage and writes what was asked for.
// Order: options that do not need the stage, the stage, options that need its time step, controllers, run, outputs.
// Mistakes are told as early as they can be known, since a run may take hours.
// Exit status: diverged, interrupted, a hash other than expected, findings.
// Contents of a run are told on stderr; tables and JSON that were asked for go to stdout.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/compare.h"
#include "cli/counted.h"
#include "cli/device_option.h"
#include "cli/interrupt.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "cli/scene_args.h"
#include "cli/seconds.h"
#include "cli/sense.h"
#include "cli/sim_hints.h"
#include "cli/watch.h"
#include "mechane/core/hash.h"
#include "mechane/device/device_solver.h"
#include "mechane/importer/codes.h"
#include "mechane/run/codes.h"
#include "mechane/run/controllers.h"
#include "mechane/run/stage_solver.h"
#include "mechane/simulation/checkpoint.h"
#include "mechane/simulation/recording_file.h"
#include "mechane/simulation/settings.h"
#include "mechane/simulation/simulate.h"
#include "mechane/simulation/verify.h"
#include "mechane/solvers/parameters.h"
#include "mechane/solvers/solver.h"

namespace mechane::cli {
namespace {

constexpr double kMostFrames = 1e15;  ///< counts of steps are exact as double

struct SimArgs {
    SceneArgs                scene;
    run::SimulateOptions     options;
    std::optional<double>    dt, duration;
    std::string              control, resume, checkpoint, expect, device;
    std::string              collide = "every-frame";
    std::vector<std::string> outputs;
    Publishing               publishing;
    std::vector<std::string> sensed, solver_options;
    std::string              soft_solver;  ///< a parameter of softstep with a name of its own
    std::string              given_solver;
    bool                     compare = false;
};

/// One table over several solvers.
/// With "all" each solver runs; a single solver is compared with softstep, the default.
ExitCode compare(const SimArgs& args, const run::Scene& scene, const Context& context)
{
    std::vector<std::string> names;
    if (args.options.solver == "all")
        for (const std::string_view name : solvers::solver_names()) names.emplace_back(name);
    else
        names = {"softstep", args.options.solver};
    const auto rows = compare_solvers(scene.model, args.options, names);
    context.io.out(context.global.json ? comparison_json(scene.model, rows) : comparison_text(scene.model, rows));
    const bool diverged = std::any_of(rows.begin(), rows.end(), [](const Comparison& r) { return r.diverged; });
    return diverged ? kExitDiverged : kExitClean;
}

/// Joins --solver, --solver-option and --device to the text that recordings keep.
Result<void> choose_solver(SimArgs& args)
{
    std::vector<std::string> left_out;
    if (!args.checkpoint.empty()) left_out.emplace_back("--checkpoint");
    if (!args.resume.empty()) left_out.emplace_back("--resume");
    if (args.options.solver == "all") left_out.emplace_back("--solver all");
    if (const auto fits = fit_device(args.device, args.options, std::move(left_out)); !fits) return fits;
    if (args.options.solver == "all") return {};
    std::string text = args.options.solver;
    if (!args.soft_solver.empty()) args.solver_options.push_back("soft_solver=" + args.soft_solver);
    // An option is checked by itself, so the message names the one that is wrong.
    for (const std::string& option : args.solver_options) {
        const auto setting = solvers::read_setting(text.substr(0, text.find(':')), option);
        if (!setting) return setting.error();
        text += (text.find(':') == std::string::npos ? ":" : ",") + option;
    }
    args.given_solver = text;
    const auto choice = solvers::choose_solver(text);
    // The canonical text: parameters in the order of their table, defaults left out.
    if (!choice) return choice.error();
    auto placed = device::with_device(solvers::to_text(*choice), args.device);
    if (!placed) return placed.error();
    args.options.solver = *std::move(placed);
    return {};
}

/// "HASH:STEPS" of the state at the end. The hash chains all steps since the start, so those before a checkpoint count.
std::string hash_text_of(const record::Recording& recording, const SimArgs& args)
{
    const std::int64_t before = args.options.from != nullptr ? args.options.from->step : 0;
    return fmt::format("{}:{}", to_hex(recording.hash), before + recording.steps);
}

void summarize(const Context& context, const SimArgs& args, const run::Scene& scene, const run::SimulateResult& result,
               double wall_s)
{
    const record::Recording& recording = result.recording;
    const record::RunReport& report    = recording.report;
    // Simulated time counts the steps that were done, also after an interruption.
    const double simulated = static_cast<double>(recording.steps) * recording.dt;
    const Io&    io        = context.io;
    const auto   steps     = static_cast<std::size_t>(recording.steps);
    const auto   substeps  = static_cast<std::size_t>(args.options.substeps);
    io.say(fmt::format(
        "{} · {} · {} {} · dt {:.6g} s{} · {}\n", args.scene.file, counted(scene.model.body_count(), "body", "bodies"),
        recording.solver, counted(substeps, "substep"), recording.dt, from_stage(report.dt_source),
        args.options.threads == 0 ? "all threads" : counted(static_cast<std::size_t>(args.options.threads), "thread")));
    io.say(fmt::format("read      attributes of {}{}\n", fmt::join(scene.imported.resolvers, ", "),
                       context.global.resolvers.empty() ? " (--resolvers auto)" : ""));
    if (const model::Model& m = scene.model; m.particle_count() > 0)
        io.say(fmt::format("soft      {} with {}, {}, {} {}\n", counted(m.particle_count(), "particle"),
                           counted(m.tri_count(), "triangle"), counted(m.tet_count(), "tetrahedron", "tetrahedra"),
                           counted(m.spring_count(), "spring"),
                           recording.solver.find("soft_solver=") != std::string::npos
                               ? "move by xpbd, in the substeps of softstep"
                           : recording.solver.starts_with("softstep") ? "move by vbd, in the substeps of softstep"
                           : recording.solver.starts_with("mujoco")   ? "stay where they are: mujoco does not step them"
                                                                      : "move by " + recording.solver));
    // Rods are told of as cables, as the user knows them.
    if (const auto rods = static_cast<std::size_t>(
            std::count(scene.model.joint_type.begin(), scene.model.joint_type.end(), model::JointType::rod));
        rods > 0)
        io.say(fmt::format("cables    {} in {}\n", counted(rods, "rod joint"),
                           counted(scene.model.curves.size(), "cable")));
    io.say(fmt::format("ran       {:.3f} s simulated in {:.3f} s ({:.1f}x real time)\n", simulated, wall_s,
                       wall_s > 0 ? simulated / wall_s : 0));
    io.say(
        fmt::format("contacts  collision ran {} · max {} · mean {:.1f} · at the end {:.3g} mm into static shapes, "
                    "{:.3g} mm between "
                    "bodies ({:.3g} mm at the start)\n",
                    counted(steps, "time"), report.contacts_max, report.contacts_mean, 1e3 * report.final_penetration,
                    1e3 * report.final_overlap, 1e3 * report.start_overlap));
    // Ten joints are named, and the others counted.
    constexpr std::size_t kNamed = 10;
    for (std::size_t i = 0; i < std::min(kNamed, report.broken.size()); ++i) {
        const record::BreakEvent& e = report.broken[i];
        io.say(fmt::format("broke     {} at {:.6g} s under {:.4g} N and {:.4g} N m\n",
                           scene.model.joint_label[static_cast<std::size_t>(e.joint)], e.t, e.force, e.torque));
    }
    if (report.broken.size() > kNamed)
        io.say(fmt::format("          and {} more\n", counted(report.broken.size() - kNamed, "joint")));
    if (report.joint_error_linear > 0 || report.joint_error_angular > 0)
        io.say(fmt::format("loops     closed within {:.3g} mm, {:.3g} degrees\n", 1e3 * report.joint_error_linear,
                           report.joint_error_angular / kDegrees));
    io.say(fmt::format("energy    kinetic {:.4g} -> {:.4g} J · potential {:.4g} -> {:.4g} J\n",
                       recording.frames.front().kinetic, recording.frames.back().kinetic,
                       recording.frames.front().potential, recording.frames.back().potential));
    io.say(fmt::format("state     hash {}\n", hash_text_of(recording, args)));
    if (context.global.timings)
        for (const auto& [phase, seconds] : report.wall_s)
            // A mean of all steps.
            io.say(fmt::format("time      {:12} {:.3f} ms a step\n", phase,
                               1e3 * seconds / std::max<double>(1, static_cast<double>(recording.steps))));
}

/// Recordings of every step, written while the simulation runs.
class Recorder {
  public:
    /// Opens every output that is a recording, and has the run tell them its steps.
    /// @error RECORD_WRITE_FAILED
    Result<void> open(const SimArgs& args, const Context& context, const run::Scene& scene,
                      run::SimulateOptions& options)
    {
        for (const std::string& output : args.outputs) {
            if (!is_recording(output)) continue;
            record::RecordingHeader header = run::recording_header(scene.model, options);
            header.program                 = fmt::format("mechane {}", MECHANE_VERSION);
            header.source                  = args.scene.file;
            header.scene                   = to_text(args.scene, context.global);
            auto writer                    = record::RecordingWriter::create(output, header);
            if (!writer) return writer.error();
            writers_.push_back(*std::move(writer));
        }
        if (writers_.empty()) return {};
        // Hash and frame of a step go to the files at once: what was written stays if the run is cut off.
        options.on_step = [this](std::int64_t step, std::uint64_t hash) {
            for (auto& writer : writers_) writer.step(step, hash);
        };
        options.on_frame = [this](const record::Frame& frame) {
            for (auto& writer : writers_) writer.frame(frame);
        };
        return {};
    }
    Result<void> finish()
    {
        for (auto& writer : writers_)
            if (auto done = writer.finish(); !done) return done;
        return {};
    }

  private:
    std::vector<record::RecordingWriter> writers_;
};

/// Derives options that depend on the time step: the number of steps, and how often contacts are computed.
/// @return false if that is impossible, with a message printed
bool set_steps(SimArgs& args, const run::StepSize& step, const Io& io)
{
    run::set_step(args.options, step);
    if (args.duration) {
        // Rounded up, but not by the rounding error of the division: 0.3 s at 0.1 s are three steps.
        const double frames = std::ceil(*args.duration / step.dt - 1e-9);
        if (step.dt > 0 && !(frames >= 0 && frames <= kMostFrames)) {
            io.say_error(fmt::format("--duration {:g} s: the number of steps of {:g} s must be from 0 to {:g}\n",
                                     *args.duration, step.dt, kMostFrames));
            return false;
        }
        if (step.dt > 0) args.options.frames = static_cast<std::int64_t>(frames);  // else dt is refused later
    }
    int substeps = args.options.substeps;
    // Both words are numbers of substeps between two computations of contacts.
    if (args.collide == "every-substep") substeps = 1;
    if (args.collide.starts_with("every:")) substeps = std::atoi(args.collide.c_str() + 6);
    if (const auto good = run::collide_every(args.options, substeps); !good) {
        io.say_error(fmt::format("--collide: {}\n", good.error().message));
        return false;
    }
    return true;
}

/// Reads the files that the options name, and derives the remaining options.
/// @return the exit status if one of them is invalid or cannot be read
std::optional<ExitCode> complete(SimArgs& args, Context& context, std::optional<record::Checkpoint>& from)
{
    Io& io               = context.io;
    args.options.threads = context.global.threads;
    // Errors that do not depend on the stage's time step are reported before the stage is opened.
    // The step is not known yet, so a copy is tried with the one given or the default.
    SimArgs probe = args;
    if (!set_steps(probe, {args.dt.value_or(args.options.dt), {}}, io)) return kExitUsage;
    if (context.global.json && std::find(args.outputs.begin(), args.outputs.end(), "-") != args.outputs.end()) {
        io.say_error(
            "--json and -o - both write to stdout\n  leave one out: --json is the report and the recording, -o - the "
            "recording alone\n");
        return kExitUsage;
    }
    // --json is the output "-.json" unless it was named.
    if (context.global.json && std::find(args.outputs.begin(), args.outputs.end(), "-.json") == args.outputs.end())
        args.outputs.emplace_back("-.json");
    auto wanted = switches(args.scene, io);
    if (!wanted) return kExitUsage;
    args.publishing.switches = *std::move(wanted);
    if (!args.control.empty()) {
        auto text = run::read_control_file(args.control);
        if (!text) return io.fail(text.error());
        args.options.control      = *std::move(text);
        args.options.control_name = args.control;
    }
    if (!args.resume.empty()) {
        auto read = record::read_checkpoint(args.resume);
        if (!read) return io.fail(read.error());
        from              = *std::move(read);
        args.options.from = &*from;
    }
    args.options.keep_end = !args.checkpoint.empty();
    return std::nullopt;
}

/// The commands for the controllers.
run::ControllerOptions controller_options(const SimArgs& args, const run::Scene& scene)
{
    // Metres of a unit of the stage, as commands are in its units.
    return {.switches   = args.publishing.switches,
            .table      = args.options.control,
            .table_name = args.options.control_name,
            .begin      = args.options.from != nullptr ? args.options.from->state.time : 0,
            .metre      = stage_in_world(scene).meters_per_unit};
}

int run_sim(SimArgs& args, Context& context)
{
    Io&                               io      = context.io;
    const auto                        options = scene_options(args.scene, context);
    std::optional<record::Checkpoint> from;
    if (!options) return kExitUsage;
    if (const auto chosen = choose_solver(args); !chosen) return context.io.fail(chosen.error());
    args.compare = args.compare || args.options.solver == "all";
    if (const auto wrong = complete(args, context, from)) return *wrong;

    // `found` is of loading, `running` of the run: both count for the exit status.
    Diagnostics found;
    const auto  scene = run::load_scene(args.scene.file, *options, found);
    io.report(found);
    if (!scene) return io.fail(scene.error());
    loading_ended();
    if (const auto free = refuse_read_outputs(context); !free) return io.fail(free.error());
    if (const auto known = try_sense(scene->model, args.sensed); !known) return io.fail(known.error());

    // Now the step of the stage is known.
    if (!set_steps(args, run::step_size(*scene, args.dt), io)) return kExitUsage;

    Diagnostics              running;
    std::vector<std::string> taken;
    args.options.solver = run::solver_of_stage(*scene, args.options.solver, args.given_solver, taken, running);
    if (!taken.empty()) io.say(fmt::format("solver    {} from the stage\n", fmt::join(taken, ", ")));
    const auto controlled = run::control(*scene, controller_options(args, *scene), run::follower(*scene), running);
    if (!controlled) return io.fail(controlled.error());
    args.options.follow        = controlled->follow;
    args.options.other_columns = controlled->columns;
    if (args.compare) return compare(args, *scene, context);
    // Recordings are written step by step, and the report needs the first frame and the last alone.
    args.options.keep_frames =
        !args.sensed.empty() ||
        std::any_of(args.outputs.begin(), args.outputs.end(), [](const std::string& o) { return !is_recording(o); });
    Recorder recorder;
    if (const auto opened = recorder.open(args, context, *scene, args.options); !opened) return io.fail(opened.error());
    // An interruption ends the run after a step. What was done until then is written like a whole run.
    args.options.progress = [&io](std::int64_t done, std::int64_t total) {
        io.progress("simulating", done, total);
        return !Interruptible::asked();
    };
    const auto start  = std::chrono::steady_clock::now();
    auto       result = [&] {
        const Interruptible scope;
        return run::simulate(scene->model, args.options, running);
    }();
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    io.end_progress();
    io.report(running);
    if (!result) return io.fail(result.error());
    result->recording.source = args.scene.file;

    summarize(context, args, *scene, *result, wall);
    args.publishing.sensors = sense(scene->model, args.sensed, result->recording).value();
    for (const record::SensorTrack& sensor : args.publishing.sensors)
        io.say(fmt::format("sense     {}: {:.4g} N at the end ({:.4g}, {:.4g}, {:.4g})\n", sensor.label,
                           static_cast<double>(length(sensor.force.back())), static_cast<double>(sensor.force.back().x),
                           static_cast<double>(sensor.force.back().y), static_cast<double>(sensor.force.back().z)));
    if (const std::string hint = sim_hint(*scene, result->recording, args.scene.ground_wanted,
                                          found.count(importer::codes::kMujocoFlag.id) > 0);
        !hint.empty())
        io.say(fmt::format("hint      {}\n", hint));
    // Events behind the end of the run never happened.
    for (const run::ControllerEvent& event : controlled->events)
        if (event.time <= result->recording.frames.back().t)
            io.say(fmt::format("control   {} {} at {:g} s\n", event.path, event.on ? "on" : "off", event.time));
    if (const auto finished = recorder.finish(); !finished) return io.fail(finished.error());
    // Recordings have been written step by step; the other formats are made of the whole run.
    for (const std::string& output : args.outputs) {
        if (!is_recording(output))
            if (const auto written = write_output(output, *scene, result->recording, context, args.publishing);
                !written)
                return io.fail(written.error());
        // What goes to standard output, "-" or "-.csv", is no file.
        if (!output.starts_with("-") && output != "/dev/null") io.say(fmt::format("wrote     {}\n", output));
    }
    if (!args.checkpoint.empty()) {
        if (const auto written = record::write_checkpoint(result->end, args.checkpoint); !written)
            return io.fail(written.error());
        io.say(fmt::format("wrote     {}\n", args.checkpoint));
    }
    if (result->diverged) return kExitDiverged;
    if (result->interrupted) return kExitInterrupted;
    if (!args.expect.empty()) {
        const std::string hash = hash_text_of(result->recording, args);
        if (args.expect != hash && args.expect != to_hex(result->recording.hash)) {
            io.say_error(fmt::format("state hash is {}, expected {}\n", hash, args.expect));
            return kExitFindings;
        }
    }
    // A refused controller is a finding although the run went on.
    found.append(running);
    const ExitCode looked_at = exit_after(found, context);
    if (looked_at == kExitInput) return looked_at;
    if (std::any_of(running.begin(), running.end(),
                    [](const Diagnostic& one) { return one.id == run::kControllerRefused.id; }))
        return kExitFindings;
    return looked_at;
}

}  // namespace

void add_sim(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<SimArgs>();
    CLI::App* verb = app.add_subcommand("sim", "Simulate a stage");
    add_scene_args(*verb, args->scene);
    verb->add_option("--solver", args->options.solver,
                     "Solver: softstep, xpbd, semi-implicit, featherstone, vbd, mujoco, or all to compare; "
                     "NAME:PARAMETER=VALUE,... "
                     "sets parameters")
        ->capture_default_str();
    verb->add_flag("--compare", args->compare,
                   "Print a table that compares the solver with softstep, or all solvers with --solver all; nothing "
                   "else is written");
    verb->add_option("--solver-option", args->solver_options,
                     "PARAMETER=VALUE of the solver, repeatable; `mechane doctor --solvers` lists them");
    verb->add_option("--soft-solver", args->soft_solver,
                     "What moves particles in the substeps of softstep: vbd or xpbd; default: vbd");
    verb->add_option("--device", args->device,
                     "Where to step: cpu, cuda or cuda:N (a GPU), host (the GPU's kernels on the CPU); a device needs "
                     "equal worlds and the solver softstep");
    verb->add_option("--dt", args->dt,
                     "Time step [s], such as 0.005 or 1/200; default: that of the stage if it authors one, else 1/60")
        ->transform(in_seconds);
    CLI::Option* frames =
        verb->add_option("--frames,--num-frames", args->options.frames, "Number of time steps")->capture_default_str();
    verb->add_option("--duration", args->duration,
                     "Seconds to simulate, instead of --frames; also as 500ms, 2s or 1min")
        ->transform(in_seconds)
        ->excludes(frames);
    verb->add_option("--every", args->options.every, "Record every k-th step")->capture_default_str();
    verb->add_option("--substeps", args->options.substeps, "Substeps of the solver in each step, 1 to 64")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    verb->add_option("--collide", args->collide,
                     "When contacts are computed: every-frame (each time step), every-substep, every:N substeps")
        ->check([](const std::string& text) {
            const bool known = text == "every-frame" || text == "every-substep" ||
                               (text.size() > 6 && text.starts_with("every:") &&
                                text.find_first_not_of("0123456789", 6) == std::string::npos);
            return known ? std::string() : "expected every-frame, every-substep or every:N, not '" + text + "'";
        })
        ->capture_default_str();
    verb->add_option("--sense", args->sensed,
                     "Record the contact force on a body or shape, in tables and JSON; * and ? stand for any "
                     "characters and for one, PATH=OTHER counts only what OTHER touches; may repeat");
    verb->add_option("--set", args->options.set, "Set PATH.field=value before the first step; may repeat");
    verb->add_option("--control", args->control,
                     "CSV file of commands over time for joints, bodies and controllers: t,PATH.field,...");
    verb->add_flag("--sleeping", args->options.sleeping, "Let islands at rest sleep");
    verb->add_flag_callback(
        "--exact-contacts", [args] { args->options.keep_pairs = false; },
        "Disable the contact cache: compute all contacts in every step");
    verb->add_flag_callback(
        "--discrete", [args] { args->options.sweep_fast = false; },
        "Disable continuous collision detection (fast bodies may tunnel)");
    is_output_file(verb->add_option("--checkpoint", args->checkpoint, "File for the state at the end of the run"));
    verb->add_option("--resume", args->resume, "Continue from a file that --checkpoint wrote, for --frames more steps");
    verb->add_option(
            "--expect", args->expect,
            "Exit with status 1 unless the run ends with this state hash, HASH or HASH:STEPS; steps before --resume "
            "count")
        ->check([](const std::string& text) {
            const std::size_t colon = std::min(text.find(':'), text.size());
            const auto        is    = [](std::string_view part, const char* digits) {
                return !part.empty() && part.find_first_not_of(digits) == std::string_view::npos;
            };
            const std::string_view all = text, hash = all.substr(0, colon);
            const bool             good = hash.size() <= 16 && is(hash, "0123456789abcdef") &&
                                          (colon == all.size() || is(all.substr(colon + 1), "0123456789"));
            return good ? std::string()
                        : "expected the hexadecimal digits of a hash, or these and :STEPS, not '" + text + "'";
        });
    verb->add_option("--enable", args->scene.enable,
                     "Switch on a controller, or a publisher of .mcap: PRIM@SECONDS or TOPIC@SECONDS; may repeat");
    verb->add_option("--disable", args->scene.disable, "Switch off a controller or publisher; may repeat");
    verb->add_option("--interfaces", args->publishing.interfaces,
                     "For .mcap: folder of ROS packages with further message types; may repeat")
        ->check(missing_folder);
    is_output_file(verb->add_option("-o,--output", args->outputs, "Output file, format by extension; may repeat"),
                   is_known_output, known_outputs());
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_sim(*args, context); });
}

}  // namespace mechane::cli
