#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "mechane/ros/interfaces.h"

/// mechane ros: what an asset offers to ROS, without ROS installed.
namespace mechane::cli {
namespace {

struct RosArgs {
    std::string what, file;
};

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
    json["qos"]  = {{"reliability", i.qos.reliability},
                    {"durability", i.qos.durability},
                    {"history", i.qos.history},
                    {"depth", i.qos.depth},
                    {"matchPublisher", i.qos.match_publisher}};
    if (i.override_frame) json["frame"] = *i.override_frame;
    return json;
}

int run_ros(const RosArgs& args, Context& context)
{
    const auto options = scene_options(context);
    if (!options) return kExitUsage;
    const auto stage = usd::Stage::open(args.file, options->open);
    if (!stage) return context.io.fail(stage.error());
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
    CLI::App*  verb = app.add_subcommand("ros", "Topics, services and actions of an asset with their resolved names");
    verb->footer("Examples:\n  mechane ros interfaces robot.usda\n  mechane ros interfaces robot.usda --json");
    verb->add_option("what", args->what, "interfaces")->required()->check(CLI::IsMember({"interfaces"}));
    verb->add_option("file", args->file, "Stage")->required();
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_ros(*args, context); });
}

}  // namespace mechane::cli
