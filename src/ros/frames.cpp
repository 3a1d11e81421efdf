// The tree of frames of a robot as ROS sees it (tf2), from the bodies, joints and frame prims of a stage.
// Input: a stage. Output: frames, parents before children, each with its id, its topic, whether it is static, and its
// pose in the parent's frame X_PF at the default time [stage units].
// A body's parent is the body on the other side of the joint that leads to the base, not the prim above it: tf follows
// kinematics. Frames without a body follow the namespace.
// Invariants: every frame has one parent; loops of joints make no second one; the order does not depend on addresses.
// Called by channels() and by the checks of REP 158.

#include "mechane/ros/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "mechane/ros/codes.h"
#include "mechane/ros/interfaces.h"
#include "mechane/ros/schema.h"

namespace mechane::ros {
namespace {

/// A tree joint between two bodies, or of a body and the world (`other` < 0).
struct Joint {
    usd::Prim    prim;
    std::int32_t body = -1, other = -1;
    bool         fixed = false;
};

/// Bodies and tree joints of a stage, as far as frames depend on them.
class Kinematics {
  public:
    explicit Kinematics(const usd::Stage& stage)
    {
        const std::vector<usd::Prim> all = stage.traverse();
        for (const usd::Prim& prim : all)
            if (prim.has_api("PhysicsRigidBodyAPI") && prim.attribute("physics:rigidBodyEnabled").get_or<bool>(true)) {
                by_prim_.emplace(prim.index(), static_cast<std::int32_t>(bodies.size()));
                bodies.push_back(prim);
            }
        for (const usd::Prim& prim : all)
            if (prim.is_a("PhysicsJoint")) add(stage, prim);
        of_body.resize(bodies.size());
        for (std::size_t j = 0; j < joints.size(); ++j) {
            of_body[static_cast<std::size_t>(joints[j].body)].push_back(j);
            if (joints[j].other >= 0) of_body[static_cast<std::size_t>(joints[j].other)].push_back(j);
        }
    }

    std::vector<usd::Prim>                bodies;
    std::vector<Joint>                    joints;
    std::vector<std::vector<std::size_t>> of_body;

    /// The body at or above a prim, or -1.
    [[nodiscard]] std::int32_t body_at(usd::Prim prim) const
    {
        for (; prim; prim = prim.parent())
            if (const auto known = by_prim_.find(prim.index()); known != by_prim_.end()) return known->second;
        return -1;
    }
    [[nodiscard]] std::int32_t index_of(const usd::Prim& prim) const
    {
        const auto known = by_prim_.find(prim.index());
        return known == by_prim_.end() ? -1 : known->second;
    }

  private:
    std::unordered_map<std::uint32_t, std::int32_t> by_prim_;  ///< never iterated

    void add(const usd::Stage& stage, const usd::Prim& prim)
    {
        if (!prim.attribute("physics:jointEnabled").get_or<bool>(true) ||
            // Joints outside of the articulation close loops and are no edges of the tree.
            prim.attribute("physics:excludeFromArticulation").get_or<bool>(false))
            return;
        std::int32_t ends[2] = {-1, -1};
        for (int side = 0; side < 2; ++side)
            if (const auto targets = prim.relationship("physics:body" + std::to_string(side)).targets();
                !targets.empty())
                ends[side] = body_at(stage.prim_at(targets.front()));
        if (ends[0] == ends[1]) return;
        // Of a joint to the world the body is the one that exists, whichever side names it.
        Joint joint{.prim = prim, .body = ends[1] >= 0 ? ends[1] : ends[0], .other = ends[1] >= 0 ? ends[0] : -1};
        joint.fixed = prim.is_a("PhysicsFixedJoint") || locked(prim);
        joints.push_back(joint);
    }

