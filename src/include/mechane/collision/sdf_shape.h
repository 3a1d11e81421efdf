#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "mechane/collision/shape.h"
#include "mechane/core/result.h"
#include "mechane/geometry/sdf.h"

namespace mechane::collision {

/// An edge of a surface at which another shape's field is searched.
struct SdfEdge {
    std::array<std::int32_t, 2> ends{};
    std::array<std::int32_t, 2> faces{-1, -1};  ///< the second is -1 at a boundary
    std::array<bool, 2>         owns{};         ///< the first edge of a corner speaks for it
};

/// What a shape with a signed distance field brings to contact: the field, and the edges of its surface if it has one.
struct SdfShape {
    geometry::Sdf              field;              ///< in the shape's frame, size baked in
    const MeshShape*           surface = nullptr;  ///< of a mesh or a hull; null for round shapes and boxes
    std::unique_ptr<MeshShape> own_surface;        ///< where `surface` belongs to nobody else
    std::vector<SdfEdge>       edges;              ///< convex ones that bend by more than 0.1 degrees, and boundaries
    std::vector<std::int32_t>  corner_start, corner_faces;  ///< faces about each point of the surface
    geometry::Aabbd            box;                         ///< of the shape, in its frame
};

/// Builds the field of a shape: from its triangles, or from its closed form.
/// @param shape   pose is not used; planes and rectangles bound nothing and are refused
/// @param source  of a mesh, as it was before scaling; with the scale `shape.size`
/// @param made    the field of `source`, if there is one: taken as it is where nothing scales the mesh, else built
///                anew with as many cells
/// @error those of geometry::build_sdf
Result<SdfShape> make_sdf_shape(const Shape& shape, const geometry::Mesh* source, geometry::SdfOptions options,
                                const tasks::Pool* pool = nullptr, const geometry::Sdf* made = nullptr);

/// The least value of a field along a segment given in the field's frame: its parameter 0..1. Seven samples say where
/// to look, golden sections narrow it down (Kiefer 1953).
double least_along(const geometry::Sdf& field, const Vec3d& from, const Vec3d& to);

}  // namespace mechane::collision
