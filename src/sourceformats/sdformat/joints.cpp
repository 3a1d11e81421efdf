// <joint>: its ends, axes, limits, and what it follows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mechane/core/nearest.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/sdformat/reader.h"

namespace mechane::sourceformats {
namespace {

constexpr double kSdfUnlimited = 1e15;  // SDFormat writes 1e16 where there is no limit
constexpr double kInfinite     = std::numeric_limits<double>::infinity();
constexpr double kAxesInJoints = 1.05;  // version 1.5, as version_of() has it

}  // namespace

// Parent and child may be any frames of the scope (since SDFormat 1.7); what moves is the link that the frame is
// attached to. -1 is the world, -3 an error that was told.
int SdformatReader::joint_end(const PendingJoint& j, const char* which, int& node)
{
    const XmlElement* e = j.e->child(which);
    node                = -1;
    if (e == nullptr) {
        s_.error(kMissing, j.e->place, fmt::format("the joint '{}' has no {}", j.e->get("name"), which));
        return -3;
    }
    bool world = false;
    node       = frame_named(j.scope, words(*e), *e, &world);
    if (node < 0) return world ? -1 : -3;
    return link_of(node, *e);
}

void SdformatReader::joint(const PendingJoint& j)
{
    const XmlElement&  e     = *j.e;
    const std::string  name  = e.get("name", "joint");
    const std::string* typed = e.find("type");
    if (typed == nullptr) return s_.error(kMissing, e.place, fmt::format("the joint '{}' has no type", name));
    std::string                       type     = *typed;
    static constexpr std::string_view kTypes[] = {"revolute", "revolute2", "prismatic", "ball",      "universal",
                                                  "screw",    "gearbox",   "fixed",     "continuous"};
    if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes))
        return s_.error(kWord, e.place,
                        fmt::format("type of joint '{}' is '{}', expected {}", name, type, fmt::join(kTypes, ", ")));
    int       parent_node = -1, child_node = -1;
    const int parent = joint_end(j, "parent", parent_node), child = joint_end(j, "child", child_node);
    e.why = "this joint cannot be placed in the tree, so nothing else of it is read";
    if (parent < -1 || child < -1) return;
    if (parent == child) {
        const bool both = parent < 0;
        if (!both)
            s_.error(kTree, e.place, fmt::format("the joint '{}' connects a link with itself", name));
        else
            s_.losses.add({"static-joint",
                           Severity::info,
                           LossAction::dropped,
                           "kinematics",
                           site_of(e.place),
                           fmt::format("joint '{}'", name),
                           type,
                           {},
                           "both its ends are part of the world"});
        return;
    }
    if (type == "gearbox") {
        e.why = "a gear couples two joints";
        s_.losses.add({"gearbox",
                       Severity::error,
                       LossAction::dropped,
                       "kinematics",
                       site_of(e.place),
                       fmt::format("joint '{}'", name),
                       "gearbox",
                       {},
                       "USD has no gear between bodies",
                       true});
        return;
    }
    e.why.clear();
    Joint made;
    made.name   = s_.unique(joint_names_, scopes_[at(j.scope)].prefix + name, e, "joint", false);
    made.place  = e.place;
    made.parent = parent, made.child = child;
    // The joint has a frame of its own, relative to the child unless it says otherwise, and both sides see it where the
    // model stands at zero.
    made.X_PJ = below(parent, j.node);
    made.X_CJ = below(child, j.node);
    if (type == "screw") {
        std::string told = "screw";
        for (const char* pitch : {"thread_pitch", "screw_thread_pitch"})
            if (const XmlElement* given = e.child(pitch)) told += fmt::format(", {} {}", pitch, words(*given));
        s_.losses.add({"screw", Severity::error, LossAction::approximated, "kinematics", site_of(e.place),
                       fmt::format("joint '{}'", name), told, "revolute", "USD has no joint whose turning advances it",
                       true});
        for (const char* pitch : {"thread_pitch", "screw_thread_pitch"})
            if (const XmlElement* unread = e.child(pitch)) unread->why = "USD has no joint whose turning advances it";
        type = "revolute";
    }
    const XmlElement* axis  = e.child("axis");
    const XmlElement* axis2 = e.child("axis2");
    if (type == "fixed") {
        made.kind = Joint::Kind::fixed;
    } else if (type == "ball") {
        made.kind = Joint::Kind::ball;
        made.dofs.emplace_back();  // as the other readers have it: one of the joint's name
        made.dofs[0].name  = made.name;
        made.dofs[0].place = made.dofs[0].limit_place = e.place;
        // Two axes: the first is fixed in the parent, the second in the child.
    } else if (type == "universal" || type == "revolute2") {
        made.kind = Joint::Kind::generic;
        made.dofs.push_back(dof(j, made, axis, true, false, Vec3d{0, 0, 1}));
        made.dofs.push_back(dof(j, made, axis2, true, false, Vec3d{0, 1, 0}));
        made.dofs[1].name += "_2";
    } else {
        made.kind = type == "prismatic" ? Joint::Kind::prismatic : Joint::Kind::revolute;
        made.dofs.push_back(dof(j, made, axis, type != "prismatic", type == "continuous", Vec3d{0, 0, 1}));
    }
    if (made.child < 0) {  // the world is told as the child
        turn(made);
        s_.losses.add({"turned", Severity::info, LossAction::converted, "kinematics", site_of(e.place),
                       fmt::format("joint '{}'", name), "its child is the world", "its parent is",
                       "the world is never moved"});
    }
    const int index                 = static_cast<int>(tree_.joints.size());
    read_joints_[&e]                = index;
    joint_of_name_[{j.scope, name}] = index;
    tree_.joints.push_back(std::move(made));
}

