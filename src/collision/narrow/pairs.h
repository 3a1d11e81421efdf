#pragma once
#include <vector>

#include "mechane/collision/narrow.h"
#include "near_triangles.h"

/// The pair functions behind the table in dispatch.cpp. Each appends the contacts of two shapes with distance <= reach
/// [m].
namespace mechane::collision {

using PairFunction = void (*)(const Shape& a, const Shape& b, double reach, Manifold& out);

/// By the table; kinds must be in its order, and hulls and meshes have their data.
void collide_in_table_order(const Shape& a, const Shape& b, double reach, Manifold& out);

void collide_sphere_sphere(const Shape& a, const Shape& b, double reach, Manifold& out);
void collide_sphere_capsule(const Shape& sphere, const Shape& capsule, double reach, Manifold& out);
void collide_sphere_cylinder(const Shape& sphere, const Shape& cylinder, double reach, Manifold& out);
void collide_sphere_box(const Shape& sphere, const Shape& box, double reach, Manifold& out);
void collide_capsule_capsule(const Shape& a, const Shape& b, double reach, Manifold& out);
void collide_capsule_box(const Shape& capsule, const Shape& box, double reach, Manifold& out);
void collide_box_box(const Shape& a, const Shape& b, double reach, Manifold& out);
void collide_convex(const Shape& a, const Shape& b, double reach, Manifold& out);  ///< any two convex shapes

void collide_plane_sphere(const Shape& plane, const Shape& sphere, double reach, Manifold& out);
void collide_plane_capsule(const Shape& plane, const Shape& capsule, double reach, Manifold& out);
void collide_plane_ellipsoid(const Shape& plane, const Shape& ellipsoid, double reach, Manifold& out);
void collide_plane_box(const Shape& plane, const Shape& box, double reach, Manifold& out);
void collide_plane_cylinder(const Shape& plane, const Shape& cylinder, double reach, Manifold& out);
void collide_plane_cone(const Shape& plane, const Shape& cone, double reach, Manifold& out);
void collide_plane_hull(const Shape& plane, const Shape& hull, double reach, Manifold& out);

void collide_rectangle_convex(const Shape& rectangle, const Shape& convex, double reach, Manifold& out);
void collide_mesh_plane(const Shape& mesh, const Shape& plane, double reach, Manifold& out);
/// Every vertex of the mesh within reach, and not only those that carry. `out` is cleared.
void every_vertex(const Shape& mesh, const Shape& plane, double reach, std::vector<ContactPoint>& out);
/// Whether nothing but that chooses among the contacts of a pair in the table's order.
[[nodiscard]] inline bool has_vertex_route(const Shape& a, const Shape& b)
{ return a.kind == ShapeKind::mesh && b.kind == ShapeKind::plane; }
void collide_mesh_rectangle(const Shape& mesh, const Shape& rectangle, double reach, Manifold& out);
void collide_mesh_convex(const Shape& mesh, const Shape& convex, double reach, Manifold& out);
void collide_mesh_convex(const Shape& mesh, const Shape& convex, double reach, const NearMesh& near, Manifold& out);
void collide_mesh_mesh(const Shape& a, const Shape& b, double reach, Manifold& out);

Shape as_hull(const Shape& mesh);                         ///< what stands in for a convex mesh that has one
bool  second_is_surface(const Shape& a, const Shape& b);  ///< which of two meshes brings the triangles that are met

}  // namespace mechane::collision
