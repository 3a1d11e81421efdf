// Signed distance of two shapes in the world, with nearest points [m]; the normal leads from a to b. Negative only
// between convex shapes and planes: surfaces of meshes have no depth, and overlap gives zero.

#include <algorithm>
#include <cmath>

#include "mechane/collision/gjk.h"
#include "mechane/collision/queries.h"
#include "mechane/core/failure.h"

namespace mechane::collision {

namespace {

bool is_whole(const Shape& shape)
{
    if (shape.kind == ShapeKind::mesh) return shape.mesh != nullptr;
    return shape.kind != ShapeKind::hull || (shape.hull != nullptr && !shape.hull->vertices.empty());
}

bool is_finite_shape(const Shape& s)
{
    return is_finite(s.p) && is_finite(s.R) && is_finite(s.size) && is_finite(s.corners[0]) &&
           is_finite(s.corners[1]) && is_finite(s.corners[2]);
}

/// The answer for the pair in the other order.
ShapeDistance turned(ShapeDistance d)
{
    std::swap(d.on_a, d.on_b);
    d.normal = -d.normal;
    return d;
}

/// Two convex shapes of bounded size.
ShapeDistance of_convex(const Shape& a, const Shape& b, double give_up = kInfinity)
{
    const double       radii = a.core_radius() + b.core_radius();
    const CoreDistance core  = core_distance(a, b, give_up + radii);
    return {core.distance - radii, core.normal, core.on_a + a.core_radius() * core.normal,
            core.on_b - b.core_radius() * core.normal};
}

ShapeDistance of_plane(const Shape& plane, const Shape& convex)
{
    const Vec3d  n      = plane.R.column(2);
    const Vec3d  lowest = support(convex, -n) - convex.core_radius() * n;
    const double apart  = dot(n, lowest - plane.p);
    return {apart, n, lowest - apart * n, lowest};
}

std::optional<ShapeDistance> of_plane_and_mesh(const Shape& plane, const Shape& mesh)
{
    std::optional<ShapeDistance> least;
    const Vec3d                  n = plane.R.column(2);
    for (const Vec3d& point : mesh.mesh->points) {
        const Vec3d  p     = mesh.p + mesh.R * point;
        const double apart = dot(n, p - plane.p);
        if (!least || apart < least->distance) least = ShapeDistance{apart, n, p - apart * n, p};
    }
    if (least && least->distance < 0) least->distance = 0;
    return least;
}

Shape triangle_of(const Shape& mesh, std::int32_t index)
{
    Shape       s;
    const auto& corners = mesh.mesh->triangles[static_cast<std::size_t>(index)];
    s.kind              = ShapeKind::triangle;
    for (std::size_t i = 0; i < 3; ++i)
        s.corners[i] = mesh.p + mesh.R * mesh.mesh->points[static_cast<std::size_t>(corners[i])];
    return s;
}

/// The box of a shape in the frame of a mesh, grown by `reach`.
geometry::Aabbd local_box(const Shape& mesh, const Shape& shape, double reach)
{
    const geometry::Aabbd box  = bounds(shape);
    const Vec3d           half = 0.5 * (box.upper - box.lower) + Vec3d{reach, reach, reach};
    const Mat33d          back = transpose(mesh.R);
    const Vec3d           at   = back * (0.5 * (box.lower + box.upper) - mesh.p);
    const Vec3d           grown{dot(abs(back.r0), half), dot(abs(back.r1), half), dot(abs(back.r2), half)};
    return {at - grown, at + grown};
}

/// A mesh and a convex shape whose surfaces do not meet; nothing that is not nearer than `reach`.
std::optional<ShapeDistance> of_mesh(const Shape& mesh, const Shape& convex, double reach)
{
    // The middle of the convex shape is a part of it, so the mesh is no farther than it is from there.
    const auto nearest = nearest_point(mesh, centre(convex));
    if (!nearest) return std::nullopt;
    // The bound from the centre limits the search in the tree to triangles that may be nearer.
    reach = std::min(reach, std::abs(nearest->distance) * (1 + 1e-9) + 1e-12);
    std::optional<ShapeDistance> least;
    mesh.mesh->bvh.for_each_overlap(local_box(mesh, convex, reach), [&](std::int32_t triangle) {
        const ShapeDistance d = of_convex(triangle_of(mesh, triangle), convex, least ? least->distance : reach);
        if (d.distance <= reach && (!least || d.distance < least->distance)) least = d;
    });
    return least;
}

std::optional<ShapeDistance> of_meshes(const Shape& a, const Shape& b)
{
    std::optional<ShapeDistance> least;
    for (std::size_t t = 0; t < a.mesh->triangles.size(); ++t) {
        const auto d = of_mesh(b, triangle_of(a, static_cast<std::int32_t>(t)), least ? least->distance : kInfinity);
        if (d && (!least || d->distance < least->distance)) least = turned(*d);
    }
    return least;
}

}  // namespace

/// Planes and meshes are put first, so that each pair of kinds has one function.
std::optional<ShapeDistance> shape_distance(const Shape& a, const Shape& b)
{
    MCH_REQUIRE(is_whole(a), "shape_distance", "a", "a shape with the mesh or hull of its kind");
    MCH_REQUIRE(is_whole(b), "shape_distance", "b", "a shape with the mesh or hull of its kind");
    if (!is_finite_shape(a) || !is_finite_shape(b)) return std::nullopt;
    const bool plane_a = a.kind == ShapeKind::plane, plane_b = b.kind == ShapeKind::plane;
    const bool mesh_a = a.kind == ShapeKind::mesh, mesh_b = b.kind == ShapeKind::mesh;
    if (plane_a && plane_b) return std::nullopt;
    if (plane_b || (mesh_b && !mesh_a && !plane_a)) {
        const auto d = shape_distance(b, a);
        return d ? std::optional(turned(*d)) : std::nullopt;
    }
    if (plane_a) return mesh_b ? of_plane_and_mesh(a, b) : std::optional(of_plane(a, b));
    if (!mesh_a) return of_convex(a, b);
    auto d = mesh_b ? of_meshes(a, b) : of_mesh(a, b, kInfinity);
    if (d && overlap(a, b)) d->distance = 0;
    if (d && d->distance < 0) d->distance = 0;
    return d;
}

}  // namespace mechane::collision
