// `mechane ros`: the ROS interfaces of an asset, without an installation of ROS.
// Frames and names are those of ros/; here is only how they are shown.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/seconds.h"
#include "cli/view.h"
#include "mechane/ros/channels.h"
#include "mechane/ros/controllers.h"
#include "mechane/ros/frames.h"
#include "mechane/ros/interfaces.h"

/// mechane ros: the ROS interfaces of an asset; ROS need not be installed.
/// Prints interfaces, channels and the tree of frames, or starts the bridge. Poses are printed in metres.
namespace mechane::cli {
namespace {

struct RosArgs {
    std::string              what, file, format = "text";
    std::vector<std::string> interfaces;
    bool                     controllers = false;
    ViewArgs                 live;  ///< of `bridge`
};

nlohmann::json as_json(const ros::Qos& qos)
{
    return {{"reliability", qos.reliability},
            {"durability", qos.durability},
            {"history", qos.history},
            {"depth", qos.depth},
            {"match_publisher", qos.match_publisher}};
}

const char* kind_of(const ros::Interface& interface)
{ return interface.kind == ros::Api::topic ? "topic" : interface.kind == ros::Api::service ? "service" : "action"; }

template <class T>
nlohmann::json or_null(const std::optional<T>& value)
{ return value ? nlohmann::json(*value) : nlohmann::json(); }

/// The layer's path relative to the asset's folder; its own name if it lies elsewhere.
/// A relative path reads well and stays true when the folder moves.
std::string layer_of(const usd::Prim& prim, const std::string& file)
{
    const std::string layer  = prim.site().layer;
    const auto        folder = std::filesystem::path(file).parent_path();
    const auto        near   = std::filesystem::path(layer).lexically_proximate(folder).string();
    return near.empty() || near.starts_with("..") ? layer : near;
}

/// The frame id of an interface's messages: its own frame, else the nearest one at or above.
std::optional<std::string> frame_of(const ros::Interface& i, const std::vector<ros::Frame>& frames)
{
    std::optional<std::string> frame = i.override_frame;
    for (usd::Prim above = i.prim; above && !frame; above = above.parent())
        for (const ros::Frame& one : frames)
            if (one.prim == above) frame = one.id;
    return frame;
}

/// Policies other than the system's default, such as "keep_last 5".
std::string as_text(const ros::Qos& qos)
{
    std::string out;
    const auto  add = [&](const std::string& word) { out += (out.empty() ? "" : " ") + word; };
    for (const std::string& policy : {qos.reliability, qos.durability})
        if (policy != "system_default") add(policy);
    if (qos.history == "keep_last") add(fmt::format("keep_last {}", qos.depth));
    if (qos.history == "keep_all") add("keep_all");
    if (qos.match_publisher) add("match_publisher");
    return out;
}

/// A line for the interface, and one for its policies if there are any.
std::string as_text(const ros::Interface& i, const std::vector<ros::Frame>& frames)
{
    // Columns are of fixed width, so the lines of an asset can be compared by diff.
    std::string out =
        fmt::format("{:8}{:14}{:32} {:36} {}\n", kind_of(i), i.role, i.resolved, i.type, i.prim.path().text());
    std::string how;
    const auto  add = [&](const std::string& word) { how += (how.empty() ? "" : ", ") + word; };
    if (i.publish_rate) add(fmt::format("{} Hz", *i.publish_rate));
    if (const auto frame = frame_of(i, frames)) add("frame " + *frame);
    if (i.domain) add(fmt::format("domain {}", *i.domain));
    if (i.kind == ros::Api::topic)
        if (const std::string qos = as_text(i.qos); !qos.empty()) add("qos " + qos);
    if (!i.starts_enabled) add("starts disabled");
    if (!how.empty()) out += fmt::format("{:22}{}\n", "", how);
    return out;
}

nlohmann::json as_json(const ros::Interface& i, const std::vector<ros::Frame>& frames, const std::string& file)
{
    const std::optional<std::string> frame = frame_of(i, frames);
    nlohmann::json                   json{{"kind", kind_of(i)},
                                          {"prim", i.prim.path().text()},
                                          {"role", i.role},
                                          {"name", i.resolved},
                                          {"declared_name", i.name},
                                          {"namespace", ros::namespace_of(i.prim)},
                                          {"type", i.type},
                                          {"frame_id", or_null(frame)},
                                          {"domain_id", or_null(i.domain)},
                                          {"starts_enabled", i.starts_enabled},
                                          {"layer", layer_of(i.prim, file)}};
    if (i.kind != ros::Api::topic) return json;
    json["publish_rate"] = or_null(i.publish_rate);
    json["qos"]          = as_json(i.qos);
    return json;
}

nlohmann::json as_json(const ros::Controller& controller, const std::string& file)
{
    nlohmann::json targets = nlohmann::json::array();
    for (const ros::ControlledPrim& target : controller.targets)
        targets.push_back({{"prim", target.path.text()}, {"relation", target.relation}, {"commands", target.commands}});
    return {{"prim", controller.prim.path().text()},
            {"schema", controller.schema},
            {"starts_enabled", controller.starts_enabled},
            {"runtime", ros::has_runtime(controller.kind)},
            {"targets", targets},
            {"layer", layer_of(controller.prim, file)}};
}

std::string as_text(const ros::Controller& controller)
{
    std::string out = fmt::format("control {:14}{:32} {:36} {}\n", controller.starts_enabled ? "enabled" : "disabled",
                                  controller.schema.empty() ? "(no schema)" : controller.schema,
                                  controller.prim.path().text(), ros::has_runtime(controller.kind) ? "" : "no runtime");
    for (const ros::ControlledPrim& target : controller.targets)
        out += fmt::format("        {:14}{:32} {}\n", target.commands ? "commands" : "reads", target.relation,
                           target.path.text());
    return out;
}

nlohmann::json as_json(const ros::Frame& frame, double metre)
{
    // X_PF maps from the frame to its parent; its position is in units of the stage.
    const Posed x{metre * frame.X_PF.p, frame.X_PF.q};
    return {{"frame", frame.id},
            {"parent", frame.parent_id},
            {"prim", frame.prim.path().text()},
            {"source", to_string(frame.kind)},
            {"static", frame.is_static},
            {"topic", frame.topic},
            {"joint", frame.joint ? nlohmann::json(frame.joint.path().text()) : nlohmann::json()},
            {"translation", {x.p.x, x.p.y, x.p.z}},
            {"rotation", {x.q.x, x.q.y, x.q.z, x.q.w}}};
}

// What ties a frame to its parent, for the reader of the tree.
std::string why(const ros::Frame& frame)
{
    if (frame.joint) return frame.joint.name().text() + (frame.is_static ? " (fixed)" : "");
    if (frame.kind == ros::FrameKind::explicit_frame) return "RosFrameAPI";
    if (frame.kind == ros::FrameKind::context) return "RosContextAPI";
    return frame.is_static ? "anchored" : "floating";
}

/// Frames with the lines of a tree; `above` is what continues to the left.
void draw(const std::vector<ros::Frame>& all, std::int32_t parent, const std::string& above, std::string& out)
{
    std::vector<std::size_t> below;
    // Quadratic in the number of frames, which are few.
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].parent == parent && parent >= 0) below.push_back(i);
    for (std::size_t k = 0; k < below.size(); ++k) {
        const ros::Frame& frame = all[below[k]];
        const bool        last  = k + 1 == below.size();
        const std::string head  = above + (last ? "└─ " : "├─ ") + frame.id;
        out += fmt::format("{:40} {:28} {}\n", head, frame.topic, why(frame));
        draw(all, static_cast<std::int32_t>(below[k]), above + (last ? "   " : "│  "), out);
    }
}

