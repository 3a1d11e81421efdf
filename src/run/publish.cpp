#include "mechane/run/publish.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "mechane/record/mcap.h"
#include "mechane/ros/controllers.h"
#include "mechane/run/codes.h"
#include "ros_messages.h"
#include "simulation/command_cells.h"

namespace mechane::run {
namespace {

constexpr double kNanoseconds = 1e9;

std::uint64_t nanoseconds(double t) { return static_cast<std::uint64_t>(std::llround(t * kNanoseconds)); }

/// Poses of prims in the world at a frame of the recording.
class Places {
  public:
    Places(const Scene& scene, const StageInWorld& stage, const std::vector<ros::Frame>& frames)
        : scene_(scene), stage_(stage), frames_(frames)
    {
        for (const ros::Frame& frame : frames) offsets_.push_back(offset_of(frame.prim));
    }

    /// Pose of a frame in its parent [m].
    [[nodiscard]] Posed relative(std::size_t frame, const record::Frame& at) const
    {
        const std::int32_t parent = frames_[frame].parent;
        const Posed        X_WF   = world(frame, at);
        return parent < 0 ? X_WF : inverse(world(static_cast<std::size_t>(parent), at)) * X_WF;
    }

  private:
    /// A pose relative to a body, or to the world if no body carries the prim.
    struct Offset {
        std::int32_t body = -1;
        Posed        X;
    };
    const Scene&                   scene_;
    const StageInWorld&            stage_;
    const std::vector<ros::Frame>& frames_;
    std::vector<Offset>            offsets_;

    [[nodiscard]] Posed on_stage(const usd::Prim& prim) const
    {
        const usd::Decomposition d = usd::decompose(scene_.stage->world_matrix(prim));
        return {d.translation * stage_.meters_per_unit, d.rotation};
    }

    [[nodiscard]] Offset offset_of(const usd::Prim& prim) const
    {
        const auto& bodies = scene_.imported.path_body_map;
        for (usd::Prim above = prim; above && !above.path().is_root(); above = above.parent())
            if (const auto body = bodies.find(above.path().text()); body != bodies.end() && body->second >= 0) {
                // If bodies were merged, the label names the remaining one.
                const usd::Path left(scene_.model.body_label[static_cast<std::size_t>(body->second)]);
                if (const usd::Prim carrier = scene_.stage->prim_at(left))
                    return {body->second, inverse(on_stage(carrier)) * on_stage(prim)};
            }
        return {-1, stage_.X_WS * on_stage(prim)};
    }

