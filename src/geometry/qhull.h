#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mechane/math/vec.h"

namespace mechane::geometry {

/// Triangles of the convex hull, wound outwards, as indices into `points`; nothing when qhull gives up. Qhull leaves
/// errors by longjmp to a point of its own, so no frame of ours is skipped, and what it prints goes nowhere.
///
/// @param points     within a few units of the origin
/// @param tolerance  points closer than this above a face are taken as lying on it
/// @param joggle     perturb the input slightly instead of merging faces: for inputs where merging fails
std::optional<std::vector<std::array<std::int32_t, 3>>> qhull_triangles(std::span<const Vec3d> points, double tolerance,
                                                                        bool joggle);

}  // namespace mechane::geometry