    /// A generic joint all of whose six axes are locked: low not below high, as the joints of a simulation have it.
    static bool locked(const usd::Prim& prim)
    {
        if (prim.type_name().text() != "PhysicsJoint") return false;
        int count = 0;
        for (const char* axis : {"transX", "transY", "transZ", "rotX", "rotY", "rotZ"}) {
            const std::string stem = std::string("limit:") + axis + ":physics:";
            const auto        low  = prim.attribute(stem + "low").get<double>(),
                              high = prim.attribute(stem + "high").get<double>();
            count += low && high && std::isfinite(*low) && std::isfinite(*high) && *low >= *high;
        }
        return count == 6;
    }
};

class Tree {
  public:
    explicit Tree(const usd::Stage& stage) : stage_(stage), kinematics_(stage) {}

    std::vector<Frame> build()
    {
        mark_bodies();
        for (const usd::Prim& prim : stage_.traverse()) {
            const bool         context = applies(prim, Api::context), frame = applies(prim, Api::frame);
            const std::int32_t body   = kinematics_.index_of(prim);
            const bool         linked = body >= 0 && linked_.count(body) != 0;
            if (!context && !frame && !linked) continue;
            Frame out{.id = id_of(prim), .prim = prim, .parent_id = {}, .topic = {}, .X_PF = {}};
            out.kind = linked ? FrameKind::body : context ? FrameKind::context : FrameKind::explicit_frame;
            of_prim_.emplace(prim.index(), frames_.size());
            frames_.push_back(std::move(out));
        }
        for (Frame& frame : frames_) place(frame);
        return in_order();
    }

  private:
    const usd::Stage&                                  stage_;
    Kinematics                                         kinematics_;
    std::vector<Frame>                                 frames_;
    std::unordered_map<std::uint32_t, std::size_t>     of_prim_;  ///< never iterated
    std::map<std::int32_t, std::optional<std::size_t>> linked_;   ///< body -> its joint towards the base

    static std::string id_of(const usd::Prim& prim)
    {
        if (applies(prim, Api::frame))
            if (auto id = text(prim, "ros:frame:id")) return *id;
        return prim.name().text();
    }

    /// Bodies that tree joints connect to the base of a robot, by breadth from the base; loops make no further edges.
    void mark_bodies()
    {
        std::vector<std::set<std::int32_t>> trees = components();
        for (const std::set<std::int32_t>& tree : trees) {
            const std::int32_t base = base_of(tree);
            // Bodies outside of any robot publish no transforms.
            if (base < 0 || !outermost_context(kinematics_.bodies[static_cast<std::size_t>(base)])) continue;
            std::deque<std::int32_t> waiting{base};
            linked_.emplace(base, std::nullopt);
            while (!waiting.empty()) {
                const std::int32_t body = waiting.front();
                waiting.pop_front();
                for (const std::size_t j : kinematics_.of_body[static_cast<std::size_t>(body)]) {
                    const Joint& joint = kinematics_.joints[j];
                    if (joint.other < 0) continue;
                    const std::int32_t next = joint.body == body ? joint.other : joint.body;
                    // Breadth first, so each body hangs on the joint that is nearest to the base. The first joint that
                    // reaches it wins, and one that closes a loop finds it taken.
                    if (linked_.emplace(next, j).second) waiting.push_back(next);
                }
            }
        }
    }

    /// Bodies that joints connect; a body without any joint is loose, unless it is a robot's root itself.
    [[nodiscard]] std::vector<std::set<std::int32_t>> components() const
    {
        std::vector<std::set<std::int32_t>> out;
        std::set<std::int32_t>              seen;
        for (std::int32_t b = 0; b < static_cast<std::int32_t>(kinematics_.bodies.size()); ++b) {
            const auto i = static_cast<std::size_t>(b);
            if (seen.count(b) != 0 || (kinematics_.of_body[i].empty() && !applies(kinematics_.bodies[i], Api::context)))
                continue;
            std::set<std::int32_t>   tree{b};
            std::deque<std::int32_t> waiting{b};
            while (!waiting.empty()) {
                const std::int32_t body = waiting.front();
                waiting.pop_front();
                for (const std::size_t j : kinematics_.of_body[static_cast<std::size_t>(body)])
                    for (const std::int32_t next : {kinematics_.joints[j].body, kinematics_.joints[j].other})
                        if (next >= 0 && tree.insert(next).second) waiting.push_back(next);
            }
            seen.insert(tree.begin(), tree.end());
            out.push_back(std::move(tree));
        }
        return out;
    }

