#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::ros {

// clang-format off
inline constexpr Code kFrameDuplicate{"ROS_FRAME_DUPLICATE", Severity::warning, "Two frames of one robot have the same id.", "Author another ros:frame:id on one of them."};
// clang-format on

}  // namespace mechane::ros
