#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "mechane/ros/channels.h"
#include "mechane/ros/frames.h"
#include "mechane/ros/interfaces.h"

/// mechane ros: what an asset offers to ROS, without ROS installed.
namespace mechane::cli {
namespace {

struct RosArgs {
    std::string              what, file, format = "text";
    std::vector<std::string> interfaces;
};

nlohmann::json as_json(const ros::Qos& qos)
{
    return {{"reliability", qos.reliability},
            {"durability", qos.durability},
            {"history", qos.history},
            {"depth", qos.depth},
            {"matchPublisher", qos.match_publisher}};
}

const char* kind_of(const ros::Interface& interface)
{ return interface.kind == ros::Api::topic ? "topic" : interface.kind == ros::Api::service ? "service" : "action"; }

nlohmann::json as_json(const ros::Interface& i)
{
    nlohmann::json json{{"kind", kind_of(i)},
                        {"prim", i.prim.path().text()},
                        {"role", i.role},
                        {"name", i.resolved},
                        {"authored", i.name},
                        {"type", i.type},
                        {"domain", i.domain ? nlohmann::json(*i.domain) : nlohmann::json()},
                        {"startsEnabled", i.starts_enabled}};
    if (i.kind != ros::Api::topic) return json;
    json["rate"] = i.publish_rate ? nlohmann::json(*i.publish_rate) : nlohmann::json();
    json["qos"]  = as_json(i.qos);
    if (i.override_frame) json["frame"] = *i.override_frame;
    return json;
}

nlohmann::json as_json(const ros::Frame& frame)
{
    const Posed& x = frame.X_PF;
    return {{"frame", frame.id},
            {"parent", frame.parent_id},
            {"prim", frame.prim.path().text()},
            {"kind", to_string(frame.kind)},
            {"static", frame.is_static},
            {"topic", frame.topic},
            {"joint", frame.joint ? nlohmann::json(frame.joint.path().text()) : nlohmann::json()},
            {"translation", {x.p.x, x.p.y, x.p.z}},
            {"rotation", {x.q.x, x.q.y, x.q.z, x.q.w}}};
}

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
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].parent >= 0) continue;
        if (world != all[i].parent_id) out += (world = all[i].parent_id) + "\n";
        out += fmt::format("{:40} {:28} {}\n", "└─ " + all[i].id, all[i].topic, why(all[i]));
        draw(all, static_cast<std::int32_t>(i), "   ", out);
    }
    return out;
}

std::string quoted(const std::string& name) { return nlohmann::json(name).dump(); }

/// Graphviz: dashed edges are latched ones.
std::string tree_dot(const std::vector<ros::Frame>& all)
{
    std::string out = "digraph tf {\n";
    for (const ros::Frame& frame : all)
        out += fmt::format("  {} -> {} [label={}{}];\n", quoted(frame.parent_id), quoted(frame.id), quoted(why(frame)),
                           frame.is_static ? ", style=dashed" : "");
    return out + "}\n";
}

int run_tf(const RosArgs& args, const usd::Stage& stage, Context& context)
{
    Diagnostics                   found;
    const std::vector<ros::Frame> all = ros::frames(stage, found);
    context.io.report(found);
    if (context.global.json || args.format == "json") {
        nlohmann::json list = nlohmann::json::array();
        for (const ros::Frame& frame : all) list.push_back(as_json(frame));
        context.io.out(nlohmann::json{{"schema", "mechane.ros.tf/1"}, {"frames", list}}.dump(
                           2, ' ', false, nlohmann::json::error_handler_t::replace) +
                       "\n");
        return kExitClean;
    }
    context.io.out(args.format == "dot" ? tree_dot(all) : tree_text(all));
    if (all.empty()) context.io.say("no prim carries RosContextAPI or RosFrameAPI\n");
    return kExitClean;
}

/// What is published from the beginning.
int run_channels(const RosArgs& args, const usd::Stage& stage, Context& context)
{
    Diagnostics          found;
    const ros::Published all = ros::channels(stage, ros::TypeTable(args.interfaces), found);
    context.io.report(found);
    nlohmann::json list = nlohmann::json::array();
    std::string    text;
    for (const ros::Channel& channel : all.channels) {
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
        text += fmt::format(
            "{:32} {:36} {:12} {}\n", channel.topic, channel.type, channel.qos.reliability,
            channel.rate > 0 ? fmt::format("{} Hz", channel.rate) : fmt::format("{} frames", frames.size()));
    }
    if (context.global.json)
        text = nlohmann::json{{"schema", "mechane.ros.channels/1"}, {"channels", list}}.dump(
                   2, ' ', false, nlohmann::json::error_handler_t::replace) +
               "\n";
    context.io.out(text);
    if (list.empty()) context.io.say("nothing is published\n");
    return kExitClean;
}

int run_ros(const RosArgs& args, Context& context)
{
    const auto options = scene_options(context);
    if (!options) return kExitUsage;
    const auto stage = usd::Stage::open(args.file, options->open);
    if (!stage) return context.io.fail(stage.error());
    if (args.what == "tf") return run_tf(args, **stage, context);
    if (args.what == "channels") return run_channels(args, **stage, context);
    const std::vector<ros::Interface> found = ros::interfaces(**stage);
    if (context.global.json) {
        nlohmann::json all = nlohmann::json::array();
        for (const ros::Interface& interface : found) all.push_back(as_json(interface));
        context.io.out(nlohmann::json{{"schema", "mechane.ros.interfaces/1"}, {"interfaces", all}}.dump(
                           2, ' ', false, nlohmann::json::error_handler_t::replace) +
                       "\n");
        return kExitClean;
    }
    for (const ros::Interface& i : found)
        context.io.out(fmt::format("{:8}{:14}{:32} {:36} {}{}\n", kind_of(i), i.role, i.resolved, i.type,
                                   i.prim.path().text(),
                                   i.publish_rate ? fmt::format("   {} Hz", *i.publish_rate) : ""));
    if (found.empty()) context.io.say("no prim carries a topic, service or action\n");
    return kExitClean;
}

}  // namespace

void add_ros(CLI::App& app, Context& context)
{
    const auto args = std::make_shared<RosArgs>();
    CLI::App*  verb = app.add_subcommand(
        "ros", "What an asset offers to ROS: topics, services, actions with resolved names; the tree of frames");
    verb->footer("Examples:\n  mechane ros interfaces robot.usda\n  mechane ros tf robot.usda --format dot");
    verb->add_option("what", args->what, "interfaces, channels (what a simulator publishes) or tf")
        ->required()
        ->check(CLI::IsMember({"interfaces", "channels", "tf"}));
    verb->add_option("--interfaces", args->interfaces, "Folder of ROS packages whose types are known too; may repeat");
    verb->add_option("file", args->file, "Stage")->required();
    verb->add_option("--format", args->format, "Of tf: text, json, or dot (Graphviz)")
        ->check(CLI::IsMember({"text", "json", "dot"}))
        ->capture_default_str();
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_ros(*args, context); });
}

}  // namespace mechane::cli
