#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/usd/stage.h"

namespace mechane::ros {

/// The control schemas whose drafts are known (REP-0158 4.2.3); any other one is `other`.
enum class ControllerKind { joint_trajectory, diff_drive, joint_state_broadcaster, rigid_body_twist, other };
/// Whether simulations of Mechane do what a controller of this kind does.
bool has_runtime(ControllerKind kind);

/// What a relationship of a control schema leads to.
enum class ControlTarget { joint, body, subscription, publisher, action_server };
std::string_view to_string(ControlTarget target);  ///< "joint", "RosTopicAPI with role subscription", ...

struct ControlRelation {
    ControllerKind   kind;
    std::string_view name;  ///< "ros:diff_drive:left_wheels"
    ControlTarget    target;
    bool             commands;  ///< the controller moves what it leads to, and does not only read it
};
/// Every relationship of the known schemas.
std::span<const ControlRelation> control_relations();

/// A joint or a body that a controller names.
struct ControlledPrim {
    usd::Path   path;
    std::string relation;  ///< the relationship, or "collection:NAME"
    bool        commands = true;
};

/// One control schema on one prim.
struct Controller {
    usd::Prim                   prim;
    std::string                 schema;  ///< "RosControlDiffDriveAPI"; empty: properties of `control:` without a schema
    ControllerKind              kind           = ControllerKind::other;
    bool                        starts_enabled = true;  ///< control:starts_enabled
    std::vector<ControlledPrim> targets;                ///< joints and bodies that exist, in authored order
};
/// The controllers of a prim: one for each RosControl*API, or one when it has properties of `control:` only.
std::vector<Controller> controllers(const usd::Prim& prim);
/// Every controller of the stage in traversal order.
std::vector<Controller> controllers(const usd::Stage& stage);

}  // namespace mechane::ros
