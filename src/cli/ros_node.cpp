// What the simulation says and hears as a node of ROS 2, whatever carries it (WebSocket, DDS).
// Published: /clock, the channels of the stage, /robot_description. Heard: twists for differential drives,
// trajectories, /joint_command. Action: follow_joint_trajectory of each trajectory controller.
// Messages are JSON with the members of their ROS types, checked one by one. Times are those of the simulation.
// Invariant: a message that is wrong changes nothing, and its sender is told why.
// Called by LiveSession as a guest, and by the carriers.

#include "cli/ros_node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mechane/ros/channels.h"
#include "mechane/ros/interfaces.h"
#include "simulation/target_range.h"

namespace mechane::cli {
namespace {

using nlohmann::json;

constexpr const char* kTwist        = "geometry_msgs/msg/Twist";
constexpr const char* kTwistStamped = "geometry_msgs/msg/TwistStamped";
constexpr const char* kTrajectory   = "trajectory_msgs/msg/JointTrajectory";
constexpr std::size_t kMostPoints   = 10'000;  ///< of a trajectory
constexpr double      kMostTime     = 1e6;     ///< of a trajectory [s]

json stamp(double time)
{
    const auto ns = std::llround(time * 1e9);
    return {{"sec", ns / 1'000'000'000}, {"nanosec", ns % 1'000'000'000}};
}

json as_json(double time, const std::vector<run::TransformStamped>& transforms)
{
    json list = json::array();
    for (const run::TransformStamped& one : transforms)
        list.push_back(
            {{"header", {{"stamp", stamp(time)}, {"frame_id", one.parent}}},
             {"child_frame_id", one.child},
             {"transform",
              {{"translation", {{"x", one.X_PC.p.x}, {"y", one.X_PC.p.y}, {"z", one.X_PC.p.z}}},
               {"rotation", {{"x", one.X_PC.q.x}, {"y", one.X_PC.q.y}, {"z", one.X_PC.q.z}, {"w", one.X_PC.q.w}}}}}});
    return {{"transforms", list}};
}
json as_json(double time, const run::JointStates& states)
{
    return {{"header", {{"stamp", stamp(time)}, {"frame_id", ""}}},
            {"name", states.names},
            {"position", states.position},
            {"velocity", states.velocity},
            {"effort", json::array()}};
}

/// A member that is a finite number; 0 where it is left out, as messages have it.
std::optional<double> number(const json& in, const char* name)
{
    const auto found = in.find(name);
    if (found == in.end()) return 0.0;
    if (!found->is_number()) return std::nullopt;
    const double value = found->get<double>();
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}
/// A list of finite numbers; empty where it is left out.
std::optional<std::vector<double>> numbers(const json& in, const char* name)
{
    std::vector<double> out;
    const auto          found = in.find(name);
    if (found == in.end()) return out;
    if (!found->is_array() || found->size() > kMostPoints) return std::nullopt;
    for (const json& one : *found) {
        if (!one.is_number() || !std::isfinite(one.get<double>())) return std::nullopt;
        out.push_back(one.get<double>());
    }
    return out;
}
std::optional<std::vector<std::string>> texts(const json& in, const char* name)
{
    std::vector<std::string> out;
    const auto               found = in.find(name);
    if (found == in.end()) return out;
    if (!found->is_array() || found->size() > kMostPoints) return std::nullopt;
    for (const json& one : *found) {
        if (!one.is_string()) return std::nullopt;
        out.push_back(one.get<std::string>());
    }
    return out;
}

std::string last_element(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The interface of this kind that a relationship of a controller leads to.
std::optional<ros::Interface> interface_of(const usd::Prim& controller, const char* relation, ros::Api kind)
{
    for (const usd::Path& target : controller.relationship(usd::Token(std::string(relation))).forwarded())
        if (const usd::Prim prim = controller.stage().prim_at(target))
            for (const ros::Interface& one : ros::interfaces(prim))
                if (one.kind == kind && !one.resolved.empty()) return one;
    return std::nullopt;
}

}  // namespace

RosNode::RosNode(const run::Scene& scene, const run::StageInWorld& stage, const ros::TypeTable& types, Options options,
                 Diagnostics& found)
    : scene_(scene),
      options_(std::move(options)),
      publication_(scene, stage, options_.switches, ros::channels(*scene.stage, types, found))
{
    add_publishers();
    add_controllers();
    add_drives();
}

std::size_t RosNode::add_topic(RosTopic topic)
{
    topics_.push_back(std::move(topic));
    last_.emplace_back();
    return topics_.size() - 1;
}

void RosNode::add_publishers()
{
    RosTopic clock{.name = "/clock", .type = "rosgraph_msgs/msg/Clock"};
    // As simulators publish /clock: only the newest time matters, and nobody waits for it.
    clock.qos.reliability = "best_effort", clock.qos.history = "keep_last", clock.qos.depth = 1;
    clock_ = add_topic(clock);
    for (const run::Publication::Line& line : publication_.lines())
        topic_of_line_.push_back(add_topic({.name   = line.channel.topic,
                                            .type   = line.channel.type,
                                            .qos    = line.channel.qos,
                                            .domain = line.channel.domain}));
    // The description is of the stage's one robot, and stands in its namespace.
    std::set<std::string> names;
    for (const run::Publication::Line& line : publication_.lines())
        if (line.channel.prim && ros::outermost_context(line.channel.prim))
            names.insert(ros::resolved_name(ros::outermost_context(line.channel.prim), "robot_description"));
    const std::string name = names.size() == 1 ? *names.begin() : "/robot_description";
    if (options_.robot_description.empty() || find(name)) return;
    // Latched (transient local): programs that start later get it, too.
    RosTopic description{.name = name, .type = "std_msgs/msg/String"};
    description.qos.reliability = "reliable", description.qos.durability = "transient_local", description.qos.depth = 1;
    description_ = add_topic(description);
}

void RosNode::add_controllers()
{
    for (std::size_t c = 0; c < options_.controllers.size(); ++c) {
        const run::LiveController& one  = options_.controllers[c];
        const usd::Prim            prim = scene_.stage->prim_at(usd::Path(one.path));
        if (!prim) continue;
        if (one.kind == ros::ControllerKind::diff_drive) {
            const auto heard = interface_of(prim, "ros:diff_drive:subscriber", ros::Api::topic);
            const bool known = heard && (heard->type == kTwist || heard->type == kTwistStamped);
            RosTopic   topic{.name      = known ? heard->resolved : ros::resolved_name(prim, "cmd_vel"),
                             .type      = known ? heard->type : kTwist,
                             .published = false};
            if (known) topic.qos = heard->qos, topic.domain = heard->domain;
            listeners_[add_topic(topic)] = {Listener::Kind::twist, c};
        }
        if (one.kind == ros::ControllerKind::joint_trajectory) {
            const auto        served = interface_of(prim, "ros:joint_trajectory:server", ros::Api::action);
            const std::string name   = last_element(one.path);
            actions_[served ? served->resolved : ros::resolved_name(prim, name + "/follow_joint_trajectory")] = c;
            listeners_[add_topic({.name      = ros::resolved_name(prim, name + "/joint_trajectory"),
                                  .type      = kTrajectory,
                                  .published = false})] = {Listener::Kind::trajectory, c};
        }
    }
}

void RosNode::add_drives()
{
    const model::Model& model = scene_.model;
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
        // Copies of the scene are not addressed: a name means the joint of the first world.
        if (model.joint_world[j] > 0) continue;
        const auto first = static_cast<std::size_t>(model.joint_qd_start[j]);
        if (model.joint_qd_start[j + 1] - model.joint_qd_start[j] != 1) continue;
        if (model.joint_target_mode[first] == model::TargetMode::none ||
            model.joint_target_mode[first] == model::TargetMode::effort)
            continue;
        const std::string& label = model.joint_label[j];
        // A joint is called by its path, by its last element or by the name that ROS knows it by; a name of several
        // joints is refused when it is used.
        std::vector<std::string> names{label, last_element(label)};
        if (const usd::Prim prim = scene_.stage->prim_at(usd::Path(label))) names.push_back(ros::joint_name(prim));
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        for (const std::string& name : names) dofs_[name].push_back(static_cast<std::int32_t>(first));
    }
    // The default names of joint states, which tell apart what is called alike.
    for (const run::Publication::Line& line : publication_.lines())
        for (std::size_t i = 0; i < line.joints.names.size(); ++i) {
            const auto dof    = static_cast<std::int32_t>(line.joints.qd[i]);
            const bool driven = std::any_of(dofs_.begin(), dofs_.end(), [&](const auto& one) {
                return std::find(one.second.begin(), one.second.end(), dof) != one.second.end();
            });
            if (driven) dofs_[line.joints.names[i]] = {dof};
        }
    if (!dofs_.empty())
        listeners_[add_topic({.name = "/joint_command", .type = std::string(run::kJointState), .published = false})] =
            {};
}

std::optional<std::size_t> RosNode::find(const std::string& name) const
{
    for (std::size_t t = 0; t < topics_.size(); ++t)
        if (topics_[t].name == name || (!name.starts_with('/') && topics_[t].name == "/" + name)) return t;
    return std::nullopt;
}

std::vector<std::string> RosNode::actions() const
{
    std::vector<std::string> out;
    for (const auto& [name, controller] : actions_) out.push_back(name);
    return out;
}

// -- what comes in

namespace {

/// A field that messages of this kind do not have; empty if all are known. Left without a word, a misspelt one would
/// count as zero.
std::string unknown_field(const json& message, std::initializer_list<std::string_view> known, const char* where = "")
{
    if (message.is_object())
        for (const auto& [name, value] : message.items())
            if (std::find(known.begin(), known.end(), name) == known.end())
                return fmt::format("there is no field '{}{}'; there are {}", where, name, fmt::join(known, ", "));
    return {};
}

std::string unknown_in_twist(const json& message)
{
    const bool  stamped = message.contains("twist");
    std::string wrong   = stamped ? unknown_field(message, {"header", "twist"}) : std::string();
    if (!wrong.empty()) return wrong;
    const json& body = stamped ? message["twist"] : message;
    wrong            = unknown_field(body, {"linear", "angular"}, stamped ? "twist." : "");
    for (const char* part : {"linear", "angular"})
        if (wrong.empty() && body.is_object() && body.contains(part))
            wrong = unknown_field(body[part], {"x", "y", "z"}, part[0] == 'l' ? "linear." : "angular.");
    return wrong;
}

std::string unknown_in_trajectory(const json& message)
{
    std::string wrong = unknown_field(message, {"header", "joint_names", "points"});
    if (!message.contains("points") || !message["points"].is_array()) return wrong;
    for (const json& point : message["points"])
        if (wrong.empty())
            wrong = unknown_field(point, {"positions", "velocities", "accelerations", "effort", "time_from_start"},
                                  "points.");
    return wrong;
}

}  // namespace

std::string RosNode::receive(std::size_t topic, const json& message)
{
    if (!message.is_object()) return "a message is an object";
    const auto listener = listeners_.find(topic);
    if (listener == listeners_.end())
        return fmt::format("{} is published by the simulation, and not listened to", topics_[topic].name);
    double end = 0;
    switch (listener->second.kind) {
        case Listener::Kind::twist:
            return twist(listener->second.controller, message);
        case Listener::Kind::trajectory:
            return trajectory(listener->second.controller, message, end);
        case Listener::Kind::joints:
            return joints(message);
    }
    return {};
}

std::string RosNode::twist(std::size_t controller, const json& message)
{
    if (std::string wrong = unknown_in_twist(message); !wrong.empty()) return wrong;
    // Twist and TwistStamped alike.
    const json& body = message.contains("twist") && message["twist"].is_object() ? message["twist"] : message;
    const json  none = json::object();
    const auto  part = [&](const char* name) -> const json& {
        return body.contains(name) && body[name].is_object() ? body[name] : none;
    };
    const auto forward = number(part("linear"), "x"), turn = number(part("angular"), "z");
    if (!forward || !turn) return "linear.x and angular.z are not finite numbers";
    if (body.empty()) return "it has neither linear nor angular";
    tell({.controller = controller, .linear = *forward, .angular = *turn});
    return {};
}

std::string RosNode::trajectory(std::size_t controller, const json& message, double& end)
{
    if (std::string wrong = unknown_in_trajectory(message); !wrong.empty()) return wrong;
    const auto names = texts(message, "joint_names");
    if (!names || names->empty()) return "joint_names lists no joints";
    const auto& known = options_.controllers[controller].joints;
    for (const std::string& name : *names)
        if (std::find(known.begin(), known.end(), name) == known.end())
            return fmt::format("the controller moves no joint '{}'; it moves {}", name, fmt::join(known, ", "));
    if (!message.contains("points") || !message["points"].is_array() || message["points"].empty())
        return "it has no points";
    if (message["points"].size() > kMostPoints) return fmt::format("it has more than {} points", kMostPoints);
    run::LiveInbox::Message out{.controller = controller};
    for (const std::string& name : *names)
        out.points.push_back({.joint = name, .times = {}, .position = {}, .velocity = {}, .effort = {}});
    end        = 0;
    bool first = true;
    for (const json& point : message["points"]) {
        if (!point.is_object()) return "a point is not an object";
        const json  none = json::object();
        const json& from =
            point.contains("time_from_start") && point["time_from_start"].is_object() ? point["time_from_start"] : none;
        const auto   sec = number(from, "sec"), nanosec = number(from, "nanosec");
        const double time = sec && nanosec ? *sec + 1e-9 * *nanosec : -1;
        // Times must grow strictly, as the interpolation divides by their differences.
        if (!(time >= 0) || time > kMostTime || (!first && !(time > end)))
            return "time_from_start does not grow from point to point";
        end = time, first = false;
        const auto p = numbers(point, "positions"), v = numbers(point, "velocities"), e = numbers(point, "effort");
        const auto fits = [&](const auto& list) { return list && (list->empty() || list->size() == names->size()); };
        if (!fits(p) || !fits(v) || !fits(e))
            return "positions, velocities and effort have one finite number for each joint, or none";
        for (std::size_t i = 0; i < names->size(); ++i) {
            out.points[i].times.push_back(time);
            if (!p->empty()) out.points[i].position.push_back((*p)[i]);
            if (!v->empty()) out.points[i].velocity.push_back((*v)[i]);
            if (!e->empty()) out.points[i].effort.push_back((*e)[i]);
        }
    }
    for (const auto& joint : out.points)
        for (const auto* list : {&joint.position, &joint.velocity, &joint.effort})
            // The interpolation takes each list as a column beside the times.
            if (!list->empty() && list->size() != joint.times.size())
                return "some points have positions, velocities or effort, and some do not";
    tell(std::move(out));
    return {};
}

std::string RosNode::joints(const json& message)
{
    std::string wrong = unknown_field(message, {"header", "name", "position", "velocity", "effort"});
    if (!wrong.empty()) return wrong;
    const auto names = texts(message, "name");
    const auto p = numbers(message, "position"), v = numbers(message, "velocity");
    if (!names || !p || !v) return "name, position and velocity are not lists of texts and finite numbers";
    if ((!p->empty() && p->size() != names->size()) || (!v->empty() && v->size() != names->size()))
        return "position and velocity have one number for each name, or none";
    std::vector<viewer::LiveCommand> wanted;
    for (std::size_t i = 0; i < names->size(); ++i) {
        const auto known = dofs_.find((*names)[i]);
        if (known == dofs_.end()) return fmt::format("no driven joint is called '{}'", (*names)[i]);
        if (known->second.size() > 1)
            return fmt::format("{} driven joints are called '{}'; give a prim's path", known->second.size(),
                               (*names)[i]);
        const std::int32_t dof = known->second.front();
        const bool  rate = scene_.model.joint_target_mode[static_cast<std::size_t>(dof)] == model::TargetMode::velocity;
        const auto& list = rate ? *v : *p;
        if (list.empty())
            return fmt::format("the drive of '{}' follows a {}, and the message has none", (*names)[i],
                               rate ? "velocity" : "position");
        wanted.push_back({.kind = viewer::LiveCommand::Kind::target, .index = dof, .value = list[i]});
        if (!rate) warn_beyond_limits(dof, list[i]);
    }
    asked_.insert(asked_.end(), wanted.begin(), wanted.end());
    return {};
}

/// As a setting of `sim`: used as given, with a warning, once for each joint.
void RosNode::warn_beyond_limits(std::int32_t dof, double target)
{
    const model::Model& m     = scene_.model;
    const auto          after = std::upper_bound(m.joint_qd_start.begin(), m.joint_qd_start.end(), dof);
    const auto          joint = static_cast<std::int32_t>(after - m.joint_qd_start.begin()) - 1;
    const std::int32_t  at    = viewer::coordinate_of(m, joint, dof);
    if (at < 0 || !options_.tell || warned_.contains(dof)) return;
    Diagnostics beyond;
    run::report_beyond_limits(
        m, {.field = run::Field::target_q, .starts = {static_cast<std::size_t>(at)}, .values = {target}, .count = 1},
        beyond);
    for (const Diagnostic& one : beyond) {
        warned_.insert(dof);
        options_.tell(one);
    }
}

std::optional<RosNode::Goal> RosNode::begin(const std::string& action, const json& goal, std::string& why)
{
    const auto known = actions_.find(action.starts_with('/') ? action : "/" + action);
    if (known == actions_.end()) return why = fmt::format("there is no action '{}'", action), std::nullopt;
    if (!goal.is_object() || !goal.contains("trajectory") || !goal["trajectory"].is_object())
        return why = "the goal has no trajectory", std::nullopt;
    double end = 0;
    why        = trajectory(known->second, goal["trajectory"], end);
    if (!why.empty()) return std::nullopt;
    return Goal{known->second, std::max(0.0, time_) + end};
}

void RosNode::cancel(const Goal& goal)
{
    run::LiveInbox::Message stop{.controller = goal.controller};
    // Points replace what was left of the trajectory; of none, nothing is left.
    for (const std::string& joint : options_.controllers[goal.controller].joints)
        stop.points.push_back({.joint = joint, .times = {}, .position = {}, .velocity = {}, .effort = {}});
    tell(std::move(stop));
}

void RosNode::tell(run::LiveInbox::Message message)
{
    options_.inbox->waiting.push_back(std::move(message));
    asked_.push_back({.kind = viewer::LiveCommand::Kind::told});
}

// -- what goes out

void RosNode::ask(SimulationState wanted)
{
    using Kind = viewer::LiveCommand::Kind;
    playing_   = wanted == SimulationState::playing;
    stopped_   = wanted == SimulationState::stopped;
    asked_.push_back({.kind = playing_ ? Kind::play : Kind::pause});
    if (stopped_) asked_.push_back({.kind = Kind::reset});
}

std::vector<viewer::LiveCommand> RosNode::commands()
{
    for (const auto& carrier : carriers_) carrier->listen();
    return std::exchange(asked_, {});
}

bool RosNode::present() const
{
    return options_.alone ||
           std::any_of(carriers_.begin(), carriers_.end(), [](const auto& one) { return one->connected(); });
}

void RosNode::say(std::size_t topic, json message)
{
    for (const auto& carrier : carriers_) carrier->publish(topic, message, time_);
    if (topics_[topic].latched()) last_[topic] = std::move(message);
}

void RosNode::stepped(const record::Frame& frame, const viewer::LiveStatus& status)
{
    // The simulation was reset: rates of channels begin again.
    if (frame.t < time_) publication_.begin_again();
    // Whoever plays or steps, a page too, ends that it is stopped.
    stopped_ = stopped_ && !status.playing && !(frame.t > time_);
    time_    = frame.t;
    playing_ = status.playing;
    say(clock_, {{"clock", stamp(frame.t)}});
    if (description_ && !std::exchange(described_, true)) say(*description_, {{"data", options_.robot_description}});
    for (const run::Publication::Message& message : publication_.at(frame)) {
        const auto* states = std::get_if<run::JointStates>(&message.content);
        say(topic_of_line_[message.line],
            states != nullptr ? as_json(frame.t, *states)
                              : as_json(frame.t, std::get<std::vector<run::TransformStamped>>(message.content)));
    }
}

}  // namespace mechane::cli
