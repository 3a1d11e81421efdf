// The nearest point of a shape's surface to a point, with signed distance (negative inside) and outward normal. Points
// in the world [m].
//
// p  the point in the shape's frame
// h  half extents of a box
// e  half axes of an ellipsoid
// q  the nearest point of the surface
// n  the outward normal there

#include <algorithm>
#include <cmath>

#include "mechane/collision/gjk.h"
#include "mechane/collision/queries.h"
#include "mechane/geometry/closest.h"

namespace mechane::collision {

namespace {

double sign(double x) { return x < 0 ? -1.0 : 1.0; }

/// Outwards from `inner` by a radius; a point on the core itself leaves along `otherwise`.
/// Spheres, capsules and rectangles: distance from an inner set less the radius.
NearestPoint about(const Vec3d& p, const Vec3d& inner, double radius, const Vec3d& otherwise)
{
    const Vec3d  d = p - inner;
    const double l = length(d);
    const Vec3d  n = l > 0 ? d / l : otherwise;
    return {l - radius, inner + radius * n, n};
}

// Outside, the nearest point is the point clamped to the box.
NearestPoint of_box(const Vec3d& p, const Vec3d& h)
{
    const Vec3d q = max(-h, min(h, p));
    if (!(q == p)) return about(p, q, 0, {1, 0, 0});
    // Inside a box the nearest face; ties go to the lowest axis.
    std::size_t axis = 0;
    for (std::size_t i = 1; i < 3; ++i)
        if (h[i] - std::abs(p[i]) < h[axis] - std::abs(p[axis])) axis = i;
    NearestPoint out{std::abs(p[axis]) - h[axis], p, {}};
    out.point[axis]  = sign(p[axis]) * h[axis];
    out.normal[axis] = sign(p[axis]);
    return out;
}

/// A figure of revolution about z by its convex half outline (radius, z), from the lower axis point to the upper one.
/// In the half plane of the point the figure is a polygon: nearest side, and inside if below all of them.
template <std::size_t N>
NearestPoint of_outline(const Vec3d& p, const std::array<std::array<double, 2>, N>& outline)
{
    const double lateral = std::hypot(p.x, p.y);
    const Vec3d  u       = lateral > 0 ? Vec3d{p.x / lateral, p.y / lateral, 0} : Vec3d{1, 0, 0};
    NearestPoint best{kInfinity, {}, {}};
    double       least = kInfinity, highest = -kInfinity;
    for (std::size_t i = 0; i + 1 < N; ++i) {
        const double er = outline[i + 1][0] - outline[i][0], ez = outline[i + 1][1] - outline[i][1];
        const double ll = er * er + ez * ez;
        if (!(ll > 0)) continue;
        const double dr = lateral - outline[i][0], dz = p.z - outline[i][1];
        const double height = (ez * dr - er * dz) / std::sqrt(ll);  // above this side
        highest             = std::max(highest, height);
        const double t = std::clamp((dr * er + dz * ez) / ll, 0.0, 1.0), qr = outline[i][0] + t * er,
                     qz = outline[i][1] + t * ez, d = std::hypot(lateral - qr, p.z - qz);
        if (d >= least) continue;
        least      = d;
        best.point = qr * u + Vec3d{0, 0, qz};
        // The normal of a side points away from the axis, as the outline runs upwards.
        best.normal = (ez * u - Vec3d{0, 0, er}) / std::sqrt(ll);
    }
    const bool inside = highest <= 0;
    best.distance     = inside ? -least : least;
    if (!inside && least > 0) best.normal = normalized(p - best.point, best.normal);
    return best;
}

/// Eberly 2013: the nearest point is e_i^2 p_i / (t + e_i^2) for the largest root t of a decreasing function.
NearestPoint of_ellipsoid(const Vec3d& p, const Vec3d& e)
{
    const Vec3d a     = abs(p);
    std::size_t least = 0;  // the shortest axis: inside, the root lies between -e^2 of it and 0
    for (std::size_t i = 1; i < 3; ++i)
        if (e[i] < e[least]) least = i;
    const auto f = [&](double t) {
        double sum = -1;
        for (std::size_t i = 0; i < 3; ++i) {
            const double x = e[i] * a[i] / (t + e[i] * e[i]);
            sum += x * x;
        }
        return sum;
    };
    const double pole = -e[least] * e[least];
    // Bracket of the root: f(low) >= 0 >= f(high) for the largest root (Eberly 2013).
    double low = pole + e[least] * a[least], high = pole + length(scale(e, a));
    Vec3d  q;
    // On the plane across the shortest axis the root may be the pole itself; the point then lies off that plane.
    bool  at_pole = a[least] == 0;
    Vec3d flat;
    if (at_pole) {
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            if (i == least) continue;
            const double gap = e[i] * e[i] + pole;
            if (a[i] == 0) continue;
            if (!(gap > 0)) {
                at_pole = false;
                break;
            }
            flat[i] = e[i] * e[i] * a[i] / gap;
            sum += (flat[i] / e[i]) * (flat[i] / e[i]);
        }
        at_pole = at_pole && sum < 1;
        if (at_pole) {
            q        = flat;
            q[least] = e[least] * std::sqrt(1 - sum);
        }
    }
    if (!at_pole) {
        for (int i = 0; i < 200 && low < high; ++i) {  // bisection: certain, and 60 rounds are exact
            const double t = 0.5 * (low + high);
            if (t == low || t == high) break;
            (f(t) > 0 ? low : high) = t;
        }
        for (std::size_t i = 0; i < 3; ++i) {
            const double w = high + e[i] * e[i];
            q[i]           = w > 0 ? e[i] * e[i] * a[i] / w : 0;
        }
    }
    for (std::size_t i = 0; i < 3; ++i) q[i] *= sign(p[i]);
    const Vec3d n{q.x / (e.x * e.x), q.y / (e.y * e.y), q.z / (e.z * e.z)};
    return {sign(dot(n, p - q)) * length(p - q), q, normalized(n, Vec3d{0, 0, 1})};
}

NearestPoint of_hull(const Vec3d& p, const HullShape& h)
{
    double      high = -kInfinity;
    std::size_t face = 0;
    for (std::size_t f = 0; f < h.face_normals.size(); ++f) {
        const auto   v = static_cast<std::size_t>(h.face_vertices[static_cast<std::size_t>(h.face_start[f])]);
        const double x = dot(h.face_normals[f], p - h.vertices[v]);
        if (x > high) high = x, face = f;
    }
    // Inside the highest face is the nearest; fewer than four faces bound no volume.
    if (high <= 0 && h.face_normals.size() >= 4) return {high, p - high * h.face_normals[face], h.face_normals[face]};
    const Shape point{.kind = ShapeKind::sphere, .p = p};
    Shape       hull;
    hull.kind    = ShapeKind::hull;
    hull.hull    = &h;
    const auto d = core_distance(hull, point);
    return {d.distance, d.on_a, d.normal};
}

/// Mean of the normals about the feature that was met, weighted by angle: points to the side on which p lies.
Vec3d pseudo_normal(const MeshShape& m, std::int32_t index, const Vec3d& q, const Vec3d& weights)
{
    const auto  t       = static_cast<std::size_t>(index);
    const auto& v       = m.triangles[t];
    int         on_edge = 0;
    std::size_t off = 3, at = 3;
    for (std::size_t i = 0; i < 3; ++i) {
        // 1e-9 of the triangle: a point that near to an edge lies on it.
        if (weights[i] > 1e-9) {
            at = i;
            ++on_edge;
        } else {
            off = i;
        }
    }
    if (on_edge == 3) return m.normals[t];
    if (on_edge == 2) {
        const std::int32_t other = m.neighbours[t][(off + 1) % 3];  // the edge opposite to the corner `off`
        return other < 0 ? m.normals[t] : normalized(m.normals[t] + m.normals[static_cast<std::size_t>(other)]);
    }
    Vec3d sum;  // a corner: every triangle that has it
    m.bvh.for_each_overlap({q, q}, [&](std::int32_t k) {
        const auto& w = m.triangles[static_cast<std::size_t>(k)];
        for (std::size_t i = 0; i < 3; ++i) {
            if (w[i] != v[at]) continue;
            const auto   p = [&](std::size_t c) { return m.points[static_cast<std::size_t>(w[c])]; };
            const Vec3d  e = p((i + 1) % 3) - p(i), f = p((i + 2) % 3) - p(i);
            const double angle = std::atan2(length(cross(e, f)), dot(e, f));
            sum += angle * m.normals[static_cast<std::size_t>(k)];
        }
    });
    return normalized(sum, m.normals[t]);
}

std::optional<NearestPoint> of_mesh(const Vec3d& p, const MeshShape& m, double reach)
{
    double       bound   = reach < 1e150 ? reach * reach : kInfinity;
    std::int32_t nearest = -1;
    Vec3d        q, weights;
    m.bvh.for_each_near(p, bound, [&](std::int32_t t) {
        const auto&  v = m.triangles[static_cast<std::size_t>(t)];
        const auto   c = geometry::closest_on_triangle(p, m.points[static_cast<std::size_t>(v[0])],
                                                       m.points[static_cast<std::size_t>(v[1])],
                                                       // Equal distances: the triangle of the lower index, whatever the
                                                       // order of the tree.
                                                       m.points[static_cast<std::size_t>(v[2])]);
        const double d = length_squared(c.point - p);
        if (d < bound || (d == bound && (nearest < 0 || t < nearest))) {
            bound   = d;
            nearest = t;
            q       = c.point;
            weights = c.weights;
        }
        return bound;
    });
    if (nearest < 0) return std::nullopt;
    const Vec3d  n    = pseudo_normal(m, nearest, q, weights);
    const double side = dot(n, p - q), d = length(p - q);
    // Only a closed mesh has an inside; of an open one all distances are positive.
    const bool inside = m.closed && side < 0;
    return NearestPoint{inside ? -d : d, q, d > 0 ? (inside ? -1 / d : 1 / d) * (p - q) : n};
}

}  // namespace