void SdformatReader::turn(Joint& joint)
{
    std::swap(joint.parent, joint.child);
    // Seen from the other side every motion is reversed: the axes change their sign, so that q keeps its own, and
    // several axes follow one another in reverse.
    std::swap(joint.X_PJ, joint.X_CJ);
    for (Dof& d : joint.dofs) d.axis = -d.axis;
    std::reverse(joint.dofs.begin(), joint.dofs.end());
}

Dof SdformatReader::dof(const PendingJoint& j, const Joint& of, const XmlElement* e, bool angular, bool endless,
                        const Vec3d& otherwise)
{
    Dof out;
    out.name    = of.name;
    out.angular = angular;
    out.axis    = otherwise;
    out.place = out.limit_place = e != nullptr ? e->place : of.place;
    if (e == nullptr) {
        s_.error(kMissing, of.place, fmt::format("the joint '{}' has no axis; z is taken", j.e->get("name")));
        return out;
    }
    if (const XmlElement* xyz = e->child("xyz")) {
        const auto v = numbers_of(*xyz, 3, 3);
        if (v) {
            const Vec3d a{(*v)[0], (*v)[1], (*v)[2]};
            if (length(a) > 1e-9)
                out.axis = normalized(a);
            else
                s_.error(kNumber, xyz->place, fmt::format("the axis of joint '{}' has no direction", j.e->get("name")),
                         kDirectionHint);
        }
        // An axis is in the frame of the joint; expressed_in names another one, use_parent_model_frame is the word of
        // versions 1.5 and 1.6. Before these every axis was in the frame of the model (libsdformat, 1_4.convert).
        int frame = j.node;
        if (const std::string in = xyz->get("expressed_in"); !in.empty()) {
            bool      world = false;
            const int found = frame_named(j.scope, in, *xyz, &world);
            if (found >= 0 || world) frame = found;
        }
        if (flag(*e, "use_parent_model_frame", scopes_[at(j.scope)].version < kAxesInJoints))
            frame = scopes_[at(j.scope)].model;
        if (frame != j.node) out.axis = normalized(rotate(conjugate(pose_of(j.node).q) * pose_of(frame).q, out.axis));
    }
    if (const XmlElement* limit = e->child("limit")) {
        out.limit_place  = limit->place;
        const auto lower = number(*limit, "lower", true), upper = number(*limit, "upper", true),
                   effort = number(*limit, "effort", true), velocity = number(*limit, "velocity", true);
        if (lower && *lower > -kSdfUnlimited) out.lower = *lower;
        if (upper && *upper < kSdfUnlimited) out.upper = *upper;
        if (endless && (std::isfinite(out.lower) || std::isfinite(out.upper))) {
            s_.losses.add({"continuous-limits",
                           Severity::info,
                           LossAction::dropped,
                           "kinematics",
                           site_of(limit->place),
                           fmt::format("joint '{}'/limit", j.e->get("name")),
                           fmt::format("{} {}", out.lower, out.upper),
                           {},
                           "a continuous joint has no limits of position"});
            out.lower = -kInfinite, out.upper = kInfinite;
        }
        if (out.lower > out.upper)
            s_.error(kLimits, limit->place,
                     fmt::format("the lower limit {} of joint '{}' is above the upper one {}", out.lower,
                                 j.e->get("name"), out.upper));
        // -1 and 1e16 both stand for "no limit".
        if (effort && *effort >= 0 && *effort < kSdfUnlimited) {
            Drive drive;
            drive.max_force = *effort;
            drive.place     = limit->place;
            out.drive       = drive;
        }
        if (velocity && *velocity >= 0 && *velocity < kSdfUnlimited) out.velocity_limit = *velocity;
        // OpenUSD's schemas tell gains of an angle per degree.
        const double turn = angular ? kDegree : 1;
        const auto   put  = [&](const char* name, double value) {
            out.extras.push_back(
                {Extra::Layer::newton, name, "float", usda_number(value), "NewtonJointAPI", limit->place});
        };
        const auto stiffness = number(*limit, "stiffness", true), dissipation = number(*limit, "dissipation", true);
        if (stiffness && *stiffness > 0 && *stiffness < kHardLimit) put("newton:limitStiffness", *stiffness * turn);
        if (dissipation && *dissipation > 0 && (!stiffness || *stiffness < kHardLimit))
            put("newton:limitDamping", *dissipation * turn);
    }
    if (const XmlElement* dynamics = e->child("dynamics")) {
        const auto damping = number(*dynamics, "damping"), friction = number(*dynamics, "friction"),
                   stiffness = number(*dynamics, "spring_stiffness"), reference = number(*dynamics, "spring_reference");
        if (damping && *damping >= 0) out.damping = *damping;
        if (friction && *friction >= 0) out.friction = *friction;
        if (stiffness && *stiffness > 0) {
            out.extras.push_back({Extra::Layer::mujoco, "mjc:stiffness", "double", usda_number(*stiffness),
                                  "MjcJointAPI", dynamics->place});
            if (reference && *reference != 0)
                out.extras.push_back({Extra::Layer::mujoco, "mjc:springref", "double",
                                      usda_number(angular ? *reference / kDegree : *reference), "MjcJointAPI",
                                      dynamics->place});
            s_.losses.add({"spring", Severity::warning, LossAction::converted, "kinematics", site_of(dynamics->place),
                           fmt::format("joint '{}'/spring_stiffness", j.e->get("name")), usda_number(*stiffness),
                           "mjc:stiffness",
                           "USD's joints have no springs of their own; the value is kept in MuJoCo's layer"});
        }
    }
    return out;
}

