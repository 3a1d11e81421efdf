// Controllers that a stage applies to its robots (RosControl... schemas), and the joints or bodies they act on.
// Input: prims. Output: for each controller its kind, whether it starts enabled, and its targets in the order of the
// relations below.
// A schema that this program does not know is kept as kind `other`: whatever joints or bodies its relationships and
// collections lead to are taken as its targets, so that a check can still find two controllers that command one joint.
// Called by the checks of REP 158 and by the simulation, which runs the kinds has_runtime() names.

#include "mechane/ros/controllers.h"

#include <algorithm>
#include <array>

#include "mechane/usd/collection.h"

namespace mechane::ros {
namespace {

using enum ControllerKind;
using enum ControlTarget;

constexpr std::array<std::pair<std::string_view, ControllerKind>, 4> kSchemas{{
    {"RosControlJointTrajectoryAPI", joint_trajectory},
    {"RosControlDiffDriveAPI", diff_drive},
    {"RosControlJointStateBroadcasterAPI", joint_state_broadcaster},
    {"RosControlRigidBodyTwistAPI", rigid_body_twist},
}};

/// The last value says whether the controller commands the target or only reads it.
constexpr std::array kRelations{
    ControlRelation{joint_trajectory, "ros:joint_trajectory:server", action_server, false},
    ControlRelation{joint_trajectory, "ros:joint_trajectory:command_joints", joint, true},
    ControlRelation{diff_drive, "ros:diff_drive:subscriber", subscription, false},
    ControlRelation{diff_drive, "ros:diff_drive:odom", publisher, false},
    ControlRelation{diff_drive, "ros:diff_drive:left_wheels", joint, true},
    ControlRelation{diff_drive, "ros:diff_drive:right_wheels", joint, true},
    ControlRelation{joint_state_broadcaster, "ros:joint_state_broadcaster:publisher", publisher, false},
    ControlRelation{joint_state_broadcaster, "ros:joint_state_broadcaster:joints", joint, false},
    ControlRelation{rigid_body_twist, "ros:rigid_body_twist:subscriber", subscription, false},
    ControlRelation{rigid_body_twist, "ros:rigid_body_twist:body", body, true},
};

ControllerKind kind_of(std::string_view schema)
{
    const auto known = std::find_if(kSchemas.begin(), kSchemas.end(), [&](const auto& s) { return s.first == schema; });
    return known == kSchemas.end() ? other : known->second;
}

bool is_mechanism(const usd::Prim& prim)
{
    return prim && prim.active() && prim.defined() && !prim.abstract() &&
           (prim.is_a("PhysicsJoint") || prim.has_api("PhysicsRigidBodyAPI"));
}

/// The joints and bodies among the targets of a relationship.
void add_targets(const usd::Stage& stage, const usd::Relationship& relation, bool commands,
                 std::vector<ControlledPrim>& out)
{
    // Forwarded: a relationship may name another relationship, as UsdRelationship::GetForwardedTargets follows it.
    for (const usd::Path& target : relation.forwarded())
        if (is_mechanism(stage.prim_at(target))) out.push_back({target, relation.name().text(), commands});
}

/// Of a schema that nobody knows: whatever relationships and collections lead to.
void add_any_targets(const usd::Prim& prim, std::vector<ControlledPrim>& out)
{
    for (const usd::Token& name : prim.authored_property_names())
        if (name.text().starts_with("ros:") || name.text().starts_with("control:"))
            if (const usd::Relationship relation = prim.relationship(name); relation && relation.authored())
                add_targets(prim.stage(), relation, true, out);
    for (const usd::Token& instance : prim.api_instances("CollectionAPI"))
        for (const usd::Path& member : usd::collection(prim, instance).included_paths())
            if (!member.is_property() && is_mechanism(prim.stage().prim_at(member)))
                out.push_back({member, "collection:" + instance.text(), true});
}

}  // namespace

bool has_runtime(ControllerKind kind) { return kind == joint_trajectory || kind == diff_drive; }

std::string_view to_string(ControlTarget target)
{
    switch (target) {
        case joint:
            return "joint";
        case body:
            return "body";
        case subscription:
            return "RosTopicAPI with role subscription";
        case publisher:
            return "RosTopicAPI with role publisher";
        case action_server:
            return "RosActionAPI with role server";
    }
    return "";
}

std::span<const ControlRelation> control_relations() { return kRelations; }

std::vector<Controller> controllers(const usd::Prim& prim)
{
    std::vector<Controller> out;
    const auto              add = [&](std::string schema) {
        Controller one{.prim = prim, .schema = std::move(schema), .targets = {}};
        one.kind           = kind_of(one.schema);
        one.starts_enabled = prim.attribute("control:starts_enabled").get_or<bool>(true);
        if (one.kind == other)
            add_any_targets(prim, one.targets);
        else
            for (const ControlRelation& relation : kRelations)
                if (relation.kind == one.kind && (relation.target == joint || relation.target == body))
                    add_targets(prim.stage(), prim.relationship(usd::Token(std::string(relation.name))),
                                relation.commands, one.targets);
        out.push_back(std::move(one));
    };
    for (const usd::Token& api : prim.authored_apis())
        if (api.text().starts_with("RosControl")) add(api.text());
    if (!out.empty()) return out;
    const auto names = prim.authored_property_names();
    if (std::any_of(names.begin(), names.end(),
                    // Attributes of controllers without a schema: a controller of a kind that is not named.
                    [](const usd::Token& name) { return name.text().starts_with("control:"); }))
        add("");
    return out;
}

std::vector<Controller> controllers(const usd::Stage& stage)
{
    std::vector<Controller> found;
    for (const usd::Prim& prim : stage.traverse())
        for (Controller& one : controllers(prim)) found.push_back(std::move(one));
    return found;
}

}  // namespace mechane::ros
