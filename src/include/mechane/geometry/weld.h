#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

/// For each point the lowest index of those at its place: points closer than `tolerance` [m], and chains of such, are
/// at one place.
[[nodiscard]] std::vector<std::int32_t> first_at_place(std::span<const Vec3d> points, double tolerance);

/// The mesh with points closer than `tolerance` [m] made one, each group at the place of its first point, and without
/// the triangles that lost a corner. Exporters split points along creases and seams; a surface is only closed once they
/// are joined again. Chains of close points join as a whole. Points keep their order.
Mesh welded(const Mesh& mesh, double tolerance = 1e-7);

/// What a closed surface must not have; counted on the mesh as it is.
struct MeshFaults {
    int                boundary_edges       = 0;  ///< edges of one triangle only
    int                non_manifold_edges   = 0;  ///< edges of more than two
    int                winding_edges        = 0;  ///< edges whose two triangles run the same way
    int                degenerate_triangles = 0;  ///< a corner twice, or no area
    [[nodiscard]] bool watertight() const
    { return boundary_edges == 0 && non_manifold_edges == 0 && winding_edges == 0; }
};

MeshFaults find_faults(const Mesh& mesh);

/// Whether the mesh is closed once points at one place, to rounding of single precision, are joined.
bool encloses_volume(const Mesh& mesh);

}  // namespace mechane::geometry