std::string tree_text(const std::vector<ros::Frame>& all)
{
    std::string out;
    std::string world;
    // Frames whose parent is no frame of the asset begin a tree below that parent's name.
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].parent >= 0) continue;
        if (world != all[i].parent_id) out += (world = all[i].parent_id) + "\n";
        out += fmt::format("{:40} {:28} {}\n", "└─ " + all[i].id, all[i].topic, why(all[i]));
        draw(all, static_cast<std::int32_t>(i), "   ", out);
    }
    return out;
}

// Names in quotes, with escapes that Graphviz understands.
std::string json_text(const std::string& name) { return nlohmann::json(name).dump(); }

/// Graphviz: dashed edges are latched ones.
std::string tree_dot(const std::vector<ros::Frame>& all)
{
    std::string out = "digraph tf {\n";
    for (const ros::Frame& frame : all)
        out += fmt::format("  {} -> {} [label={}{}];\n", json_text(frame.parent_id), json_text(frame.id),
                           json_text(why(frame)), frame.is_static ? ", style=dashed" : "");
    return out + "}\n";
}

// By path: a stable order for documents.
template <class T>
std::vector<T> by_prim(std::vector<T> all)
{
    std::stable_sort(all.begin(), all.end(), [](const T& a, const T& b) { return a.prim.path() < b.prim.path(); });
    return all;
}