    // std::set iterates in the order of the stage, which makes the choice of the base the same in every run.
    /// A body that a joint ties to the world, else the one that no joint names as its child, else the first.
    [[nodiscard]] std::int32_t base_of(const std::set<std::int32_t>& tree) const
    {
        std::int32_t free = -1;
        for (const std::int32_t body : tree) {
            bool child = false;
            for (const std::size_t j : kinematics_.of_body[static_cast<std::size_t>(body)]) {
                const Joint& joint = kinematics_.joints[j];
                if (joint.other < 0) return body;
                child |= joint.body == body;
            }
            if (!child && free < 0) free = body;
        }
        return free >= 0 ? free : *tree.begin();
    }

    [[nodiscard]] std::int32_t frame_of(const usd::Prim& prim) const
    {
        const auto known = prim ? of_prim_.find(prim.index()) : of_prim_.end();
        return known == of_prim_.end() ? -1 : static_cast<std::int32_t>(known->second);
    }
    [[nodiscard]] std::int32_t frame_above(const usd::Prim& prim) const
    {
        for (usd::Prim p = prim.parent(); p; p = p.parent())
            if (const std::int32_t frame = frame_of(p); frame >= 0) return frame;
        return -1;
    }

    /// Whether the base of a tree is held by the world: by a fixed joint, or as a kinematic body that nothing animates.
    [[nodiscard]] bool anchored(std::int32_t body) const
    {
        const usd::Prim& prim = kinematics_.bodies[static_cast<std::size_t>(body)];
        for (const std::size_t j : kinematics_.of_body[static_cast<std::size_t>(body)])
            if (kinematics_.joints[j].other < 0) return kinematics_.joints[j].fixed;
        if (!prim.attribute("physics:kinematicEnabled").get_or<bool>(false)) return false;
        for (const usd::Token& name : prim.authored_property_names())
            if (name.text().starts_with("xformOp:") && prim.attribute(name).varying()) return false;
        return true;
    }

    void place(Frame& frame)
    {
        const usd::Prim&   prim    = frame.prim;
        const std::int32_t body    = kinematics_.index_of(prim);
        const auto         link    = body < 0 ? linked_.end() : linked_.find(body);
        const bool         is_body = link != linked_.end(), outermost = outermost_context(prim) == prim;
        if (is_body && link->second) {
            const Joint&       joint = kinematics_.joints[*link->second];
            const std::int32_t other = joint.body == body ? joint.other : joint.body;
            frame.parent             = frame_of(kinematics_.bodies[static_cast<std::size_t>(other)]);
            frame.joint              = joint.prim;
            frame.is_static          = joint.fixed;
        } else {
            frame.parent = frame_above(prim);
            if (is_body) {
                frame.is_static = anchored(body);
                // A base that moves on a joint of the world is no floating one.
                for (const std::size_t j : kinematics_.of_body[static_cast<std::size_t>(body)])
                    if (kinematics_.joints[j].other < 0 && !kinematics_.joints[j].fixed && !frame.joint)
                        frame.joint = kinematics_.joints[j].prim;
            } else if (frame.kind == FrameKind::explicit_frame)
                frame.is_static = prim.attribute("ros:frame:static").get_or<bool>(true);
        }
        frame.topic = tf_topic(prim, frame.is_static);
        if (frame.parent >= 0) {
            frame.parent_id = frames_[static_cast<std::size_t>(frame.parent)].id;
        } else {
            const usd::Prim context = outermost ? prim : outermost_context(prim);
            // The frame outside of the robot that its root hangs on: "world" unless the context names another.
            frame.parent_id = context ? text(context, "ros:context:parent_frame").value_or("world") : "world";
            if (frame.parent_id.empty()) frame.parent_id = "world";
        }
        // Scale and shear are dropped: a transform of ROS is rigid.
        const usd::Matrix4d world = stage_.world_matrix(prim);
        const auto          rigid = [](const usd::Matrix4d& m) {
            const usd::Decomposition d = usd::decompose(m);
            return Posed{d.translation, d.rotation};
        };
        const Posed X_WF = rigid(world);
        frame.X_PF =
            frame.parent < 0
                ? X_WF
                : inverse(rigid(stage_.world_matrix(frames_[static_cast<std::size_t>(frame.parent)].prim))) * X_WF;
    }

