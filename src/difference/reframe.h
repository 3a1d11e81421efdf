#pragma once
#include <optional>

#include "mechane/difference/compare.h"

namespace mechane::difference {

/// The second robot with the frames of its links turned, where all of them lie in their bodies as another up axis of
/// the file has them: turned by a right angle about x or y, the same one for every link. Nothing of the robot changes
/// by it but how it is told. Nothing where that is not so.
std::optional<sourceformats::RobotTree> in_axes_of(const sourceformats::RobotTree& a, const sourceformats::RobotTree& b,
                                                   const sourceformats::LossReport* losses);

}  // namespace mechane::difference