void print(const nlohmann::json& document, const Context& context)
{ context.io.out(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"); }

int run_tf(const RosArgs& args, const usd::Stage& stage, const importer::ImportOptions& options, Context& context)
{
    Diagnostics                   found;
    const std::vector<ros::Frame> all = ros::frames(stage, found);
    context.io.report(found);
    if (context.global.json || args.format == "json") {
        const usd::StageMetadata& meta = stage.metadata();
        // As the importer takes lengths of a stage without a unit.
        const bool   authored = meta.authored_meters_per_unit;
        const double metre =
            authored || options.unauthored_units == importer::UnauthoredUnits::usd ? meta.meters_per_unit : 1.0;
        nlohmann::json list = nlohmann::json::array();
        for (const ros::Frame& frame : by_prim(all)) list.push_back(as_json(frame, metre));
        print({{"schema", "mechane.ros.tf/1"}, {"asset", args.file}, {"frames", list}}, context);
        return kExitClean;
    }
    context.io.out(args.format == "dot" ? tree_dot(all) : tree_text(all));
    if (all.empty()) context.io.say("no prim has RosContextAPI or RosFrameAPI\n");
    return kExitClean;
}

/// The channels that are published from the beginning.
int run_channels(const RosArgs& args, const usd::Stage& stage, Context& context)
{
    Diagnostics          found;
    const ros::Published all = ros::channels(stage, ros::TypeTable(args.interfaces), found);
    context.io.report(found);
    nlohmann::json list = nlohmann::json::array();
    std::string    text;
    for (const ros::Channel& channel : all.channels) {
        // What starts disabled is published when somebody switches it on.
        if (!channel.starts_enabled) continue;
        nlohmann::json frames = nlohmann::json::array();
        for (const std::size_t f : channel.frames) frames.push_back(all.frames[f].id);
        list.push_back({{"topic", channel.topic},
                        {"type", channel.type},
                        {"prim", channel.prim.path().text()},
                        {"rate", channel.rate > 0 ? nlohmann::json(channel.rate) : nlohmann::json()},
                        {"domain", channel.domain ? nlohmann::json(*channel.domain) : nlohmann::json()},
                        {"qos", as_json(channel.qos)},
                        {"frames", frames}});
        text += fmt::format("{:32} {:36} {:14} {:16} {:14} {}{}\n", channel.topic, channel.type,
                            channel.qos.reliability, channel.qos.durability,
                            channel.qos.history == "keep_all"    ? "keep_all"
                            : channel.qos.history == "keep_last" ? fmt::format("keep_last {}", channel.qos.depth)
                                                                 : channel.qos.history,
                            channel.rate > 0 ? fmt::format("{} Hz", channel.rate)
                                             : fmt::format("{} frame{}", frames.size(), frames.size() == 1 ? "" : "s"),
                            channel.domain ? fmt::format("   domain {}", *channel.domain) : std::string());
    }
    if (context.global.json)
        text = nlohmann::json{{"schema", "mechane.ros.channels/1"}, {"channels", list}}.dump(
                   2, ' ', false, nlohmann::json::error_handler_t::replace) +
               "\n";
    context.io.out(text);
    if (all.channels.empty())
        context.io.say(
            "no prim declares a publisher or a context: a simulation publishes /tf of its bodies and, at 50 Hz, "
            "/joint_states of its joints\n");
    else if (list.empty())
        context.io.say("nothing is published until a publisher is switched on\n");
    return kExitClean;
}

// The bridge is the live viewer without its page.
int run_bridge(RosArgs& args, Context& context)
{
    args.live.scene.file     = args.file;
    args.live.ros.on         = true;
    args.live.ros.interfaces = args.interfaces;
    args.live.no_browser     = true;
    args.live.ros.alone      = true;
    return run_view(args.live, context);
}

int run_ros(RosArgs& args, Context& context)
{
    if (args.what == "bridge") return run_bridge(args, context);
    const auto options = scene_options(context);
    if (!options) return kExitUsage;
    const auto stage = open_stage(args.file, options->open, context);
    if (!stage) return context.io.fail(stage.error());
    if (args.what == "tf") return run_tf(args, **stage, options->import, context);
    if (args.what == "channels") return run_channels(args, **stage, context);
    const std::vector<ros::Interface>  found = by_prim(ros::interfaces(**stage));
    const std::vector<ros::Controller> control =
        args.controllers ? by_prim(ros::controllers(**stage)) : std::vector<ros::Controller>{};
    Diagnostics                   unsaid;  // what is wrong with frames is for `ros tf` to say
    const std::vector<ros::Frame> frames = ros::frames(**stage, unsaid);
    if (context.global.json) {
        nlohmann::json all = nlohmann::json::array();
        for (const ros::Interface& interface : found) all.push_back(as_json(interface, frames, args.file));
        nlohmann::json document{{"schema", "mechane.ros.interfaces/1"}, {"asset", args.file}, {"interfaces", all}};
        if (args.controllers) {
            document["controllers"] = nlohmann::json::array();
            for (const ros::Controller& one : control) document["controllers"].push_back(as_json(one, args.file));
        }
        print(document, context);
        return kExitClean;
    }
    for (const ros::Interface& i : found) context.io.out(as_text(i, frames));
    for (const ros::Controller& one : control) context.io.out(as_text(one));
    if (found.empty()) context.io.say("no prim has a topic, service or action\n");
    if (args.controllers && control.empty()) context.io.say("no prim has a controller\n");
    return kExitClean;
}

}  // namespace

void add_ros(CLI::App& app, Context& context)
{
    const auto args = std::make_shared<RosArgs>();
    CLI::App*  verb = app.add_subcommand(
        "ros",
        "Show the ROS interfaces of an asset: topics, services, actions with resolved names; the tree of frames");
    verb->footer(
        "Examples:\n  mechane ros interfaces robot.usda\n  mechane ros bridge robot.usda\n  mechane ros tf robot.usda "
        "--format dot");
    verb->add_option(
            "what", args->what,
            "interfaces, channels (what a simulator publishes), tf, or bridge (simulate live, for nodes to connect to)")
        ->required()
        ->check(CLI::IsMember({"interfaces", "channels", "tf", "bridge"}));
    verb->add_option("--interfaces", args->interfaces, "Folder of ROS packages with further message types; may repeat")
        ->check(missing_folder);
    verb->add_option("file", args->file, "Stage")->required();
    verb->add_flag("--controllers", args->controllers,
                   "With interfaces: also list controllers, what they command, and whether they start enabled");
    verb->add_option("--format", args->format, "With tf: text, json, or dot (Graphviz)")
        ->check(CLI::IsMember({"text", "json", "dot"}))
        ->capture_default_str();
    verb->add_option("--port", args->live.ros.port,
                     "With bridge: port of rosbridge's protocol on the loopback address; 0: a free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    verb->add_flag("--dds", args->live.ros.dds, "With bridge: over DDS too, by the Python package cyclonedds");
    verb->add_option("--ros-origin", args->live.ros.origins,
                     "With bridge: let in pages of this origin, such as https://HOST; may repeat");
    verb->add_option("--solver", args->live.live.run.solver, "With bridge: solver")->capture_default_str();
    verb->add_option("--dt", args->live.dt,
                     "With bridge: time step [s]; further options of the simulation are those of `mechane view --ros`")
        ->transform(in_seconds);
    verb->add_flag("--paused", args->live.live.paused, "With bridge: wait for play");
    verb->add_flag("--ground", args->live.scene.ground_wanted,
                   "With bridge: add a static plane below the lowest collider");
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_ros(*args, context); });
}

}  // namespace mechane::cli
