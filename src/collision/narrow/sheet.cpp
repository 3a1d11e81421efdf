#include "sheet.h"

#include <algorithm>
#include <cmath>

#include "mechane/geometry/closest.h"
#include "pairs.h"

namespace mechane::collision {

Surroundings surroundings(const MeshShape& mesh, std::size_t triangle)
{
    Surroundings s;
    s.fold = mesh.fold[triangle];
    for (std::size_t e = 0; e < 3; ++e) s.boundary[e] = mesh.neighbours[triangle][e] < 0;
    s.below = {0, 0, -mesh.floor};
    return s;
}

bool owns(const Shape& triangle, const Vec3d& normal, const Surroundings& around, const Vec3d& n)
{
    constexpr double kSlack = 2e-4;  // [rad]; what two neighbours both take is merged afterwards
    const auto&      c      = triangle.corners;
    double           size = 0, high = -kInfinity;
    for (std::size_t i = 0; i < 3; ++i) {
        size = std::max(size, length(c[i] - c[(i + 1) % 3]));
        high = std::max(high, dot(c[i], n));
    }
    std::array<bool, 3> touched{};
    int                 corners = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        touched[i] = dot(c[i], n) >= high - 1e-6 * size;
        corners += touched[i] ? 1 : 0;
    }
    for (std::size_t e = 0; e < 3; ++e) {
        const bool first = touched[e], second = touched[(e + 1) % 3];
        if (corners > 1 ? !(first && second) : !(first || second)) continue;
        const Vec3d  outward = normalized(cross(c[(e + 1) % 3] - c[e], normal));
        const double lean    = std::atan2(dot(n, outward), dot(n, normal));
        const double allowed = around.boundary[e] ? 0.5 * kPi : std::max(0.0, around.fold[e]);
        if (lean > allowed + kSlack) return false;
    }
    return true;
}

namespace {

/// Whether a triangle stands off one of the faces of a box by more than `limit` [m]: most of those near it do.
bool beside_box(const Shape& triangle, const Shape& box, double limit)
{
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3d  axis = box.R.column(i);
        const double x = dot(axis, triangle.corners[0] - box.p), y = dot(axis, triangle.corners[1] - box.p),
                     z = dot(axis, triangle.corners[2] - box.p), room = box.size[i] + limit;
        if ((x > room && y > room && z > room) || (x < -room && y < -room && z < -room)) return true;
    }
    return false;
}

}  // namespace

bool collide_face(const Shape& triangle, const Vec3d& normal, const Surroundings& around, const Shape& convex,
                  double reach, double merge, Candidates& own, Candidates& assumed, LastResort& rest)
{
    const double radius = convex.core_radius(), limit = reach + radius;
    const double along = dot(normal, support(convex, -normal) - triangle.corners[0]);
    if (along > limit) return false;
    const bool   solid_below = !(around.below == Vec3d{});
    CoreDistance core;
    bool         pierced = false, apart = false;
    if (solid_below && dot(normal, centre(convex) - triangle.corners[0]) < 0) {
        // Sunk into a height field: up, where it is under this triangle, unless it is below the solid.
        if (dot(normal, support(convex, normal) - triangle.corners[0]) + radius < dot(normal, around.below))
            return false;
        core.normal = Vec3d{};
    } else if (convex.kind == ShapeKind::sphere) {
        const auto&  c = triangle.corners;
        const Vec3d  q = geometry::closest_on_triangle(convex.p, c[0], c[1], c[2]).point;
        const double d = length(convex.p - q);
        core           = {.distance = d,
                          .normal   = d > 1e-12 * (1 + radius) ? (convex.p - q) / d : normal,
                          .on_a     = q,
                          .on_b     = convex.p};
        if (core.distance > limit) return false;
        apart = true;
    } else {
        if (convex.kind == ShapeKind::box && beside_box(triangle, convex, limit)) return false;
        core = core_distance_apart(triangle, convex, limit);
        if (core.distance > limit) return false;
        Shape solid = triangle;
        if (core.distance <= 0) {
            pierced        = true;
            const Vec3d p1 = support(convex, -normal) - radius * normal;
            rest.pierced({p1 - (along - radius) * normal, p1, normal, along - radius, std::uint64_t{7} << 40});
            // There is matter behind the face: the way out of a prism is not through its back.
            const double deep = 2 * bounding_radius(convex);
            solid.extrusion   = solid_below ? around.below - Vec3d{0, 0, deep} : -deep * normal;
            core              = core_distance(solid, convex);
        }
        apart = !pierced;
        polish(solid, convex, core);
    }
    const double free = core.distance;
    if (apart)
        rest.apart(contact_at(0.5 * (core.on_a + core.on_b - radius * core.normal), core.normal, core.distance - radius,
                              std::uint64_t{8} << 40));
    const bool face = dot(core.normal, normal) >= 1 - 1e-12;
    if (!face && dot(core.normal, core.normal) > 0 && owns(triangle, normal, around, core.normal)) {
        convex_candidates(triangle, convex, core, reach, false, merge, own);
        return pierced;
    }
    // Along the face normal only what lies over this triangle counts; the rest lies over a neighbour. What is nearer
    // than the nearest point has gone round the triangle and is behind it.
    core.normal   = normal;
    core.distance = along;
    if (apart && !face && along < free - 1e-3 * merge && convex.kind != ShapeKind::triangle) {
        Candidates over;
        over.face = assumed.face;
        convex_candidates(triangle, convex, core, reach, true, merge, over);
        for (const ContactPoint& p : over.all())
            if (p.distance >= free - radius - 1e-3 * merge) assumed.add(p, merge);
        return pierced;
    }
    convex_candidates(triangle, convex, core, reach, true, merge, face ? own : assumed);
    return pierced;
}

void settle(Candidates& own, Candidates& assumed, double merge)
{
    const std::size_t known = own.count;
    for (const ContactPoint& p : assumed.all()) {
        bool explained = false;
        for (std::size_t i = 0; i < known && !explained; ++i) {
            const ContactPoint& q = own.points[i];
            explained = p.distance < std::min(0.0, q.distance) && length(p.p0 - q.p0) < -2 * p.distance + merge &&
                        dot(p.normal, q.normal) < 0.9999;
        }
        if (!explained) own.add(p, merge);
    }
}

/// A one-sided rectangle: the face from above, tilted normals at its rim, nothing from well below.
void collide_rectangle_convex(const Shape& rectangle, const Shape& convex, double reach, Manifold& out)
{
    const Vec3d  normal = rectangle.R.column(2);
    const double radius = convex.core_radius(), limit = reach + radius;
    const double below = std::max(bounding_radius(convex), 0.5 * std::min(rectangle.size.x, rectangle.size.y));
    if (dot(normal, centre(convex) - rectangle.p) < -below) return;
    const double along = dot(normal, support(convex, -normal) - rectangle.p);
    if (along > limit) return;
    CoreDistance core = core_distance(rectangle, convex, limit);
    if (core.distance > limit) return;
    polish(rectangle, convex, core);
    const double upward    = dot(core.normal, normal);
    const bool   face_only = upward > 1 - 1e-12 || upward <= 0;
    if (face_only) {
        core.normal   = normal;
        core.distance = along;
    }
    Candidates candidates;
    convex_candidates(rectangle, convex, core, reach, face_only, 1e-4 * bounding_radius(convex), candidates);
    emit_reduced(candidates, out);
}

}  // namespace mechane::collision
