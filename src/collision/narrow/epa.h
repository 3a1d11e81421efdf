#pragma once
#include <span>

#include "difference.h"
#include "mechane/collision/gjk.h"

namespace mechane::collision {

/// Least translation that separates two overlapping (or touching) cores; the answer is in the frame of the first.
/// @param start  four points of the difference that span a volume about the origin, or none
CoreDistance penetration(const Difference& difference, std::span<const MinkowskiPoint> start);

}  // namespace mechane::collision
