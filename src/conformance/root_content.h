#pragma once
#include "conformance/facts.h"

namespace mechane::conformance {

/// The one Xform below a prim that holds everything that is seen or simulated there. Null where several children share
/// it, and where the one is a body, a ROS frame or geometry: its pose is its own.
const PrimFacts* only_content(const Facts& facts, const PrimFacts& above);

}  // namespace mechane::conformance
