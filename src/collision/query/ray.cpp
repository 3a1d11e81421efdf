// Rays against each kind of shape, in the shape's frame; the parameter t counts lengths of `direction`. A ray that
// begins inside hits the surface from within.
//
// o, d   origin and direction of the ray in the shape's frame; a point of it is o + t d
// h, s   half extents or half height; sizes of the shape
// First  keeps the smallest t that was offered, so each shape offers all points where the ray meets its surface

#include <algorithm>
#include <cmath>

#include "mechane/collision/queries.h"

namespace mechane::collision {

namespace {

/// The first of the offered points that lies on the ray.
struct First {
    double                  t_max;
    std::optional<ShapeHit> hit;

    void offer(double t, const Vec3d& normal, std::int32_t triangle = -1)
    {
        // Not-a-number fails both comparisons and is no hit.
        if (!(t >= 0) || !(t <= t_max)) return;
        if (hit && !(t < hit->t)) return;
        hit = ShapeHit{t, normal, triangle};
    }
};

/// Both roots of a t^2 + 2 b t + c = 0, in a form that does not cancel.
template <class Visit>
// Press et al., Numerical Recipes, 5.6: q takes the root whose terms have one sign, the other root is c / q.
void for_roots(double a, double b, double c, Visit&& visit)
{
    const double disc = b * b - a * c;
    if (!(disc >= 0) || a == 0) return;
    const double q = -(b + std::copysign(std::sqrt(disc), b));
    visit(q / a);
    if (q != 0) visit(c / q);
}

void ball(const Vec3d& o, const Vec3d& d, const Vec3d& centre, double radius, First& first, auto&& accept)
{
    // Measured from the point of the line nearest to the centre, so a far origin costs no digits.
    const Vec3d  from = o - centre;
    const double dd = dot(d, d), middle = -dot(from, d) / dd;
    const Vec3d  nearest = from + middle * d;
    const double half    = radius * radius - dot(nearest, nearest);
    if (!(half >= 0) || !(radius > 0)) return;
    const double h = std::sqrt(half / dd);
    for (const double t : {middle - h, middle + h}) {
        const Vec3d p = from + t * d;
        if (accept(centre + p)) first.offer(t, p / radius);
    }
}

/// The lateral surface of a cylinder or capsule, measured from the point of the line nearest to the axis.
void side(const Vec3d& o, const Vec3d& d, double radius, First& first, auto&& accept)
{
    const double dd = d.x * d.x + d.y * d.y;
    if (!(dd > 0) || !(radius > 0)) return;
    const double middle = -(o.x * d.x + o.y * d.y) / dd;
    const double x = o.x + middle * d.x, y = o.y + middle * d.y, half = radius * radius - x * x - y * y;
    if (!(half >= 0)) return;
    const double h = std::sqrt(half / dd);
    for (const double t : {middle - h, middle + h}) {
        const Vec3d p = o + t * d;
        if (accept(p)) first.offer(t, {p.x / radius, p.y / radius, 0});
    }
}

// The end of a cylinder or cone: a disc across z.
void disc(const Vec3d& o, const Vec3d& d, double z, double radius, double up, First& first)
{
    if (d.z == 0) return;
    const double t = (z - o.z) / d.z;
    const Vec3d  p = o + t * d;
    if (p.x * p.x + p.y * p.y <= radius * radius) first.offer(t, {0, 0, up});
}

/// Slab test (Kay, Kajiya 1986). Inside, the exit is the hit.
void slabs(const Vec3d& o, const Vec3d& d, const Vec3d& h, First& first)
{
    double      enter = -kInfinity, leave = kInfinity;
    std::size_t axis_in = 0, axis_out = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        if (d[i] == 0) {
            if (std::abs(o[i]) > h[i]) return;
            continue;
        }
        const double a = (-h[i] - o[i]) / d[i], b = (h[i] - o[i]) / d[i];
        if (std::min(a, b) > enter) enter = std::min(a, b), axis_in = i;
        if (std::max(a, b) < leave) leave = std::max(a, b), axis_out = i;
    }
    if (enter > leave) return;
    Vec3d n;
    if (enter >= 0) {
        n[axis_in] = d[axis_in] > 0 ? -1 : 1;
        first.offer(enter, n);
    } else {
        n[axis_out] = d[axis_out] > 0 ? 1 : -1;
        first.offer(leave, n);
    }
}

void cone(const Vec3d& o, const Vec3d& d, double r, double h, First& first)
{
    disc(o, d, -h, r, -1, first);
    // x^2 + y^2 = k^2 (h - z)^2 between base and apex
    if (!(h > 0)) return;
    // k is the tangent of half the opening angle.
    const double k = r / (2 * h), w = h - o.z;
    const double a = d.x * d.x + d.y * d.y - k * k * d.z * d.z, b = o.x * d.x + o.y * d.y + k * k * w * d.z,
                 c     = o.x * o.x + o.y * o.y - k * k * w * w;
    const auto   offer = [&](double t) {
        const Vec3d p = o + t * d;
        if (p.z < -h || p.z > h) return;
        first.offer(t, normalized(Vec3d{p.x, p.y, k * k * (h - p.z)}, Vec3d{0, 0, 1}));
    };
    if (std::abs(a) > 1e-14 * dot(d, d))
        for_roots(a, b, c, offer);
    else if (b != 0)
        offer(-c / (2 * b));
}

/// The same with the planes of the faces (Cyrus, Beck 1978).
void hull(const Vec3d& o, const Vec3d& d, const HullShape& s, First& first)
{
    double enter = -kInfinity, leave = kInfinity;
    Vec3d  n_in, n_out;
    if (s.face_normals.size() < 4) return;  // flat: no inside
    for (std::size_t f = 0; f < s.face_normals.size(); ++f) {
        const Vec3d& n = s.face_normals[f];
        const Vec3d& v =
            s.vertices[static_cast<std::size_t>(s.face_vertices[static_cast<std::size_t>(s.face_start[f])])];
        const double height = dot(n, v - o), speed = dot(n, d);
        if (speed == 0) {
            if (height < 0) return;
            continue;
        }
        const double t = height / speed;
        if (speed < 0 && t > enter) enter = t, n_in = n;
        if (speed > 0 && t < leave) leave = t, n_out = n;
    }
    if (enter > leave) return;
    enter >= 0 ? first.offer(enter, n_in) : first.offer(leave, n_out);
}

/// Moller and Trumbore 1997, two-sided, edges included.
void triangles(const Vec3d& o, const Vec3d& d, const MeshShape& m, bool cull_back, First& first)
{
    m.bvh.for_each_along(o, d, first.t_max, [&](std::int32_t index) {
        const auto   t      = static_cast<std::size_t>(index);
        const auto   p      = [&](std::size_t i) { return m.points[static_cast<std::size_t>(m.triangles[t][i])]; };
        const double facing = dot(m.normals[t], d);
        const Vec3d  e = p(1) - p(0), f = p(2) - p(0), q = cross(d, f);
        const double det = dot(e, q);
        if (det != 0 && !(cull_back && facing > 0)) {
            constexpr double kSlack = 1e-12;  // a ray through an edge must not slip between two triangles
            const Vec3d      s      = o - p(0);
            const double     u      = dot(s, q) / det;
            const Vec3d      r      = cross(s, e);
            const double     v      = dot(d, r) / det;
            if (u >= -kSlack && v >= -kSlack && u + v <= 1 + kSlack) {
                const double at = dot(f, r) / det;
                // Equal distances go to the lower index.
                if (first.hit && at == first.hit->t && index > first.hit->triangle) return first.hit->t;
                if (first.hit && at == first.hit->t) first.hit.reset();
                first.offer(at, m.normals[t], index);
            }
        }
        return first.hit ? first.hit->t : first.t_max;
    });
}

}  // namespace