    /// Parents before children.
    std::vector<Frame> in_order()
    {
        std::vector<std::vector<std::size_t>> below(frames_.size());
        std::deque<std::size_t>               waiting;
        for (std::size_t i = 0; i < frames_.size(); ++i)
            if (frames_[i].parent < 0)
                waiting.push_back(i);
            else
                below[static_cast<std::size_t>(frames_[i].parent)].push_back(i);
        std::vector<Frame>        out;
        std::vector<std::int32_t> now(frames_.size(), -1);
        while (!waiting.empty()) {
            const std::size_t i = waiting.front();
            waiting.pop_front();
            Frame frame = frames_[i];
            if (frame.parent >= 0) frame.parent = now[static_cast<std::size_t>(frame.parent)];
            now[i] = static_cast<std::int32_t>(out.size());
            out.push_back(std::move(frame));
            // Pushed to the front in reverse, which gives depth-first order with children in the order of the stage.
            for (auto child = below[i].rbegin(); child != below[i].rend(); ++child) waiting.push_front(*child);
        }
        return out;
    }
};

}  // namespace

std::string_view to_string(FrameKind kind)
{
    switch (kind) {
        case FrameKind::context:
            return "context";
        case FrameKind::body:
            return "body";
        case FrameKind::explicit_frame:
            return "frame";
    }
    return "";
}

std::vector<Frame> frames(const usd::Stage& stage, Diagnostics& found)
{
    std::vector<Frame> all = Tree(stage).build();
    for (const FrameClash& clash : clashes(all))
        found.add(kFrameDuplicate, all[clash.frame].prim.site(),
                  fmt::format("frame id \"{}\" also names {}", all[clash.frame].id,
                              clash.other < 0 ? "the frame that the robot hangs on"
                                              : all[static_cast<std::size_t>(clash.other)].prim.path().text()));
    return all;
}

std::vector<FrameClash> clashes(const std::vector<Frame>& frames)
{
    std::vector<std::size_t> order(frames.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return frames[a].prim.index() < frames[b].prim.index(); });
    std::set<std::pair<std::string, std::string>> outside;  // topic, id
    for (const Frame& frame : frames)
        // An id that equals the outer frame of its topic would make a frame its own parent.
        if (frame.parent < 0) outside.emplace(tf_topic(frame.prim, false), frame.parent_id);
    std::map<std::pair<std::string, std::string>, std::size_t> seen;
    std::vector<FrameClash>                                    found;
    for (const std::size_t i : order) {
        // The key uses the dynamic topic for both kinds: tf2 joins /tf and /tf_static into one tree.
        const std::pair key{tf_topic(frames[i].prim, false), frames[i].id};
        if (const auto [at, fresh] = seen.try_emplace(key, i); !fresh)
            found.push_back({i, static_cast<std::int32_t>(at->second)});
        else if (outside.count(key) != 0)
            found.push_back({i, -1});
    }
    return found;
}

}  // namespace mechane::ros
