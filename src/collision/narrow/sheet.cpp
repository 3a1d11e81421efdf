// The law of one triangle of a mesh against a convex shape: distance, normal, and which contacts belong to this
// triangle and not to a neighbour. Called for each triangle from mesh_pairs.cpp.
// A triangle is one-sided: in front it is a sheet, behind it is matter. A normal over an edge belongs to the triangle
// only if the surface bends there at least as far (the Voronoi region of the edge, Ericson 2005, 5.1.5). So bodies
// slide over inner edges of a flat mesh without bumps.
// `own` holds what certainly belongs to the triangle, `assumed` what its face normal says where the iteration's normal
// belongs to a neighbour, `rest` the last resort if nothing else is found.

#include "sheet.h"

#include <algorithm>
#include <cmath>

#include "box_triangle.h"
#include "feature_codes.h"
#include "mechane/geometry/closest.h"
#include "mechane/math/simd.h"
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

/// Which corners are touched: those that reach farthest along n. The edges at them bound the cone of normals.
bool owns(const Shape& triangle, const Vec3d& normal, const Surroundings& around, const Vec3d& n)
{
    constexpr double kSlack = 2e-4;  // [rad]; what two neighbours both take is merged afterwards
    const auto&      c      = triangle.corners;
    double           size2 = 0, high = -kInfinity;
    for (std::size_t i = 0; i < 3; ++i) {
        size2 = std::max(size2, length_squared(c[i] - c[(i + 1) % 3]));
        high  = std::max(high, dot(c[i], n));
    }
    const double        size = std::sqrt(size2);
    std::array<bool, 3> touched{};
    int                 corners = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        touched[i] = dot(c[i], n) >= high - 1e-6 * size;
        corners += touched[i] ? 1 : 0;
    }
    for (std::size_t e = 0; e < 3; ++e) {
        const bool first = touched[e], second = touched[(e + 1) % 3];
        if (corners > 1 ? !(first && second) : !(first || second)) continue;
        const Vec3d  outward = cross(c[(e + 1) % 3] - c[e], normal);
        const double over    = dot(n, outward);
        // A boundary edge is round to 90 degrees; an inner one to its fold, concave ones not at all.
        if (over < 0) continue;  // leans inwards
        const double lean    = std::atan2(over / length(outward), dot(n, normal));
        const double allowed = around.boundary[e] ? 0.5 * kPi : std::max(0.0, around.fold[e]);
        if (lean > allowed + kSlack) return false;
    }
    return true;
}

namespace {

enum class Over { unsure, apart, pierced };

/// Proves without an iteration that the face normal is that of the core distance, and says whether the core passes
/// through the triangle: its point `lowest`, `along` [m] over the plane, has its foot inside the triangle. Of one below
/// the plane the ball that reaches up to it must fit into the prism behind the triangle, so that no other way out is as
/// short, and the way to the middle of the core must lead through the triangle.
MCH_CLONES_AVX2 Over over_inside(const Shape& triangle, const Vec3d& normal, const Vec3d& lowest, double along,
                          const Shape& convex)
{
    const auto&          c = triangle.corners;
    std::array<Vec3d, 3> inward;
    for (std::size_t e = 0; e < 3; ++e) inward[e] = cross(normal, c[(e + 1) % 3] - c[e]);
    const auto is_inside = [&](const Vec3d& p, double room) {
        for (std::size_t e = 0; e < 3; ++e) {
            const double off = dot(inward[e], p - c[e]);
            if (!(off > 0) || !(off * off > room * room * length_squared(inward[e]))) return false;
        }
        return true;
    };
    // Nearer to the plane than this rounding has the last word on which side of it a point is.
    // 1e-9 of the coordinates involved: both tests below then have the sign that exact numbers would have.
    const double close =
        1e-9 * (max_component(abs(lowest - c[0])) + max_component(abs(inward[0])) + max_component(abs(inward[2])));
    if (!(std::abs(along) > close) || !is_inside(lowest, close + std::max(0.0, -along))) return Over::unsure;
    if (along > 0) return Over::apart;
    const Vec3d  middle = centre(convex);
    const double above  = dot(normal, middle - c[0]);
    if (!(above > close) || !is_inside(lowest + (along / (along - above)) * (middle - lowest), close))
        return Over::unsure;
    return Over::pierced;
}

}  // namespace

