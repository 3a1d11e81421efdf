// What a stage publishes while it is simulated: channels of REP-0158 with topics, rates and switches, and for each
// frame of a recording the messages that are due. Used for MCAP files (publish.cpp) and live bridges.
// Poses in metres in the world; time is that of frames.

#include "run/publication.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "mechane/ros/controllers.h"

namespace mechane::run {
namespace {

constexpr double kRounding    = 0.5e-9;  ///< frames lie at multiples of the step, but for rounding [s]
constexpr double kDefaultRate = 50;      ///< of joint states that no stage asks for [Hz]

bool is_meant(const Switch& one, const ros::Channel& channel)
{ return one.name == channel.topic || (channel.prim && one.name == channel.prim.path().text()); }

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
/// Names are by ros::joint_name; order is that of paths, so that messages do not depend on the importer.
PublishedJoints joints_of(const Scene& scene, const usd::Prim& publisher)
{
    PublishedJoints joints;
    const usd::Prim context = ros::nearest_context(publisher);
    const auto      listed  = broadcast_joints(*scene.stage, publisher);
    for (const auto& [path, index] : scene.imported.path_joint_map) {
        const usd::Prim prim = scene.stage->prim_at(usd::Path(path));
        if (!prim || index < 0) continue;
        const auto             j    = static_cast<std::size_t>(index);
        const model::JointType type = scene.model.joint_type[j];
        if (type != model::JointType::revolute && type != model::JointType::prismatic) continue;
        if (listed ? listed->count(prim.path()) == 0 : context && !child_of(scene, prim, j).has_prefix(context.path()))
            continue;
        joints.names.push_back(ros::joint_name(prim));
        joints.q.push_back(static_cast<std::size_t>(scene.model.joint_q_start[j]));
        joints.qd.push_back(static_cast<std::size_t>(scene.model.joint_qd_start[j]));
    }
    return joints;
}

/// Last elements of labels; where several have one, as much of the path as tells them apart, joined by underscores.
std::vector<std::string> short_names(const std::vector<std::string>& labels)
{
    const auto tail = [](const std::string& label, int elements) {
        std::size_t at = label.size();
        for (int k = 0; k < elements && at > 0 && at != std::string::npos; ++k) at = label.rfind('/', at - 1);
        std::string out = at == std::string::npos ? label : label.substr(at);
        while (out.starts_with('/')) out.erase(0, 1);
        std::replace(out.begin(), out.end(), '/', '_');
        return out.empty() ? label : out;
    };
    constexpr int            kMostElements = 32;
    std::vector<std::string> out(labels.size());
    std::vector<int>         elements(labels.size(), 1);
    // Each round one more element for those that still collide; numbers at the end if nothing helps.
    for (int round = 0; round < kMostElements; ++round) {
        std::map<std::string, int> count;
        for (std::size_t i = 0; i < labels.size(); ++i) ++count[out[i] = tail(labels[i], elements[i])];
        bool again = false;
        for (std::size_t i = 0; i < labels.size(); ++i)
            if (count[out[i]] > 1) ++elements[i], again = true;
        if (!again) break;
    }
    std::map<std::string, int> seen;
    for (std::string& name : out)
        if (const int n = seen[name]++; n > 0) name += "_" + std::to_string(n);
    return out;
}

}  // namespace

FramePlaces::FramePlaces(const Scene& scene, const StageInWorld& stage, const std::vector<ros::Frame>& frames)
    : scene_(scene), stage_(stage), frames_(frames)
{
    // Frames ride on bodies: offset from the body that carries them, or a fixed pose.
    for (const ros::Frame& frame : frames) offsets_.push_back(offset_of(frame.prim));
}

Posed FramePlaces::relative(std::size_t frame, const record::Frame& at) const
{
    const std::int32_t parent = frames_[frame].parent;
    const Posed        X_WF   = world(frame, at);
    return parent < 0 ? X_WF : inverse(world(static_cast<std::size_t>(parent), at)) * X_WF;
}

Posed FramePlaces::on_stage(const usd::Prim& prim) const
{
    const usd::Decomposition d = usd::decompose(scene_.stage->world_matrix(prim));
    return {d.translation * stage_.meters_per_unit, d.rotation};
}

FramePlaces::Offset FramePlaces::offset_of(const usd::Prim& prim) const
{
    const auto& bodies = scene_.imported.path_body_map;
    for (usd::Prim above = prim; above && !above.path().is_root(); above = above.parent())
        if (const auto body = bodies.find(above.path().text()); body != bodies.end() && body->second >= 0) {
            // If bodies were merged, the label names the remaining one.
            const usd::Path left(scene_.model.body_label[static_cast<std::size_t>(body->second)]);
            if (const usd::Prim carrier = scene_.stage->prim_at(left))
                // From the stage's start poses, which the model's may differ from by the projection onto joints.
                return {body->second, inverse(on_stage(carrier)) * on_stage(prim)};
        }
    return {-1, stage_.X_WS * on_stage(prim)};
}

Posed FramePlaces::world(std::size_t frame, const record::Frame& at) const
{
    const Offset& offset = offsets_[frame];
    if (offset.body < 0 || static_cast<std::size_t>(offset.body) >= at.body_q.size()) return offset.X;
    return Posed(at.body_q[static_cast<std::size_t>(offset.body)]) * offset.X;
}

Publication::Publication(const Scene& scene, const StageInWorld& stage, std::vector<Switch> switches,
                         ros::Published what, bool particles)
    : scene_(scene), switches_(std::move(switches)), what_(std::move(what)), places_(scene, stage, what_.frames)
{
    std::stable_sort(switches_.begin(), switches_.end(),
                     [](const Switch& a, const Switch& b) { return a.time < b.time; });
    for (const ros::Channel& channel : what_.channels) {
        if (!ever_on(channel)) continue;
        Line line{.channel = channel};
        line.states = channel.type == kJointState;
        if (line.states) line.joints = joints_of(scene_, channel.prim);
        lines_.push_back(std::move(line));
    }
    // A stage that asks for nothing is published as robots usually are: /tf and /joint_states of the first world.
    if (what_.channels.empty()) add_defaults();
    if (particles) add_particles();
}

void Publication::add_particles()
{
    const model::Model& model = scene_.model;
    for (std::size_t p = 0; p < model.particle_count(); ++p)
        if (model.particle_world[p] <= 0) particles_.push_back(p);
    if (particles_.empty()) return;
    ros::Channel channel;
    channel.topic = "/particles", channel.type = kPointCloud, channel.rate = kDefaultRate;
    // As sensors publish; a stage may have a topic of the name, and then keeps it.
    channel.qos.reliability = "best_effort", channel.qos.durability = "volatile", channel.qos.history = "keep_last",
    channel.qos.depth = 5;
    for (const Line& line : lines_)
        if (line.channel.topic == channel.topic) return;
    lines_.push_back({.channel = channel, .points = true});
}

void Publication::add_defaults()
{
    const model::Model& model = scene_.model;
    const auto  first_world   = [](const std::vector<std::int32_t>& worlds, std::size_t i) { return worlds[i] <= 0; };
    std::size_t bodies        = 0;
    while (bodies < model.body_count() && first_world(model.body_world, bodies)) ++bodies;
    if (bodies == 0) return;
    names_ = short_names({model.body_label.begin(), model.body_label.begin() + static_cast<std::ptrdiff_t>(bodies)});
    parents_.assign(bodies, -1);
    PublishedJoints          joints;
    std::vector<std::string> labels;
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
        if (!first_world(model.joint_world, j)) continue;
        const auto child = static_cast<std::size_t>(model.joint_child[j]);
        // Loop joints do not make a tree.
        if (child < bodies && model.joint_articulation[j] >= 0) parents_[child] = model.joint_parent[j];
        const model::JointType type = model.joint_type[j];
        if (type != model::JointType::revolute && type != model::JointType::prismatic) continue;
        labels.push_back(model.joint_label[j]);
        joints.q.push_back(static_cast<std::size_t>(model.joint_q_start[j]));
        joints.qd.push_back(static_cast<std::size_t>(model.joint_qd_start[j]));
    }
    joints.names = short_names(labels);
    ros::Channel tf;
    tf.topic = "/tf", tf.type = "tf2_msgs/msg/TFMessage";
    // ROS 2 defaults of these topics.
    tf.qos.reliability = "reliable", tf.qos.durability = "volatile", tf.qos.history = "keep_last", tf.qos.depth = 100;
    lines_.push_back({.channel = tf});
    if (joints.names.empty()) return;
    ros::Channel states = tf;
    states.topic = "/joint_states", states.type = kJointState, states.rate = kDefaultRate, states.qos.depth = 10;
    lines_.push_back({.channel = states, .joints = std::move(joints), .states = true});
}

