#pragma once
#include <span>

#include "conformance/fixes/repair.h"

namespace mechane::conformance {

/// Repairs of single words of ROS schemas.
std::span<const RepairOf> ros_word_repairs();

}  // namespace mechane::conformance