    [[nodiscard]] Posed world(std::size_t frame, const record::Frame& at) const
    {
        const Offset& offset = offsets_[frame];
        if (offset.body < 0 || static_cast<std::size_t>(offset.body) >= at.body_q.size()) return offset.X;
        return Posed(at.body_q[static_cast<std::size_t>(offset.body)]) * offset.X;
    }
};

/// Joints of a robot with one coordinate, as messages name them.
struct Joints {
    std::vector<std::string> names;
    std::vector<std::size_t> q, qd;  ///< where their coordinate and speed are
};

/// The body that a joint moves, by its path on the stage: the end that is the child in the model, whatever the authored
/// direction of the joint and even if bodies were merged.
usd::Path child_of(const Scene& scene, const usd::Prim& joint, std::size_t index)
{
    const std::int32_t child  = scene.model.joint_child[index];
    const auto&        bodies = scene.imported.path_body_map;
    for (const char* end : {"physics:body1", "physics:body0"})
        for (const usd::Path& target : joint.relationship(end).targets())
            for (usd::Path at = target; !at.empty() && !at.is_root(); at = at.parent())
                if (const auto body = bodies.find(at.text()); body != bodies.end()) {
                    if (body->second == child) return at;
                    break;
                }
    return child < 0 ? usd::Path() : usd::Path(scene.model.body_label[static_cast<std::size_t>(child)]);
}

/// The joints that a JointStateBroadcaster lists for its publisher; nothing if no broadcaster names the publisher.
std::optional<std::set<usd::Path>> broadcast_joints(const usd::Stage& stage, const usd::Prim& publisher)
{
    std::optional<std::set<usd::Path>> joints;
    for (const ros::Controller& one : ros::controllers(stage)) {
        if (one.kind != ros::ControllerKind::joint_state_broadcaster || one.targets.empty()) continue;
        const auto speakers = one.prim.relationship("ros:joint_state_broadcaster:publisher").targets();
        if (std::find(speakers.begin(), speakers.end(), publisher.path()) == speakers.end()) continue;
        if (!joints) joints.emplace();
        for (const ros::ControlledPrim& target : one.targets) joints->insert(target.path);
    }
    return joints;
}

/// The joints of a joint state publisher (REP-0158 1.3, 2.1 and 2.2): the joints whose child body lies below its
/// context, since a tree comes from relationships and a joint may stand anywhere; a broadcaster's own list goes before.
Joints joints_of(const Scene& scene, const usd::Prim& publisher)
{
    Joints          joints;
    const usd::Prim context = ros::nearest_context(publisher);
    const auto      listed  = broadcast_joints(*scene.stage, publisher);
    for (const auto& [path, index] : scene.imported.path_joint_map) {
        const usd::Prim prim = scene.stage->prim_at(usd::Path(path));
        if (!prim || index < 0) continue;
        const auto             j    = static_cast<std::size_t>(index);
        const model::JointType type = scene.model.joint_type[j];
        if (type != model::JointType::revolute && type != model::JointType::prismatic) continue;
        if (listed ? listed->count(prim.path()) == 0
                   : context && !child_of(scene, prim, j).has_prefix(context.path()))
            continue;
        joints.names.push_back(ros::joint_name(prim));
        joints.q.push_back(static_cast<std::size_t>(scene.model.joint_q_start[j]));
        joints.qd.push_back(static_cast<std::size_t>(scene.model.joint_qd_start[j]));
    }
    return joints;
}

/// Quality of service as rosbag2 writes it.
std::string qos_profile(const ros::Qos& qos)
{
    return fmt::format("- history: {}\n  depth: {}\n  reliability: {}\n  durability: {}\n", qos.history, qos.depth,
                       qos.reliability, qos.durability);
}

class Publisher {
  public:
    Publisher(const Scene& scene, const StageInWorld& stage, const std::vector<Switch>& switches, ros::Published what)
        : scene_(scene), switches_(switches), what_(std::move(what)), places_(scene, stage, what_.frames)
    {
        std::stable_sort(switches_.begin(), switches_.end(),
                         [](const Switch& a, const Switch& b) { return a.time < b.time; });
    }

    void report_unknown(Diagnostics& found) const
    {
        std::vector<std::string> controllers;
        for (const ros::Controller& one : ros::controllers(*scene_.stage))
            controllers.push_back(one.prim.path().text());
        for (const Switch& one : switches_)
            if (std::none_of(what_.channels.begin(), what_.channels.end(),
                             [&](const ros::Channel& channel) { return is_meant(one, channel); }) &&
                find_label(controllers, one.name).empty())
                found.add(kArgument, {}, fmt::format("there is no publisher '{}'", one.name));
    }

    /// Reports which channels of the file have no message, and why, in one finding.
    void report_silent(Diagnostics& found) const
    {
        std::map<std::string, std::vector<std::string>> topics_of;
        const ros::Channel*                             first = nullptr;
        for (const Line& line : lines_) {
            if (line.messages > 0) continue;
            if (first == nullptr) first = line.channel;
            const bool made = line.states || !line.channel->frames.empty();
            topics_of[!made                       ? fmt::format("Mechane makes no {}", line.channel->type)
                      : line.channel->rate > 0    ? "switched off whenever they were due"
                      : line.channel->frames.empty() ? "no publish_rate"
                                                  : "switched off"]
                .push_back(line.channel->topic);
        }
        if (lines_.empty())
            found.add(kChannelSilent, {}, "the file has no message: no publisher of the stage is ever on");
        if (first == nullptr) return;
        std::string parts;
        for (const auto& [why, topics] : topics_of)
            parts += fmt::format("{}{}{} ({})", parts.empty() ? "" : "; ", topics.front(),
                                 topics.size() > 1 ? fmt::format(" and {} more", topics.size() - 1) : "", why);
        found.add(kChannelSilent, first->prim.site(), fmt::format("without a message: {}", parts));
    }

    Result<void> write(const record::Recording& recording, const std::string& file)
    {
        record::McapWriter out("ros2", "mechane");
        for (const ros::Channel& channel : what_.channels)
            if (ever_on(channel)) open(out, channel);
        for (const record::Frame& frame : recording.frames)
            for (Line& line : lines_)
                if (is_on(*line.channel, frame.t)) say(out, line, frame);
        return out.finish(file);
    }

