// `mechane view`: simulates a stage live for a page in the browser, with ROS if asked for.
// It serves this machine only; the address that is printed holds the token. The page gets findings of check and
// explains values of what is picked.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/browser.h"
#include "cli/command.h"
#include "cli/counted.h"
#include "cli/interrupt.h"
#include "cli/looks.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "cli/ros_dds.h"
#include "cli/ros_node.h"
#include "cli/ros_websocket.h"
#include "cli/scene_args.h"
#include "cli/seconds.h"
#include "cli/view.h"
#include "cli/view_facts.h"
#include "cli/watch.h"
#include "mechane/exporter/export.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/importer/collision_solids.h"
#include "mechane/run/controllers.h"
#include "mechane/simulation/settings.h"
#include "mechane/viewer/live_session.h"

namespace mechane::cli {
namespace {

/// The controllers as the page lists them, and the way of its commands to them.
void offer_controllers(ViewArgs& args, const run::Controlled& controlled, const std::shared_ptr<run::LiveInbox>& inbox)
{
    // Without authored limits a stick moves wheels at a moderate speed.
    constexpr double         kTurn = 1.5;  // [rad/s]
    nlohmann::json           list  = nlohmann::json::array();
    std::vector<std::size_t> which;
    for (std::size_t c = 0; c < controlled.controllers.size(); ++c) {
        const run::LiveController& one = controlled.controllers[c];
        if (one.kind != ros::ControllerKind::diff_drive) continue;
        list.push_back({{"path", one.path},
                        {"linear", one.linear_speed > 0 ? one.linear_speed : one.wheel_speed},
                        {"angular", one.angular_speed > 0 ? one.angular_speed : kTurn},
                        {"dofs", one.dofs}});
        which.push_back(c);
    }
    args.live.page.controllers = list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    args.live.drive            = [inbox, which](std::int32_t controller, double linear, double angular) {
        inbox->waiting.push_back(
            {.controller = which[static_cast<std::size_t>(controller)], .linear = linear, .angular = angular});
    };
}

/// The URDF of the stage's robot; empty where it cannot be one.
std::string robot_description(const std::shared_ptr<const usd::Stage>& stage)
{
    Diagnostics told;  // by the import, whose model the page shows
    auto        robot = exporter::robot_of_stage(*stage, importer::collision_solids(stage, told));
    if (!robot) return {};
    sourceformats::LossReport losses;
    auto written = exporter::write_robot(robot->tree, exporter::Format::urdf, "robot.urdf", {}, losses);
    return written && !written->files.empty() ? written->files.front().content : std::string();
}

/// The topics that the stage speaks, and what carries them.
/// @return the exit status if one of the carriers cannot begin
std::optional<ExitCode> open_ros(ViewArgs& args, const run::Scene& scene, const run::Controlled& controlled,
                                 const std::shared_ptr<run::LiveInbox>& inbox, const std::vector<run::Switch>& wanted,
                                 Context& context, std::string& address)
{
    Io&         io = context.io;
    Diagnostics found;
    auto        node = std::make_shared<RosNode>(scene, stage_in_world(scene), ros::TypeTable(args.ros.interfaces),
                                                 RosNode::Options{.switches          = wanted,
                                                                  .controllers       = controlled.controllers,
                                                                  .inbox             = inbox,
                                                                  .robot_description = robot_description(scene.stage),
                                                                  .alone             = args.ros.dds || args.ros.alone,
                                                                  .tell = [&io](const Diagnostic& d) { io.report(d); }},
                                                 found);
    auto        server = RosWebSocket::open(*node, args.ros.port, args.ros.origins);
    if (!server) return io.fail(server.error());
    address = fmt::format("ws://127.0.0.1:{}", server->port);
    node->add(std::move(server->carrier));
    if (args.ros.dds) {
        // The highest domain of DDS whose ports are valid.
        constexpr int     kMostDomain = 232;
        const char*       id          = std::getenv("ROS_DOMAIN_ID");
        const std::string text        = id != nullptr ? id : "";
        const bool        number =
            !text.empty() && text.size() < 4 && text.find_first_not_of("0123456789") == std::string::npos;
        if (!text.empty() && (!number || std::stoi(text) > kMostDomain)) {
            io.say_error(fmt::format("ROS_DOMAIN_ID is '{}'; expected 0 to {}", text, kMostDomain));
            return kExitUsage;
        }
        auto dds = open_dds(*node, number ? std::stoi(text) : 0, found);
        if (!dds) return io.fail(dds.error());
        node->add(*std::move(dds));
    }
    io.report(found);
    for (const RosTopic& topic : node->topics())
        io.say(fmt::format("{} {:36} {}\n", topic.published ? "publishes" : "hears    ", topic.name, topic.type));
    for (const std::string& action : node->actions())
        io.say(fmt::format("serves    {:36} control_msgs/action/FollowJointTrajectory\n", action));
    args.live.guests.push_back(std::move(node));
    return std::nullopt;
}

/// What the page shows and the session steps, from the options.
/// @return the exit status if one of them is invalid or cannot be read
std::optional<ExitCode> prepare_live(ViewArgs& args, const run::Scene& scene, const run::SceneOptions& options,
                                     Context& context, run::Controlled& controlled, Diagnostics& found,
                                     std::string& address)
{
    Io&                         io     = context.io;
    viewer::LiveSessionOptions& live   = args.live;
    const auto                  wanted = switches(args.scene, io);
    const auto                  inbox  = std::make_shared<run::LiveInbox>();
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
                              .metre      = stage_in_world(scene).meters_per_unit,
                              .inbox      = inbox},
                             run::follower(scene), found);
    if (!made) return io.fail(made.error());
    controlled             = *std::move(made);
    live.run.follow        = controlled.follow;
    live.run.other_columns = controlled.columns;
    live.run.threads       = context.global.threads;
    run::set_step(live.run, run::step_size(scene, args.dt));
    live.page.server.port = args.port;
    live.page.title       = std::filesystem::path(args.scene.file).filename().string();
    live.page.looks       = looks_of(scene);
    if (!args.no_check) live.page.findings = view_findings(*scene.stage, context.global.threads);
    live.source  = args.scene.file;
    live.scene   = to_text(args.scene, context.global);
    live.program = fmt::format("mechane {}", MECHANE_VERSION);
    live.facts   = [&scene, &options](std::int32_t shape) {
        return picked_facts({*scene.stage, options.import, scene.imported, scene.model}, shape);
    };
    // Where recordings go is no fault.
    live.say  = [&io = context.io](const std::string& what) { io.say("recorded  " + what + "\n"); };
    live.stop = [] { return Interruptible::asked(); };
    offer_controllers(args, controlled, inbox);
    if (args.ros.on) return open_ros(args, scene, controlled, inbox, *wanted, context, address);
    return std::nullopt;
}

}  // namespace

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
    std::string     address;
    if (const auto wrong = prepare_live(args, *scene, *options, context, controlled, running, address)) return *wrong;
    found.append(report_looks(scene->model, io));
    const Interruptible scope;
    auto                session = viewer::LiveSession::start(scene->model, args.live, running);
    io.report(running);
    if (!session) return io.fail(session.error());
    io.out(fmt::format("{}\n", (*session)->url()));
    if (!address.empty()) io.out(fmt::format("{}\n", address));
    std::fflush(stdout);
    io.say(fmt::format("serving   {} to this machine only, {} · Ctrl-C ends\n",
                       counted(scene->model.body_count(), "body", "bodies"), "the address holds a secret word"));
    if (!args.no_browser && !open_in_browser((*session)->url()))
        io.say("hint      open the address in a browser; over SSH: ssh -L PORT:127.0.0.1:PORT\n");
    const auto ended = (*session)->run();
    io.say(fmt::format("ended     after {}\n", counted(static_cast<std::size_t>((*session)->steps()), "step")));
    return ended ? kExitClean : io.fail(ended.error());
}

