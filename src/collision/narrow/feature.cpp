// The supporting feature of a convex shape along a direction: a corner, an edge or a face, with names that last from
// step to step. Clipping (manifold.cpp) makes contact points of two such features.
// Directions are unit vectors; corners are in the frame in which the shape is given [m]; faces are wound
// counter-clockwise as seen from outside.
// Two tolerances: `exact` says what the direction is normal to, to rounding of GJK; `wide` (20 degrees) says what lies
// opposite of a face and may be clipped against it.

#include "feature.h"

#include <algorithm>
#include <cmath>

#include "core_support.h"
#include "mechane/math/simd.h"

namespace mechane::collision {

namespace {

/// Within this angle a direction found by iteration is replaced by the face's own normal, if that separates as well
/// (polish in manifold.cpp).
constexpr double kNatural = 0.9998;  // cosine of 1.1 degrees

struct Limits {
    double face;  ///< least cosine between the direction and a face normal
    double edge;  ///< largest sine between the direction and the plane across an edge
};
/// exact: 1 - 2e-6 is 0.11 degrees from the normal, and 5e-3 is 0.3 degrees from the plane across an edge. wide: 0.94
/// is 20 degrees, and so is 0.34.
Limits limits(Alignment alignment)
{ return alignment == Alignment::exact ? Limits{1 - 2e-6, 5e-3} : Limits{0.94, 0.34}; }

/// Ties go to the first axis here and to the last in `smallest`: any fixed rule will do, as long as it is one.
std::size_t largest(const Vec3d& v)
{
    const Vec3d a = abs(v);
    return a.x >= a.y ? (a.x >= a.z ? 0 : 2) : (a.y >= a.z ? 1 : 2);
}
std::size_t smallest(const Vec3d& v)
{
    const Vec3d a = abs(v);
    return a.z <= a.y ? (a.z <= a.x ? 2 : 0) : (a.y <= a.x ? 1 : 0);
}
int corner_id(const Vec3d& corner) { return (corner.x < 0 ? 1 : 0) + (corner.y < 0 ? 2 : 0) + (corner.z < 0 ? 4 : 0); }

[[gnu::always_inline]] inline void box_feature(const Shape& s, const Vec3d& d, const Limits& limit, Feature& f)
{
    const Vec3d&      h     = s.size;
    const std::size_t face  = largest(d);
    // The name of a corner is one bit per negative sign, the same as in box_box.cpp.
    const auto        add   = [&](const Vec3d& signs) { f.add(s.p + s.R * scale(signs, h), corner_id(signs)); };
    const bool        along = std::abs(d[face]) > limit.face;
    const std::size_t u = (face + 1) % 3, v = (face + 2) % 3;
    if (along && h[u] > 0 && h[v] > 0) {
        const double side = d[face] < 0 ? -1 : 1;
        Vec3d        c;
        c[face] = side;
        for (const auto& [a, b] : {std::pair{1, 1}, std::pair{-1, 1}, std::pair{-1, -1}, std::pair{1, -1}}) {
            c[u] = a;
            c[v] = side * b;  // keeps the loop counter-clockwise on both sides
            add(c);
        }
        f.normal = side * s.R.column(face);
        return;
    }
    Vec3d signs{d.x < 0 ? -1.0 : 1.0, d.y < 0 ? -1.0 : 1.0, d.z < 0 ? -1.0 : 1.0};
    // A face without width is an edge.
    const std::size_t edge = along ? (h[u] > h[v] ? u : v) : smallest(d);
    if (along || std::abs(d[edge]) < limit.edge) {
        signs[edge] = 1;
        add(signs);
        signs[edge] = -1;
    }
    add(signs);
}

/// The corners of a rim of radius 1.
/// A disc is a regular polygon of kDiscCorners corners for clipping. Corners are fixed in the body, so that contacts
/// keep their names while it stands; manifold.cpp puts the true rim points in where edges cross.
const std::array<Vec2d, kDiscCorners> kDiscRim = [] {
    std::array<Vec2d, kDiscCorners> corners;
    for (std::size_t k = 0; k < kDiscCorners; ++k) {
        const double a = 2 * kPi * static_cast<double>(k) / kDiscCorners;
        corners[k]     = {std::cos(a), std::sin(a)};
    }
    return corners;
}();

void rim(const Shape& s, double z, bool up, Feature& f)
{
    for (int i = 0; i < kDiscCorners; ++i) {
        // The lower rim is walked the other way round, so that both are counter-clockwise from outside.
        const int    k = up ? i : kDiscCorners - 1 - i;
        const Vec2d& c = kDiscRim[static_cast<std::size_t>(k)];
        f.add(s.p + s.R * Vec3d{s.size.x * c.x, s.size.x * c.y, z}, (up ? 0 : 32) + k);
    }
    f.normal = (up ? 1.0 : -1.0) * s.R.column(2);
}

void cylinder_feature(const Shape& s, const Vec3d& d, const Limits& limit, Feature& f)
{
    if (std::abs(d.z) > limit.face && s.size.x > 0) return rim(s, d.z < 0 ? -s.size.y : s.size.y, d.z > 0, f);
    const Vec3d u = normalized(Vec3d{d.x, d.y, 0}, Vec3d{1, 0, 0});
    const Vec3d r = s.size.x * u;
    // Lying on its side, a cylinder has both ends of the line of contact; otherwise the lower rim's point.
    if (std::abs(d.z) < limit.edge || d.z > 0) f.add(s.p + s.R * Vec3d{r.x, r.y, s.size.y}, 64);
    if (std::abs(d.z) < limit.edge || d.z <= 0) f.add(s.p + s.R * Vec3d{r.x, r.y, -s.size.y}, 65);
}

void cone_feature(const Shape& s, const Vec3d& d, const Limits& limit, Feature& f)
{
    // One without height is a disc on both sides.
    // The base of a cone is at -half height, its apex at +half height.
    if ((d.z < -limit.face || (s.size.y == 0 && d.z > limit.face)) && s.size.x > 0)
        return rim(s, -s.size.y, d.z > 0, f);
    const Vec3d  u       = normalized(Vec3d{d.x, d.y, 0}, Vec3d{1, 0, 0});
    const double lateral = std::sqrt(d.x * d.x + d.y * d.y),
                 slope   = std::sqrt(s.size.x * s.size.x + 4 * s.size.y * s.size.y);
    // Sine between the direction and the normal of the generator, signed towards the apex.
    // The outward normal of the lateral surface is (2 h, r) / slope in the plane of the axis, with half height h: the
    // tilt is the component of d along the generator.
    const double tilt = slope > 0 ? (2 * s.size.y * d.z - s.size.x * lateral) / slope : d.z;
    if (tilt > -limit.edge) f.add(s.p + s.size.y * s.R.column(2), 64);
    if (tilt < limit.edge && !(tilt > 0 && lateral < 1e-9))
        f.add(s.p + s.R * Vec3d{s.size.x * u.x, s.size.x * u.y, -s.size.y}, 65);
}

[[gnu::always_inline]] inline void hull_feature(const Shape& s, const Vec3d& d, const Limits& limit, Feature& f)
{
    const HullShape&   hull    = *s.hull;
    const std::int32_t nearest = farthest(hull.normal_lanes, d);
    const auto         world   = [&](std::int32_t v) { return s.p + s.R * hull.vertices[static_cast<std::size_t>(v)]; };
    if (nearest >= 0 && dot(hull.face_normals[static_cast<std::size_t>(nearest)], d) > limit.face) {
        const auto         face  = static_cast<std::size_t>(nearest);
        const std::int32_t begin = hull.face_start[face], n = hull.face_start[face + 1] - begin;
        // kFeatureLimit corners at most; an even choice keeps the outline round.
        const std::int32_t step = 1 + (n - 1) / kFeatureLimit;  // a finer rim than we can hold is thinned evenly
        for (std::int32_t i = 0; i < n; i += step) {
            const std::int32_t v = hull.face_vertices[static_cast<std::size_t>(begin + i)];
            f.add(world(v), v);
        }
        f.normal = s.R * hull.face_normals[face];
        return;
    }
    const std::int32_t at = farthest(hull.vertex_lanes, d);
    if (at < 0) return;
    f.add(world(at), at);
    if (hull.neighbour_start.empty()) return;
    std::int32_t along = -1;
    // Of the edges at the farthest corner, the one most nearly across the direction, if it is within the limit.
    double       least = limit.edge;
    const auto   k     = static_cast<std::size_t>(at);
    for (std::int32_t i = hull.neighbour_start[k]; i < hull.neighbour_start[k + 1]; ++i) {
        const std::int32_t v = hull.neighbours[static_cast<std::size_t>(i)];
        const Vec3d        e = hull.vertices[static_cast<std::size_t>(v)] - hull.vertices[k];
        const double       t = std::abs(dot(normalized(e), d));
        if (t < least) {
            least = t;
            along = v;
        }
    }
    if (along >= 0) f.add(world(along), along);
}

void triangle_feature(const Shape& s, const Vec3d& d, const Limits& limit, Feature& f)
{
    const auto&  c = s.corners;
    const Vec3d  n = normalized(cross(c[1] - c[0], c[2] - c[0]));
    const double t = dot(n, d);
    if (std::abs(t) > limit.face) {
        f.normal = t < 0 ? -n : n;
        for (int i = 0; i < 3; ++i) {
            const int k = t < 0 ? 2 - i : i;
            f.add(c[static_cast<std::size_t>(k)], k);
        }
        return;
    }
    std::size_t at = 0;
    for (std::size_t i = 1; i < 3; ++i)
        if (dot(c[i], d) > dot(c[at], d)) at = i;
    f.add(c[at], static_cast<int>(at));
    std::size_t along = at;
    double      least = limit.edge;
    for (std::size_t i = 0; i < 3; ++i) {
        const double slope = i == at ? 1 : std::abs(dot(normalized(c[i] - c[at]), d));
        if (slope < least) {
            least = slope;
            along = i;
        }
    }
    if (along != at) f.add(c[along], static_cast<int>(along));
}

void rectangle_feature(const Shape& s, const Vec3d& d, const Limits& limit, Feature& f)
{
    const double side = d.z < 0 ? -1 : 1;
    const auto   add  = [&](double x, double y) {
        f.add(s.p + s.R * Vec3d{x * s.size.x, y * s.size.y, 0}, corner_id({x, y, 0}));
    };
    if (std::abs(d.z) > limit.face) {
        add(1, side), add(-1, side), add(-1, -side), add(1, -side);
        f.normal = side * s.R.column(2);
        return;
    }
    const double x = d.x < 0 ? -1 : 1, y = d.y < 0 ? -1 : 1;
    add(x, y);
    if (std::abs(d.x) < limit.edge) return add(-x, y);
    if (std::abs(d.y) < limit.edge) add(x, -y);
}

}  // namespace

MCH_CLONES_AVX2 Feature supporting_feature(const Shape& shape, const Vec3d& direction, Alignment alignment)
{
    Feature      f;
    const Limits limit = limits(alignment);
    const Vec3d  d     = transpose_times(shape.R, direction);
    switch (shape.kind) {
        case ShapeKind::box:
            box_feature(shape, d, limit, f);
            break;
        case ShapeKind::cylinder:
            cylinder_feature(shape, d, limit, f);
            break;
        case ShapeKind::cone:
            cone_feature(shape, d, limit, f);
            break;
        case ShapeKind::hull:
            hull_feature(shape, d, limit, f);
            break;
        case ShapeKind::triangle:
            triangle_feature(shape, direction, limit, f);
            break;
        case ShapeKind::rectangle:
            rectangle_feature(shape, d, limit, f);
            break;
        // The core of a capsule is a segment: one end or both.
        case ShapeKind::capsule: {
            if (shape.size.y > 0 && (std::abs(d.z) < limit.edge || d.z > 0))
                f.add(shape.p + shape.size.y * shape.R.column(2), 0);
            if (std::abs(d.z) < limit.edge || d.z <= 0 || !(shape.size.y > 0))
                f.add(shape.p - shape.size.y * shape.R.column(2), 1);
            break;
        }
        case ShapeKind::sphere:
        case ShapeKind::ellipsoid:
            f.add(support(shape, direction), 0);
            break;
        case ShapeKind::plane:
        case ShapeKind::mesh:
            break;
    }
    return f;
}

/// The normal that the surface has near a direction: that of a face or cap, or across the axis for a lateral surface.
/// Where nothing is near, the direction itself.
Vec3d natural_normal(const Shape& shape, const Vec3d& direction)
{
    const Vec3d d         = transpose_times(shape.R, direction);
    const auto  flattened = [&] { return shape.R * normalized(Vec3d{d.x, d.y, 0}, Vec3d{1, 0, 0}); };
    const auto  axis      = [&] { return (d.z < 0 ? -1.0 : 1.0) * shape.R.column(2); };
    switch (shape.kind) {
        case ShapeKind::box: {
            const std::size_t i = largest(d);
            if (std::abs(d[i]) > kNatural) return (d[i] < 0 ? -1.0 : 1.0) * shape.R.column(i);
            break;
        }
        case ShapeKind::cylinder:
            if (std::abs(d.z) > kNatural) return axis();
            if (std::abs(d.z) < 1e-3) return flattened();
            break;
        case ShapeKind::capsule:
            if (std::abs(d.z) < 1e-3) return flattened();
            break;
        case ShapeKind::cone: {
            if (d.z < -kNatural) return axis();
            const Vec3d u = normalized(Vec3d{d.x, d.y, 0}, Vec3d{1, 0, 0});
            const Vec3d n = normalized(Vec3d{2 * shape.size.y * u.x, 2 * shape.size.y * u.y, shape.size.x});
            if (dot(n, d) > kNatural) return shape.R * n;
            break;
        }
        case ShapeKind::rectangle:
            if (std::abs(d.z) > kNatural) return axis();
            break;
        case ShapeKind::triangle: {
            const Vec3d n = normalized(cross(shape.corners[1] - shape.corners[0], shape.corners[2] - shape.corners[0]));
            const double t = dot(n, direction);
            if (std::abs(t) > kNatural) return t < 0 ? -n : n;
            break;
        }
        case ShapeKind::hull: {
            const std::int32_t i = farthest(shape.hull->normal_lanes, d);
            if (i < 0) break;
            const Vec3d& n = shape.hull->face_normals[static_cast<std::size_t>(i)];
            if (dot(n, d) > kNatural) return shape.R * n;
            break;
        }
        case ShapeKind::plane:
        case ShapeKind::sphere:
        case ShapeKind::ellipsoid:
        case ShapeKind::mesh:
            break;
    }
    return direction;
}

}  // namespace mechane::collision