std::optional<ShapeHit> cast_ray(const Shape& shape, const Vec3d& origin, const Vec3d& direction, double t_max,
                                 bool cull_back)
{
    if (!is_finite(origin) || !is_finite(direction) || direction == Vec3d{}) return std::nullopt;
    First       first{t_max, {}};
    const Vec3d o = transpose_times(shape.R, origin - shape.p), d = transpose_times(shape.R, direction), s = shape.size;
    const auto  always = [](const Vec3d&) { return true; };
    switch (shape.kind) {
        case ShapeKind::plane:
        case ShapeKind::rectangle: {
            // A ray in the plane to 1e-6 does not hit: t would be arbitrary.
            if (std::abs(d.z) < 1e-6 * length(d) || (cull_back && d.z > 0)) break;
            const double t = -o.z / d.z;
            const Vec3d  p = o + t * d;
            if (shape.kind == ShapeKind::plane || (std::abs(p.x) <= s.x && std::abs(p.y) <= s.y))
                first.offer(t, {0, 0, 1});
            break;
        }
        case ShapeKind::sphere:
            ball(o, d, {}, s.x, first, always);
            break;
        case ShapeKind::capsule:
            side(o, d, s.x, first, [&](const Vec3d& p) { return std::abs(p.z) <= s.y; });
            ball(o, d, {0, 0, s.y}, s.x, first, [&](const Vec3d& p) { return p.z >= s.y; });
            ball(o, d, {0, 0, -s.y}, s.x, first, [&](const Vec3d& p) { return p.z <= -s.y; });
            break;
        case ShapeKind::ellipsoid: {  // a unit ball in stretched space
            if (!(s.x > 0 && s.y > 0 && s.z > 0)) break;
            const auto shrunk = [&](const Vec3d& v) { return Vec3d{v.x / s.x, v.y / s.y, v.z / s.z}; };
            ball(shrunk(o), shrunk(d), {}, 1, first, always);
            // The normal of an ellipsoid is the gradient of (x / a)^2 + (y / b)^2 + (z / c)^2: the unit normal of the
            // ball, shrunk once more.
            if (first.hit) first.hit->normal = normalized(shrunk(first.hit->normal));
            break;
        }
        case ShapeKind::cylinder:
            side(o, d, s.x, first, [&](const Vec3d& p) { return std::abs(p.z) <= s.y; });
            disc(o, d, s.y, s.x, 1, first);
            disc(o, d, -s.y, s.x, -1, first);
            break;
        case ShapeKind::box:
            slabs(o, d, s, first);
            break;
        case ShapeKind::cone:
            cone(o, d, s.x, s.y, first);
            break;
        case ShapeKind::hull:
            hull(o, d, *shape.hull, first);
            break;
        case ShapeKind::mesh:
            triangles(o, d, *shape.mesh, cull_back && !shape.mesh->closed, first);
            break;
        case ShapeKind::triangle:
            break;
    }
    if (first.hit) first.hit->normal = shape.R * first.hit->normal;
    return first.hit;
}

}  // namespace mechane::collision