bool Publication::knows(const Switch& one) const
{
    return std::any_of(what_.channels.begin(), what_.channels.end(),
                       [&](const ros::Channel& channel) { return is_meant(one, channel); });
}

bool Publication::is_on(const ros::Channel& channel, double t) const
{
    bool on = channel.starts_enabled;
    // The last switch before the time decides.
    for (const Switch& one : switches_)
        if (one.time <= t && is_meant(one, channel)) on = one.on;
    return on;
}

bool Publication::ever_on(const ros::Channel& channel) const
{
    return is_on(channel, 0) || std::any_of(switches_.begin(), switches_.end(),
                                            [&](const Switch& one) { return one.on && is_meant(one, channel); });
}

void Publication::begin_again()
{
    for (Line& line : lines_) line.next = 0, line.said = false;
}

std::vector<TransformStamped> Publication::transforms(const Line& line, const record::Frame& at) const
{
    std::vector<TransformStamped> out;
    for (const std::size_t f : line.channel.frames)
        out.push_back({what_.frames[f].parent_id, what_.frames[f].id, places_.relative(f, at)});
    if (line.channel.prim) return out;
    for (std::size_t body = 0; body < names_.size(); ++body) {
        const std::int32_t parent = parents_[body];
        const Posed        X_WB(at.body_q[body]);
        if (parent < 0)
            out.push_back({"world", names_[body], X_WB});
        else
            out.push_back({names_[static_cast<std::size_t>(parent)], names_[body],
                           inverse(Posed(at.body_q[static_cast<std::size_t>(parent)])) * X_WB});
    }
    return out;
}