void add_view(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<ViewArgs>();
    CLI::App* verb = app.add_subcommand("view", "Simulate a stage live in a browser: play, drag, inspect");
    add_scene_args(*verb, args->scene);
    verb->add_option("--port", args->port, "Port on the loopback address; 0: a free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    verb->add_flag("--no-browser,--no-open", args->no_browser, "Print the address only");
    verb->add_flag("--framed", args->live.page.server.framed,
                   "Pages of this machine, such as notebooks, may show it in a frame");
    verb->add_flag("--overlaid", args->live.page.overlaid,
                   "Draw the copies of --worlds in one place, not side by side");
    verb->add_flag("--paused", args->live.paused, "Wait for play");
    verb->add_option("--speed", args->live.speed, "Simulated seconds per second")
        ->check(CLI::Range(1e-3, 100.0))
        ->capture_default_str();
    verb->add_flag("--no-check", args->no_check, "Do not run `check`");
    verb->add_option("--solver", args->live.run.solver, "Solver")->capture_default_str();
    verb->add_option("--dt", args->dt,
                     "Time step [s], such as 0.005 or 1/200; default: that of the stage if it authors one, else 1/60")
        ->transform(in_seconds);
    verb->add_option("--substeps", args->live.run.substeps, "Substeps of the solver in each step, 1 to 64")
        ->capture_default_str();
    verb->add_option("--set", args->live.run.set, "Set PATH.field=value before the first step; may repeat");
    verb->add_option("--control", args->control, "CSV file of commands over time: t,PATH.field,...");
    verb->add_flag("--sleeping", args->live.run.sleeping, "Let islands at rest sleep");
    verb->add_option("--enable", args->scene.enable, "Switch on a controller: PRIM@SECONDS; may repeat");
    verb->add_option("--disable", args->scene.disable, "Switch off a controller; may repeat");
    is_output_file(verb->add_option("-o,--output,--record", args->live.record,
                                    "Record to this file, x.mrec, from the start; further recordings get a number"),
                   is_recording, ".mrec");
    const auto ros = verb->add_option_function<std::vector<int>>(
                             "--ros",
                             [args](const std::vector<int>& port) {
                                 args->ros.on = true, args->ros.port = port.empty() ? args->ros.port : port.front();
                             },
                             "Speak ROS: rosbridge's protocol on this port of the loopback address, 9090 if none is "
                             "given; 0: a free one")
                         ->expected(0, 1)
                         ->check(CLI::Range(0, 65535))
                         ->type_name("[PORT]");
    verb->add_flag("--dds", args->ros.dds, "With --ros: over DDS too, by the Python package cyclonedds")->needs(ros);
    verb->add_option("--ros-origin", args->ros.origins,
                     "With --ros: let in pages of this origin, such as https://HOST; may repeat")
        ->needs(ros);
    verb->add_option("--interfaces", args->ros.interfaces,
                     "With --ros: folder of ROS packages with further message types; may repeat")
        ->check(missing_folder)
        ->needs(ros);
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_view(*args, context); });
}

}  // namespace mechane::cli
