// What a stage publishes to ROS 2: topics with their types, quality of service and rates.
// Inputs: a stage with the schemas of REP 158 (topics as prims) and the table of message types. Output: one channel for
// each publisher, and one for each topic of transforms with the frames that belong to it.
// A channel whose type nobody knows is reported and left out: its messages could not be encoded.
// Called by run::write_mcap and by `mechane ros`.

#include "mechane/ros/channels.h"

#include <algorithm>
#include <map>
#include <set>

#include "mechane/ros/codes.h"

namespace mechane::ros {
namespace {

constexpr const char* kTransforms  = "tf2_msgs/msg/TFMessage";
constexpr const char* kJointStates = "sensor_msgs/msg/JointState";
constexpr double      kStateRate   = 50;  // [Hz]

bool is_default(const std::string& policy) { return policy == "system_default"; }

/// Contexts make transforms and no joint states. Robots whose authors name no publisher at all, as conversions of URDF,
/// get these as well: with transforms alone nothing that controls a robot could work.
void add_joint_states(Published& out)
{
    std::set<usd::Path> robots;
    const std::size_t   declared = out.channels.size();
    for (std::size_t c = 0; c < declared; ++c) {
        const Channel of = out.channels[c];
        if (!of.prim || !outermost_context(of.prim) || !robots.insert(of.prim.path()).second) continue;
        const auto below = of.prim.subtree();
        if (std::none_of(below.begin(), below.end(), [](const usd::Prim& prim) {
                return prim.is_a("PhysicsRevoluteJoint") || prim.is_a("PhysicsPrismaticJoint");
            }))
            continue;
        out.channels.push_back({.topic          = resolved_name(of.prim, "joint_states"),
                                .type           = kJointStates,
                                .qos            = {"reliable", "volatile", "keep_last", 10, false},
                                .rate           = kStateRate,
                                .domain         = of.domain,
                                .prim           = of.prim,
                                .starts_enabled = true,
                                .frames         = {}});
    }
}

}  // namespace

/// Where the stage leaves everything to the system, sensors offer best effort, as the sensor data profile of rmw does.
/// JointState is an exception: its readers ask for reliable delivery, and a best effort offer would not match.
Qos offered_qos(const Interface& interface)
{
    // Joint states are no sensor data but the state of a robot, of which controllers need each.
    Qos        qos  = interface.qos;
    const auto type = parse_type(interface.type);
    if (interface.role == "publisher" && type && type->package == "sensor_msgs" && type->name != "JointState" &&
        is_default(qos.reliability) && is_default(qos.durability) && is_default(qos.history))
        qos.reliability = "best_effort";
    return qos;
}

std::string joint_name(const usd::Prim& joint) { return text(joint, "ros:joint:name").value_or(joint.name().text()); }

Published channels(const usd::Stage& stage, const TypeTable& types, Diagnostics& found)
{
    Published out;
    bool      declared = false;
    for (const Interface& i : interfaces(stage)) {
        if (i.kind != Api::topic || i.role != "publisher" || i.name.empty()) continue;
        declared = true;
        const auto type = parse_type(i.type);
        if (!type || type->family != "msg" || !types.is_known(*type).value_or(false)) {
            found.add(kTypeUnknown, i.prim.site(),
                      "nobody knows the type '" + i.type + "' of " + i.resolved + ", which is not published");
            continue;
        }
        out.channels.push_back({.topic          = i.resolved,
                                .type           = i.type,
                                .qos            = offered_qos(i),
                                .rate           = i.publish_rate.value_or(0),
                                .domain         = i.domain,
                                .prim           = i.prim,
                                .starts_enabled = i.starts_enabled,
                                .frames         = {}});
    }
    out.frames = frames(stage, found);
    std::map<std::string, std::size_t> by_topic;
    for (std::size_t f = 0; f < out.frames.size(); ++f) {
        const Frame& frame        = out.frames[f];
        const auto [known, fresh] = by_topic.try_emplace(frame.topic, out.channels.size());
        if (fresh) {
            const usd::Prim robot = outermost_context(frame.prim);
            out.channels.push_back({.topic = frame.topic,
                                    .type  = kTransforms,
                                    // Profiles of tf2: static transforms are sent once and kept for late readers
                                    // (transient local, depth 1), moving ones are volatile with a depth of 100.
                                    .qos  = {"reliable", frame.is_static ? "transient_local" : "volatile", "keep_last",
                                             frame.is_static ? 1 : 100, false},
                                    .rate = 0,
                                    .domain         = domain_id(frame.prim),
                                    .prim           = robot ? robot : frame.prim,
                                    .starts_enabled = true,
                                    .frames         = {}});
        }
        out.channels[known->second].frames.push_back(f);
    }
    if (!declared) add_joint_states(out);
    return out;
}

}  // namespace mechane::ros