std::optional<NearestPoint> nearest_point(const Shape& shape, const Vec3d& p_W, double reach)
{
    if (!is_finite(p_W)) return std::nullopt;
    const Vec3d                 p = transpose_times(shape.R, p_W - shape.p), s = shape.size;
    std::optional<NearestPoint> out;
    switch (shape.kind) {
        case ShapeKind::plane:
            out = NearestPoint{p.z, {p.x, p.y, 0}, {0, 0, 1}};
            break;
        case ShapeKind::rectangle:
            out = about(p, {std::clamp(p.x, -s.x, s.x), std::clamp(p.y, -s.y, s.y), 0}, 0, {0, 0, 1});
            break;
        case ShapeKind::sphere:
            out = about(p, {}, s.x, {1, 0, 0});
            break;
        case ShapeKind::capsule:
            out = about(p, {0, 0, std::clamp(p.z, -s.y, s.y)}, s.x, {1, 0, 0});
            break;
        case ShapeKind::ellipsoid:
            if (s.x > 0 && s.y > 0 && s.z > 0) out = of_ellipsoid(p, s);
            break;
        case ShapeKind::cylinder:
            out = of_outline<4>(p, {{{0, -s.y}, {s.x, -s.y}, {s.x, s.y}, {0, s.y}}});
            break;
        case ShapeKind::cone:
            out = of_outline<3>(p, {{{0, -s.y}, {s.x, -s.y}, {0, s.y}}});
            break;
        case ShapeKind::box:
            out = of_box(p, s);
            break;
        case ShapeKind::hull:
            if (!shape.hull->vertices.empty()) out = of_hull(p, *shape.hull);
            break;
        case ShapeKind::mesh:
            if (!shape.mesh->bvh.empty()) out = of_mesh(p, *shape.mesh, reach);
            break;
        case ShapeKind::triangle:
            out = about(p_W,
                        geometry::closest_on_triangle(p_W, shape.corners[0], shape.corners[1], shape.corners[2]).point,
                        0, {0, 0, 1});
            return out->distance <= reach ? out : std::nullopt;
    }
    if (!out || !(out->distance <= reach)) return std::nullopt;
    out->point  = shape.p + shape.R * out->point;
    out->normal = shape.R * out->normal;
    return out;
}

}  // namespace mechane::collision
