#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "mechane/math/vec.h"

namespace mechane::geometry {

/// A triangle mesh. Triangles wind outwards, counter-clockwise seen from outside.
/// A plain value in double precision. Functions leave their argument as it is and return a new one.
struct Mesh {
    std::vector<Vec3d>                       points;             ///< positions in the mesh's own frame [m], shape [n]
    std::vector<std::array<std::int32_t, 3>> triangles;          ///< indices into `points`, shape [m]
    bool                                     is_convex = false;  ///< true for a convex hull: `points` are its vertices
};

/// Axis-aligned box; empty when lower > upper.
struct Aabbd {
    Vec3d lower{kInfinity, kInfinity, kInfinity};     ///< [m]
    Vec3d upper{-kInfinity, -kInfinity, -kInfinity};  ///< [m]
};

/// Of all points, those that no triangle uses included; empty for a mesh without points.
Aabbd bounds(const Mesh& mesh);

/// Every triangle names points that exist. All functions of geometry require this, and finite points, unless they say
/// otherwise; `triangulate` gives both whatever its input.
bool has_valid_indices(const Mesh& mesh);
/// Every point is finite.
bool is_finite(const Mesh& mesh);

/// Every directed edge meets its opposite exactly once: the triangles bound a volume, all wound the same way.
/// Points that coincide but have different indices count as different.
bool is_closed(const Mesh& mesh);

}  // namespace mechane::geometry
