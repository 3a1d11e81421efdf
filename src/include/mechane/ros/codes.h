#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::ros {

// clang-format off
inline constexpr Code kFrameDuplicate{"ROS_FRAME_DUPLICATE", Severity::warning, "Two frames of one robot have the same id.", "Author another ros:frame:id on one of them."};
inline constexpr Code kTypeUnknown{"ROS_TYPE_UNKNOWN", Severity::warning, "A publisher's message type is unknown.", "Correct the type, or name the folder of its package with --interfaces."};
// clang-format on

}  // namespace mechane::ros
