#pragma once
#include <string>
#include <vector>

#include "mechane/physics/physics_model.h"

namespace mechane::importer {

struct Import;

/// A joint of a plan: one prim, or several that become one joint.
struct PlannedJoint {
    std::vector<physics::Index> members;
    bool                        flipped = false;  ///< body1 is the parent
};

/// One articulation to be built: bodies and joints in their final order.
struct PlannedTree {
    std::string    label;
    usd::Prim      prim;                        ///< the articulation root prim, invalid when nothing authors one
    physics::Index root_body = physics::kNone;  ///< gets a base joint; kNone when the first joint starts at the world
    std::vector<physics::Index> bodies;
    std::vector<PlannedJoint>   joints;
    bool                        has_authored_root = false;
};

struct JointPlan {
    std::vector<PlannedTree>    trees;           ///< authored articulations first, in traversal order
    std::vector<PlannedJoint>   loops;           ///< outside every tree
    std::vector<physics::Index> excluded;        ///< authored outside their articulation; sorted by path
    std::vector<usd::Prim>      excluded_roots;  ///< articulation prim of each, may be invalid
};

/// Trees wherever joints connect bodies, with or without an authored root; loops are cut, reversed joints turned.
JointPlan plan_trees(Import& run);
/// Newton 1.8: authored articulations only, as authored; what does not fit is refused. Joints outside articulations are
/// `loops`.
JointPlan plan_as_authored(Import& run);

/// True for a joint that takes part at all; reports those that cannot.
bool usable_joint(Import& run, physics::Index joint);

}  // namespace mechane::importer