void SdformatReader::mimics(const PendingJoint& j)
{
    const auto own = read_joints_.find(j.e);
    if (own == read_joints_.end()) return;
    const XmlElement* axis = j.e->child("axis");
    const XmlElement* m    = axis != nullptr ? axis->child("mimic") : nullptr;
    if (const XmlElement* axis2 = j.e->child("axis2"))
        if (const XmlElement* second = axis2->child("mimic"))
            s_.error(kUnsupported, second->place, "only the first axis of a joint may follow another");
    if (m == nullptr) return;
    const std::string name     = m->get("joint");
    const std::string which    = m->get("axis", "axis");
    const auto        leader   = joint_of_name_.find({j.scope, name});
    Joint&            follower = tree_.joints[at(own->second)];
    if (leader == joint_of_name_.end() || leader->second == own->second) {
        std::vector<std::string> names;
        for (const auto& [key, index] : joint_of_name_)
            if (key.first == j.scope) names.push_back(key.second);
        return s_.error(
            kUnknownName, m->place,
            fmt::format("the mimic of joint '{}' names '{}', which is not another joint", follower.name, name),
            did_you_mean(name, names));
    }
    if (which != "axis" || follower.dofs.size() != 1 || tree_.joints[at(leader->second)].dofs.size() != 1)
        return s_.error(kUnsupported, m->place,
                        fmt::format("the mimic of joint '{}' needs two joints of one axis", follower.name));
    const double multiplier = number(*m, "multiplier").value_or(1), offset = number(*m, "offset").value_or(0),
                 reference = number(*m, "reference").value_or(0);
    // q = multiplier (q_leader - reference) + offset
    follower.mimic = Mimic{leader->second, multiplier, offset - multiplier * reference, m->place};
}

}  // namespace mechane::sourceformats