MCH_CLONES_AVX2 bool collide_face(const Shape& triangle, const Vec3d& normal, const Surroundings& around, const Shape& convex,
                           double reach, double merge, Candidates& own, Candidates& assumed, LastResort& rest)
{
    const double radius = convex.core_radius(), limit = reach + radius;
    const Vec3d  lowest = support(convex, -normal);
    const double along  = dot(normal, lowest - triangle.corners[0]);
    if (along > limit) return false;
    const bool   solid_below = !(around.below == Vec3d{});
    CoreDistance core;
    bool         pierced = false, apart = false;
    if (solid_below && dot(normal, centre(convex) - triangle.corners[0]) < 0) {
        // Sunk into a height field: up, where it is under this triangle, unless it is below the solid.
        if (dot(normal, support(convex, normal) - triangle.corners[0]) + radius < dot(normal, around.below))
            return false;
        // No normal: the branch below uses the face's.
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
        // The solid of a height field goes straight down, not against the normal.
        const Over over =
            solid_below && along < 0 ? Over::unsure : over_inside(triangle, normal, lowest, along, convex);
        if (over != Over::unsure) {
            const Vec3d        p1 = lowest - radius * normal;
            const ContactPoint foot{p1 - (along - radius) * normal, p1, normal, along - radius,
                                    feature_name(over == Over::apart ? Found::off_a_face : Found::through_a_face)};
            over == Over::apart ? rest.apart(foot) : rest.pierced(foot);
            core = {.distance = along, .normal = normal};
            convex_candidates(triangle, convex, core, reach, true, merge, own);
            return over == Over::pierced;
        }
        // There is matter behind the face: the way out of a prism is not through its back.
        // Twice the radius: the prism is thicker than anything can sink.
        const double deep      = 2 * bounding_radius(convex);
        const bool   by_planes = convex.kind == ShapeKind::box && !solid_below;
        if (by_planes) {
            core = triangle_box_distance(triangle, normal, convex, limit, deep);
        } else {
            // From the point of the triangle nearest to the middle: the plane across this way tells at once of most
            // that they are too far.
            const auto& c      = triangle.corners;
            const Vec3d middle = centre(convex), near = geometry::closest_on_triangle(middle, c[0], c[1], c[2]).point;
            const Vec3d way = middle - near;
            if (const double off = dot(way, support(convex, -way) - near);
                off > 0 && off * off > limit * limit * dot(way, way))
                return false;
            core = core_distance_apart(triangle, convex, limit, near - middle);
        }
        if (core.distance > limit) return false;
        apart       = core.distance > 0;
        pierced     = !apart;
        Shape solid = triangle;
        if (pierced) {
            const Vec3d p1 = support(convex, -normal) - radius * normal;
            rest.pierced({p1 - (along - radius) * normal, p1, normal, along - radius, feature_name(Found::through_a_face)});
            solid.extrusion = solid_below ? around.below - Vec3d{0, 0, deep} : -deep * normal;
            if (!by_planes) core = core_distance(solid, convex);
        }
        polish(solid, convex, core);
    }
    // Only to rounding is the normal that of the face.
    const double free = core.distance;
    if (apart)
        rest.apart(contact_at(0.5 * (core.on_a + core.on_b - radius * core.normal), core.normal, core.distance - radius,
                              feature_name(Found::off_a_face)));
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

/// A deep assumed point is dropped if a known point near it, with another normal, says less: it was the side of an edge
/// seen through the face.
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

}  // namespace mechane::collision
