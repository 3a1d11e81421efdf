#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/browser.h"
#include "cli/command.h"
#include "cli/counted.h"
#include "cli/fraction.h"
#include "cli/interrupt.h"
#include "cli/looks.h"
#include "cli/outputs.h"
#include "cli/output_options.h"
#include "cli/scene_args.h"
#include "cli/view_facts.h"
#include "cli/watch.h"
#include "mechane/run/controllers.h"
#include "mechane/simulation/settings.h"
#include "mechane/viewer/live_session.h"

namespace mechane::cli {
namespace {

struct ViewArgs {
    SceneArgs                  scene;
    viewer::LiveSessionOptions live;
    std::optional<double>      dt;
    std::string                control;
    int                        port       = 0;
    bool                       no_browser = false, no_check = false;
};

/// What the page shows and the session steps, from the options.
/// @return the exit status if one of them is invalid or cannot be read
std::optional<ExitCode> prepare_live(ViewArgs& args, const run::Scene& scene, const run::SceneOptions& options,
                                     Context& context, run::Controlled& controlled, Diagnostics& found)
{
    Io&                         io   = context.io;
    viewer::LiveSessionOptions& live = args.live;
    const auto                  wanted = switches(args.scene, io);
    if (!wanted) return kExitUsage;
    if (!args.control.empty()) {
        auto text = run::read_control_file(args.control);
        if (!text) return io.fail(text.error());
        live.run.control      = *std::move(text);
        live.run.control_name = args.control;
    }
    auto made = run::control(scene,
                             {.switches   = *wanted,
                              .table      = live.run.control,
                              .table_name = args.control,
                              .metre      = stage_in_world(scene).meters_per_unit},
                             run::follower(scene), found);
    if (!made) return io.fail(made.error());
    controlled             = *std::move(made);
    live.run.follow        = controlled.follow;
    live.run.other_columns = controlled.columns;
    live.run.threads       = context.global.threads;
    run::set_step(live.run, run::step_size(scene, args.dt));
    live.page.server.port = args.port;
    live.page.title       = std::filesystem::path(args.scene.file).filename().string();
    if (!args.no_check) live.page.findings = view_findings(*scene.stage, context.global.threads);
    live.source  = args.scene.file;
    live.scene   = to_text(args.scene, context.global);
    live.program = fmt::format("mechane {}", MECHANE_VERSION);
    live.facts   = [&scene, &options](std::int32_t shape) {
        return picked_facts({*scene.stage, options.import, scene.imported, scene.model}, shape);
    };
    live.stop = [] { return Interruptible::asked(); };
    return std::nullopt;
}

int run_view(ViewArgs& args, Context& context)
{
    Io&  io      = context.io;
    auto options = scene_options(args.scene, context);
    if (!options) return kExitUsage;
    options->import.ledger = true;
    Diagnostics found;
    const auto  scene = run::load_scene(args.scene.file, *options, found);
    io.report(found);
    if (!scene) return io.fail(scene.error());
    loading_ended();
    if (const auto free = refuse_read_outputs(context); !free) return io.fail(free.error());

    Diagnostics     running;
    run::Controlled controlled;
    if (const auto wrong = prepare_live(args, *scene, *options, context, controlled, running)) return *wrong;
    found.append(report_looks(scene->model, io));
    const Interruptible scope;
    auto                session = viewer::LiveSession::start(scene->model, args.live, running);
    io.report(running);
    if (!session) return io.fail(session.error());
    io.out(fmt::format("{}\n", (*session)->url()));
    std::fflush(stdout);
    io.say(fmt::format("serving   {} to this machine only, {} · Ctrl-C ends\n",
                       counted(scene->model.body_count(), "body", "bodies"), "the address holds a secret word"));
    if (!args.no_browser && !open_in_browser((*session)->url()))
        io.say("hint      open the address in a browser; over SSH: ssh -L PORT:127.0.0.1:PORT\n");
    const auto ended = (*session)->run();
    io.say(fmt::format("ended     after {}\n", counted(static_cast<std::size_t>((*session)->steps()), "step")));
    return ended ? kExitClean : io.fail(ended.error());
}

}  // namespace

void add_view(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<ViewArgs>();
    CLI::App* verb = app.add_subcommand("view", "Simulate a stage live in a browser: play, drag, inspect");
    add_scene_args(*verb, args->scene);
    verb->add_option("--port", args->port, "Port on the loopback address; 0: a free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    verb->add_flag("--no-browser,--no-open", args->no_browser, "Print the address only");
    verb->add_flag("--framed", args->live.page.server.framed, "Pages of this machine, such as notebooks, may show it in a frame");
    verb->add_flag("--paused", args->live.paused, "Wait for play");
    verb->add_option("--speed", args->live.speed, "Simulated seconds per second")
        ->check(CLI::Range(1e-3, 100.0))
        ->capture_default_str();
    verb->add_flag("--no-check", args->no_check, "Do not look for findings of `check`");
    verb->add_option("--solver", args->live.run.solver, "Solver")->capture_default_str();
    verb->add_option("--dt", args->dt,
                     "Time step [s], such as 0.005 or 1/200; default: that of the stage if it authors one, else 1/60")
        ->transform(without_fraction);
    verb->add_option("--substeps", args->live.run.substeps, "Substeps of the solver in each step, 1 to 64")
        ->capture_default_str();
    verb->add_option("--set", args->live.run.set, "Set PATH.field=value before the first step; may repeat");
    verb->add_option("--control", args->control, "CSV file of commands over time: t,PATH.field,...");
    verb->add_flag("--sleeping", args->live.run.sleeping, "Let islands at rest sleep");
    verb->add_option("--enable", args->scene.enable, "Switch on a controller: PRIM@SECONDS; may repeat");
    verb->add_option("--disable", args->scene.disable, "Switch off a controller; may repeat");
    is_output_file(verb->add_option("-o,--output,--record", args->live.record, "Record to this file, x.mrec, from the start; further recordings get a number"),
                   is_recording, ".mrec");
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_view(*args, context); });
}

}  // namespace mechane::cli
