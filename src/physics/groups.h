#pragma once
#include <vector>

#include "mechane/physics/physics_model.h"

namespace mechane::physics {

/// Indices of the groups, those with one merge name together, in the order of their first. The reference takes a merged
/// group out of its list by moving the last one into its place, where it looks again; with groups_merged_by_swapping so
/// do we.
std::vector<std::vector<Index>> merged_groups(const PhysicsModel& model);

}  // namespace mechane::physics
