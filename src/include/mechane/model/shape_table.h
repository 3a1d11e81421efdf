#pragma once
#include <optional>

#include "mechane/geometry/mass.h"
#include "mechane/geometry/mesh.h"
#include "mechane/model/types.h"

namespace mechane::model {

/// What a shape type makes of its three numbers and its mesh. docs/model.md has the table of their meanings. Lengths in
/// metres, in the shape's own frame.
struct ShapeGeometry {
    GeoType               type = GeoType::none;
    Vec3d                 scale{1, 1, 1};
    const geometry::Mesh* source = nullptr;  ///< MESH, CONVEX_MESH and the surface of a HEIGHTFIELD
};

/// The same size with signs absorbed where the shape is symmetric; meshes keep theirs, which mirror.
Vec3d absorb_signs(GeoType type, const Vec3d& scale);

/// Whether the shape has a finite size, positive where the type needs it, and a mesh with triangles where the type has
/// one.
bool is_usable(const ShapeGeometry& shape);

/// Bounding box, scale included. Infinite planes, and types without extent, give the unit cube [-1, 1]^3, as Newton
/// does.
geometry::Aabbd local_bounds(const ShapeGeometry& shape);

/// Radius of an enclosing sphere: about the origin for primitives, half the diagonal of the box for meshes, 1e6 for
/// infinite planes.
double collision_radius(const ShapeGeometry& shape);

/// Mass of the solid; zero for planes, height fields and unusable shapes.
geometry::MassProperties solid_mass(const ShapeGeometry& shape, double density);

/// Mass of a wall of `thickness` [m]: inwards of the surface for primitives (a capsule keeps its half height), and on
/// both sides of it for meshes. Nothing when the wall is as thick as the shape.
std::optional<geometry::MassProperties> shell_mass(const ShapeGeometry& shape, double thickness, double density);

}  // namespace mechane::model