std::vector<Publication::Message> Publication::at(const record::Frame& frame)
{
    std::vector<Message> out;
    for (std::size_t l = 0; l < lines_.size(); ++l) {
        Line& line = lines_[l];
        if (!is_on(line.channel, frame.t)) continue;
        const auto due = [&] {
            if (frame.t + kRounding < line.next) return false;
            const double period = 1 / line.channel.rate;
            // The next multiple of the period after this frame, so that rounding does not shift the rate.
            line.next = (std::floor(frame.t / period + 1e-9) + 1) * period;
            return true;
        };
        if (line.points) {
            if (!due()) continue;
            PointCloud cloud{.frame = "world", .values = {}};
            cloud.values.reserve(6 * particles_.size());
            for (const std::size_t p : particles_) {
                // A recording that was read from a file may lack them.
                const Vec3 x = p < frame.particle_q.size() ? frame.particle_q[p] : Vec3{},
                           v = p < frame.particle_qd.size() ? frame.particle_qd[p] : Vec3{};
                for (const Real value : {x.x, x.y, x.z, v.x, v.y, v.z})
                    cloud.values.push_back(static_cast<float>(value));
            }
            out.push_back({l, std::move(cloud)});
        } else if (!line.states && (!line.channel.frames.empty() || !line.channel.prim)) {
            // Static transforms are said once; subscribers that come later get them from the middleware.
            const bool latched = line.channel.qos.durability == "transient_local";
            if (latched && std::exchange(line.said, true)) continue;
            out.push_back({l, transforms(line, frame)});
        } else if (line.states && line.channel.rate > 0) {
            if (!due()) continue;
            JointStates states{.names = line.joints.names, .position = {}, .velocity = {}};
            for (std::size_t i = 0; i < states.names.size(); ++i) {
                states.position.push_back(static_cast<double>(frame.joint_q[line.joints.q[i]]));
                states.velocity.push_back(static_cast<double>(frame.joint_qd[line.joints.qd[i]]));
            }
            out.push_back({l, std::move(states)});
        } else {
            continue;
        }
        ++line.messages;
    }
    return out;
}

}  // namespace mechane::run
