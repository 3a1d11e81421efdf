#pragma once
#include <optional>
#include <span>

#include "mechane/geometry/mesh.h"
#include "mechane/model/types.h"
#include "mechane/viewer/scene.h"

namespace mechane::viewer {

/// Meshes of the primitives in their own frames (docs/model.md); round ones with smooth normals, edges between faces
/// sharp.
DrawMesh tessellate_box(const Vec3d& half_extents);
DrawMesh tessellate_ellipsoid(const Vec3d& semi_axes);
DrawMesh tessellate_capsule(double radius, double half_height);
DrawMesh tessellate_cylinder(double radius, double half_height);
DrawMesh tessellate_cone(double radius, double half_height);
/// A rectangle in z = 0 with the normal +z.
DrawMesh tessellate_rectangle(double width, double length);

/// A triangle soup with normals: smooth where faces meet at less than 40 degrees, sharp otherwise. Lines are creases of
/// more than 25 degrees and open edges. Triangles of missing points and points that are not finite are left out.
/// @param uvs  of each triangle's corners; empty, or of another count than the triangles: none
DrawMesh shade_mesh(const geometry::Mesh& mesh, const Vec3d& scale, std::span<const std::array<Vec2f, 3>> uvs = {});

}  // namespace mechane::viewer
