// Spheres and capsules among each other and against boxes and cylinders, in closed form (Ericson 2005, 5.1). Points in
// the frame of the arguments [m]; normal from a to b.
// Degenerate cases (concentric, on an axis) have a fixed normal, so that replays are identical.

#include <algorithm>
#include <cmath>

#include "manifold.h"
#include "mechane/math/simd.h"
#include "pairs.h"

/// Closed forms with a sphere or capsules on one side: the nearest points of the cores, then the radii.
namespace mechane::collision {

namespace {

/// One contact between core points. Coincident cores have no direction of their own; `otherwise` keeps replays
/// identical.
void emit(const Vec3d& on_a, const Vec3d& on_b, double radius_a, double radius_b, const Vec3d& otherwise, double reach,
          std::uint64_t feature, Manifold& out)
{
    const Vec3d  d        = on_b - on_a;
    const double n        = length(d);
    const double distance = n - radius_a - radius_b;
    if (distance > reach) return;
    const Vec3d normal = n > 1e-12 * (radius_a + radius_b) && n > 0 ? d / n : otherwise;
    const Vec3d p0     = on_a + radius_a * normal;
    out.add({p0, p0 + distance * normal, normal, distance, feature});
}

}  // namespace

void collide_sphere_sphere(const Shape& a, const Shape& b, double reach, Manifold& out)
{ emit(a.p, b.p, a.size.x, b.size.x, {1, 0, 0}, reach, 0, out); }

void collide_sphere_capsule(const Shape& sphere, const Shape& capsule, double reach, Manifold& out)
{
    const Vec3d  axis = capsule.R.column(2);
    const double z    = std::clamp(dot(axis, sphere.p - capsule.p), -capsule.size.y, capsule.size.y);
    // On the axis every way across it is equally short.
    emit(sphere.p, capsule.p + z * axis, sphere.size.x, capsule.size.x, capsule.R.column(0), reach, 0, out);
}

void collide_sphere_cylinder(const Shape& sphere, const Shape& cylinder, double reach, Manifold& out)
{
    const double r = cylinder.size.x, h = cylinder.size.y;
    const Vec3d  c       = transpose_times(cylinder.R, sphere.p - cylinder.p);
    const double lateral = std::hypot(c.x, c.y);
    const Vec3d  u = lateral > 1e-12 * r && lateral > 0 ? Vec3d{c.x / lateral, c.y / lateral, 0} : Vec3d{-1, 0, 0};
    // Inside, the nearest surface is the side or a cap; ties go to the side.
    if (lateral <= r && std::abs(c.z) <= h) {  // centre inside: out through the nearer of side and cap
        const bool   side     = r - lateral <= h - std::abs(c.z);
        const Vec3d  out_n    = side ? u : Vec3d{0, 0, c.z < 0 ? -1.0 : 1.0};
        const double depth    = side ? r - lateral : h - std::abs(c.z);
        const double distance = -depth - sphere.size.x;
        if (distance > reach) return;
        const Vec3d surface = cylinder.p + cylinder.R * (c + depth * out_n);
        const Vec3d n       = -(cylinder.R * out_n);
        out.add({surface - distance * n, surface, n, distance, side ? 1u : 2u});
        return;
    }
    const double radius = std::min(lateral, r);
    const Vec3d  nearest{radius * u.x, radius * u.y, std::clamp(c.z, -h, h)};
    emit(sphere.p, cylinder.p + cylinder.R * nearest, sphere.size.x, 0, -(cylinder.R * u), reach, 0, out);
}

MCH_CLONES_AVX2 void collide_sphere_box(const Shape& sphere, const Shape& box, double reach, Manifold& out)
{
    const Vec3d& h       = box.size;
    const Vec3d  c       = transpose_times(box.R, sphere.p - box.p);
    const Vec3d  nearest = max(-h, min(h, c));
    // A centre on the surface to rounding has no direction; it is treated as inside, where a face gives the normal.
    if (length_squared(nearest - c) > square(1e-12 * (sphere.size.x + max_component(h)))) {
        emit(sphere.p, box.p + box.R * nearest, sphere.size.x, 0, {1, 0, 0}, reach, 0, out);
        return;
    }
    // Centre inside: the face of least depth; ties go to the lowest of x-, x+, y-, y+, z-, z+.
    std::size_t axis = 0;
    double      side = -1, depth = kInfinity;
    for (std::size_t i = 0; i < 3; ++i)
        for (const double s : {-1.0, 1.0})
            if (h[i] - s * c[i] < depth) {
                depth = h[i] - s * c[i];
                axis  = i;
                side  = s;
            }
    const double distance = -depth - sphere.size.x;
    if (distance > reach) return;
    Vec3d on_face       = c;
    on_face[axis]       = side * h[axis];
    const Vec3d surface = box.p + box.R * on_face, n = -side * box.R.column(axis);
    out.add({surface - distance * n, surface, n, distance, 1 + 2 * axis + (side > 0 ? 1 : 0)});
}

MCH_CLONES_AVX2 void collide_capsule_capsule(const Shape& a, const Shape& b, double reach, Manifold& out)
{
    // Both cores by the way from their middles along unit axes: the one for which the gradient vanishes, clamped in
    // turn.
    const Vec3d  u = a.R.column(2), v = b.R.column(2), r = a.p - b.p, x = cross(u, v);
    // Minimise |r + s u - t v|^2: free s = ((u.v)(r.v) - r.u) / (1 - (u.v)^2). Clamping s, then t, then s again is
    // exact for segments.
    const double sine2 = length_squared(x), cosine = dot(u, v), ru = dot(r, u), rv = dot(r, v);
    const auto   on   = [](double z, double half) { return std::min(std::max(z, -half), half); };
    const double free = sine2 > 1e-14 ? (cosine * rv - ru) / sine2 : -ru;  // parallel axes: beside the middle of b
    const double t = on(cosine * on(free, a.size.y) + rv, b.size.y), s = on(cosine * t - ru, a.size.y);
    const Vec3d  on_a = a.p + s * u, on_b = b.p + t * v, gap = on_b - on_a;
    const double d = length(gap), radii = a.size.x + b.size.x;
    if (d - radii > reach) return;
    // Crossing axes part along their common perpendicular, coincident ones along any.
    Vec3d n = d > 1e-12 * radii && d > 0 ? (1 / d) * gap : sine2 > 1e-18 ? x / std::sqrt(sine2) : a.R.column(0);
    // Of a way that is all but none the perpendicular is known better than the rest after rounding.
    if (d < 1e-4 * radii && std::abs(s) < a.size.y && std::abs(t) < b.size.y && sine2 > 1e-8)
        n = (dot(gap, x) < 0 ? -1 : 1) / std::sqrt(sine2) * x;
    // 0.02 rad is 1.1 degrees between the axes.
    if (sine2 < square(0.02) && std::abs(dot(n, u)) < 0.02 && a.size.y > 0 && b.size.y > 0) {
        // Nearly parallel side by side: both ends of the common range hold, as long as they are within reach, and so
        // does the nearest pair where skew axes pass each other between the ends.
        const double p = -ru - b.size.y * cosine, q = -ru + b.size.y * cosine;
        const double from = std::max(-a.size.y, std::min(p, q)), to = std::min(a.size.y, std::max(p, q));
        if (to - from > 1e-3 * std::min(a.size.y, b.size.y)) {
            double least = kInfinity;
            for (const double z : {from, to}) {
                // One of the two points is an end of its core, the other the point of its own core closest to that end.
                const Vec3d  end_a = a.p + z * u;
                const double along =
                    std::abs(z) < a.size.y ? ((z == p) ? -b.size.y : b.size.y) : on(dot(v, end_a - b.p), b.size.y);
                const Vec3d end_b = b.p + along * v;
                least             = std::min(least, length(end_b - end_a));
                emit(end_a, end_b, a.size.x, b.size.x, n, reach, z == from ? 1 : 2, out);
            }
            if (!(d < least - 1e-9 * radii)) return;
        }
    }
    const Vec3d p0 = on_a + a.size.x * n;
    out.add({p0, p0 + (d - radii) * n, n, d - radii, 0});
}

}  // namespace mechane::collision
