#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

/// Polygon faces as a mesh prim authors them.
struct PolygonMesh {
    std::span<const Vec3d>        points;  ///< [m]
    std::span<const std::int32_t> face_vertex_counts;
    std::span<const std::int32_t> face_vertex_indices;
    std::span<const std::int32_t> hole_indices;         ///< faces that are left out
    bool                          left_handed = false;  ///< faces wind clockwise seen from outside
};

struct TriangulationOptions {
    /// Every face as (0, i, i + 1), convex or not, and an index is only checked for range: what Newton does.
    bool plain_fan = false;
};

/// What was wrong with a face that was dropped.
enum class FaceFault { too_few_corners, index_range, counts_exceed_indices, not_finite, no_area };

/// "has fewer than 3 corners", ...: the end of a sentence about a face.
std::string_view to_string(FaceFault fault) noexcept;

struct DroppedFace {
    std::int32_t face;
    FaceFault    fault;
};

struct Triangulation {
    Mesh mesh;  ///< all points of the input, also those that no triangle uses; not finite ones are zero
    std::vector<std::int32_t> triangle_to_face;    ///< face of each triangle
    std::vector<DroppedFace>  dropped;             ///< ascending by face
    std::size_t               face_count     = 0;  ///< faces of the input, dropped ones and holes included
    std::int32_t              unused_indices = 0;  ///< indices left over after the last count
};

/// Triangles of polygon faces: triangles as they are, convex faces as a fan from their first corner, other faces by ear
/// clipping in their best-fit plane (Meisters 1975), always the lowest ear first. Left-handed faces are turned over at
/// the end. Faces without area make no triangles; triangles that lie on a line within a face with area are kept.
Triangulation triangulate(const PolygonMesh& polygons, const TriangulationOptions& options = {});

}  // namespace mechane::geometry
