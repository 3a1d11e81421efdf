#pragma once
#include <set>
#include <vector>

#include "geometry/repair/edges.h"

namespace mechane::geometry {

/// The rims of holes as rings of points, each in the direction in which a filling runs. Where a rim meets itself it is
/// divided there. What closes no ring is left out.
std::vector<std::vector<std::int32_t>> hole_rings(const std::vector<Triangle>& triangles);

/// Triangles that close a ring: those of least area, and of these without slivers where there are such.
/// @param taken  edges that have two triangles already; none of them becomes an edge of the filling
/// @return empty where every filling needs one of those
std::vector<Triangle> filling(const std::vector<Vec3d>& points, const std::vector<std::int32_t>& ring,
                              const std::set<std::uint64_t>& taken);

}  // namespace mechane::geometry