  private:
    /// One channel of the file.
    struct Line {
        const ros::Channel* channel = nullptr;
        std::uint16_t       id      = 0;
        Joints              joints;
        bool                states = false;
        double              next   = 0;      ///< [s]
        bool                said   = false;  ///< already written; a latched channel is written once
        std::size_t         messages = 0;
    };
    const Scene&                         scene_;
    std::vector<Switch>                  switches_;
    ros::Published                       what_;
    Places                               places_;
    std::vector<Line>                    lines_;
    std::map<std::string, std::uint16_t> schemas_;

    static bool is_meant(const Switch& one, const ros::Channel& channel)
    { return one.name == channel.topic || one.name == channel.prim.path().text(); }

    [[nodiscard]] bool is_on(const ros::Channel& channel, double t) const
    {
        bool on = channel.starts_enabled;
        for (const Switch& one : switches_)
            if (one.time <= t && is_meant(one, channel)) on = one.on;
        return on;
    }

    [[nodiscard]] bool ever_on(const ros::Channel& channel) const
    {
        return is_on(channel, 0) || std::any_of(switches_.begin(), switches_.end(),
                                                [&](const Switch& one) { return one.on && is_meant(one, channel); });
    }

    void open(record::McapWriter& out, const ros::Channel& channel)
    {
        const auto [schema, fresh] = schemas_.try_emplace(channel.type);
        if (fresh) {
            const std::string text = message_definition(channel.type);
            schema->second         = out.schema(channel.type, text.empty() ? "" : "ros2msg", text);
        }
        std::map<std::string, std::string> about{{"offered_qos_profiles", qos_profile(channel.qos)},
                                                 {"prim", channel.prim.path().text()}};
        if (channel.rate > 0) about["publish_rate"] = fmt::format("{}", channel.rate);
        if (channel.domain) about["domain_id"] = std::to_string(*channel.domain);
        Line line{.channel = &channel, .id = out.channel(schema->second, channel.topic, "cdr", about), .joints = {}};
        line.states = channel.type == kJointState;
        if (line.states) line.joints = joints_of(scene_, channel.prim);
        lines_.push_back(std::move(line));
    }

    void say(record::McapWriter& out, Line& line, const record::Frame& at)
    {
        const std::uint64_t now = nanoseconds(at.t);
        if (!line.channel->frames.empty()) {
            const bool latched = line.channel->qos.durability == "transient_local";
            if (latched && std::exchange(line.said, true)) return;
            std::vector<TransformStamped> transforms;
            for (const std::size_t f : line.channel->frames)
                transforms.push_back({what_.frames[f].parent_id, what_.frames[f].id, places_.relative(f, at)});
            out.message(line.id, now, tf_message(now, transforms));
            ++line.messages;
        } else if (line.states && line.channel->rate > 0) {
            // Allows 0.5 ns of rounding: frames lie at multiples of the step.
            if (at.t + 0.5 / kNanoseconds < line.next) return;
            const double period = 1 / line.channel->rate;
            line.next           = (std::floor(at.t / period + 1e-9) + 1) * period;
            JointStates states{.names = line.joints.names, .position = {}, .velocity = {}};
            for (std::size_t i = 0; i < states.names.size(); ++i) {
                states.position.push_back(static_cast<double>(at.joint_q[line.joints.q[i]]));
                states.velocity.push_back(static_cast<double>(at.joint_qd[line.joints.qd[i]]));
            }
            out.message(line.id, now, joint_state(now, states));
            ++line.messages;
        }
    }
};

}  // namespace

Result<Switch> parse_switch(const std::string& text, bool on)
{
    Switch            out{.name = text, .time = 0, .on = on};
    const std::size_t at = text.rfind('@');
    if (at != std::string::npos) {
        out.name        = text.substr(0, at);
        const char* end = text.data() + text.size();
        const auto  got = std::from_chars(text.data() + at + 1, end, out.time);
        if (got.ec != std::errc() || got.ptr != end || !(out.time >= 0))
            return make_diagnostic(kArgument, {}, fmt::format("'{}' is not of the form NAME@SECONDS", text));
    }
    if (out.name.empty()) return make_diagnostic(kArgument, {}, fmt::format("'{}' names nothing", text));
    return out;
}

Result<void> write_mcap(const Scene& scene, const record::Recording& recording, const StageInWorld& stage,
                        const std::vector<Switch>& switches, const ros::TypeTable& types, const std::string& file,
                        Diagnostics& found)
{
    Publisher publisher(scene, stage, switches, ros::channels(*scene.stage, types, found));
    publisher.report_unknown(found);
    auto done = publisher.write(recording, file);
    if (done) publisher.report_silent(found);
    return done;
}

}  // namespace mechane::run
