// Shape casts and overlap tests of two shapes, for SceneQueries and programs. Shapes are in the world [m]; `travel` is
// the way of the moving shape without rotation; the fraction of it is returned.
//
// Convex shapes are a core and a radius around it (core_distance). Meshes are asked triangle by triangle. What
// overlaps at the start hits at the fraction 0.

#include <algorithm>
#include <cmath>

#include "mechane/collision/gjk.h"
#include "mechane/collision/queries.h"

namespace mechane::collision {

namespace {

Shape triangle_of(const Shape& mesh, std::int32_t index)
{
    Shape s;
    s.kind = ShapeKind::triangle;
    for (std::size_t i = 0; i < 3; ++i)
        s.corners[i] =
            mesh.p +
            mesh.R *
                mesh.mesh->points[static_cast<std::size_t>(mesh.mesh->triangles[static_cast<std::size_t>(index)][i])];
    return s;
}

/// Calls visit(triangle) for the triangles of a mesh near the box of a shape in the world.
/// The box of the query in the frame of the mesh, enlarged by its rotation (Arvo 1990).
template <class Visit>
void for_triangles(const Shape& mesh, const geometry::Aabbd& box_W, Visit&& visit)
{
    const Vec3d     c = 0.5 * (box_W.lower + box_W.upper), h = 0.5 * (box_W.upper - box_W.lower);
    const Mat33d    back = transpose(mesh.R);
    const Vec3d     at   = back * (c - mesh.p);
    const Vec3d     half{dot(abs(back.r0), h), dot(abs(back.r1), h), dot(abs(back.r2), h)};
    geometry::Aabbd local{at - half, at + half};
    mesh.mesh->bvh.for_each_overlap(local, visit);
}

bool is_convex(const Shape& s) { return s.kind != ShapeKind::mesh && s.kind != ShapeKind::plane; }

bool convex_overlap(const Shape& a, const Shape& b)
{
    // Touching counts as overlap; 1e-12 keeps GJK from giving up a hair before.
    const double radii = a.core_radius() + b.core_radius();
    return core_distance_apart(a, b, radii + 1e-12).distance <= radii;
}

std::optional<ShapeCastHit> cast_convex(const Shape& moving, const Vec3d& travel, const Shape& still)
{
    // Conservative advancement: each step goes as far as the separating plane allows, so nothing is passed through. The
    // tolerance follows the sizes; that of a vast still shape counts up to a bound.
    // 1e-9 of the size, at least of a millimetre: below it the iteration only shuffles rounding errors.
    const double tolerance = 1e-9 * std::max({1e-3, bounding_radius(moving), std::min(bounding_radius(still), 1e6)});
    const double radii     = moving.core_radius() + still.core_radius();
    Shape        now       = moving;
    double       t         = 0;
    for (int i = 0; i < 200; ++i) {
        now.p                  = moving.p + t * travel;
        const CoreDistance d   = core_distance(still, now);
        const double       gap = d.distance - radii, closing = -dot(d.normal, travel);
        if (gap <= tolerance) return ShapeCastHit{t, d.on_a + still.core_radius() * d.normal, d.normal};
        // The plane across the normal separates the two until the gap along it is used up.
        if (!(closing > 0)) return std::nullopt;
        t += gap / closing;
        if (t > 1) return std::nullopt;
    }
    // 200 steps without an end: grazing. The last position is reported as the hit, never a miss.
    const CoreDistance d = core_distance(still, now);
    return ShapeCastHit{t, d.on_a + still.core_radius() * d.normal, d.normal};
}

// The lowest point of a convex shape along the plane's normal reaches the plane first.
std::optional<ShapeCastHit> cast_plane(const Shape& moving, const Vec3d& travel, const Shape& plane)
{
    const Vec3d  n      = plane.R.column(2);
    const Vec3d  lowest = support(moving, -n) - moving.core_radius() * n;
    const double gap = dot(n, lowest - plane.p), closing = -dot(n, travel);
    if (gap <= 0) return ShapeCastHit{0, lowest - gap * n, n};
    if (!(closing >= gap)) return std::nullopt;
    const double t = gap / closing;
    return ShapeCastHit{t, lowest + t * travel, n};
}

}  // namespace

std::optional<ShapeCastHit> cast_shape(const Shape& moving, const Vec3d& travel, const Shape& still)
{
    if (!is_convex(moving) || !is_finite(travel)) return std::nullopt;
    if (still.kind == ShapeKind::plane) return cast_plane(moving, travel, still);
    if (still.kind != ShapeKind::mesh) return cast_convex(moving, travel, still);
    // The swept box: start and end.
    geometry::Aabbd box = bounds(moving);
    box                 = {min(box.lower, box.lower + travel), max(box.upper, box.upper + travel)};
    std::optional<ShapeCastHit> first;
    for_triangles(still, box, [&](std::int32_t t) {
        const auto hit = cast_convex(moving, travel, triangle_of(still, t));
        if (hit && (!first || hit->fraction < first->fraction)) first = hit;
    });
    // A closed mesh is solid, as other shapes are: what starts inside of it, and so meets no triangle yet, is in
    // contact.
    if (first && first->fraction == 0) return first;
    const auto out = still.mesh->closed ? nearest_point(still, centre(moving)) : std::nullopt;
    return out && out->distance < 0 ? ShapeCastHit{0, out->point, out->normal} : first;
}

bool overlap(const Shape& a, const Shape& b)
{
    if ((b.kind == ShapeKind::plane && a.kind != ShapeKind::plane) ||
        (a.kind == ShapeKind::mesh && b.kind != ShapeKind::plane && b.kind != ShapeKind::mesh))
        return overlap(b, a);
    if (a.kind == ShapeKind::plane) {
        const Vec3d n = a.R.column(2);
        if (b.kind == ShapeKind::plane) return true;
        if (b.kind == ShapeKind::mesh)
            return std::any_of(b.mesh->points.begin(), b.mesh->points.end(),
                               [&](const Vec3d& p) { return dot(n, b.p + b.R * p - a.p) <= 0; });
        return dot(n, support(b, -n) - a.p) <= b.core_radius();
    }
    if (b.kind != ShapeKind::mesh) return convex_overlap(a, b);
    // Convex or mesh against mesh: surfaces that cross, or one inside of the other.
    const auto holds = [](const Shape& mesh, const Vec3d& p) {
        const auto q = mesh.mesh->closed ? nearest_point(mesh, p) : std::nullopt;
        return q && q->distance < 0;
    };
    bool met = false;
    if (a.kind == ShapeKind::mesh) {
        for (std::size_t t = 0; t < a.mesh->triangles.size() && !met; ++t)
            met = overlap(triangle_of(a, static_cast<std::int32_t>(t)), b);
        return met || (!b.mesh->points.empty() && holds(a, b.p + b.R * b.mesh->points.front()));
    }
    for_triangles(b, bounds(a), [&](std::int32_t t) { met = met || convex_overlap(a, triangle_of(b, t)); });
    return met || holds(b, centre(a));
}

}  // namespace mechane::collision
