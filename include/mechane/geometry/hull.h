#pragma once
#include <span>

#include "mechane/core/result.h"
#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

/// A hull with a budget does not hold all points: a ball of 64 vertices is short of its radius by up to 10 % between
/// them.
struct HullOptions {
    /// A smaller bound counts as 4.
    int    max_vertices    = 64;    ///< upper bound on hull vertices, at least 4
    double merge_tolerance = 1e-6;  ///< coplanarity tolerance relative to the extent of the input, dimensionless
    bool   extrude_flat = true;  ///< give a planar or linear input a thickness of 1e-4 of its extent instead of failing
};

/// Convex hull of a point cloud by qhull (Barber, Dobkin, Huhdanpaa 1996), triangulated.
///
/// @param points   positions in any one frame [m], shape [n]; their order does not matter
/// @return a mesh with is_convex set, faces wound outwards, vertices sorted by (x, y, z) so that equal input gives
/// equal bytes
/// @error  GEOMETRY_HULL_DEGENERATE  fewer than 2 distinct points, not finite, or flat while `extrude_flat` is off
Result<Mesh> build_hull(std::span<const Vec3d> points, const HullOptions& options = {});

}  // namespace mechane::geometry
