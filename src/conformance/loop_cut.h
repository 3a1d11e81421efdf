#pragma once
#include <string>

#include "mechane/core/letters.h"
#include "mechane/physics/types.h"

namespace mechane::conformance {

/// Which joint of a loop an author would most likely cut, the lowest first: one whose name says so, else the stiffest.
/// What the rule names and what the repair excludes is the same joint.
inline int cut_rank(const physics::Joint& joint)
{
    const std::string name = lower_case(joint.path.name().text());
    if (name.find("loop") != std::string::npos || name.find("clos") != std::string::npos) return 0;
    const bool stiff = joint.kind == physics::JointKind::fixed || joint.kind == physics::JointKind::spherical ||
                       joint.kind == physics::JointKind::distance;
    return stiff ? 1 : 2;
}

}  // namespace mechane::conformance
