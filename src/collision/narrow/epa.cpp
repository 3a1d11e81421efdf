#include "epa.h"

#include <algorithm>

#include "mechane/geometry/closest.h"
#include "polytope.h"

namespace mechane::collision {

namespace {

/// Keeps the direction of largest separation met so far. For overlapping cores every separation is <= 0 and the largest
/// is the signed distance; whatever was met is a proof that this translation suffices.
struct Certificate {
    const Difference& difference;
    double            separation = -kInfinity;
    Vec3d             normal{1, 0, 0};
    MinkowskiPoint    at;

    void offer(const Vec3d& n, const MinkowskiPoint& w)
    {
        const double s = -dot(n, w.w);
        if (s > separation) {
            separation = s;
            normal     = n;
            at         = w;
        }
    }
    void offer(const Vec3d& n)
    {
        offer(n, difference(n));
        offer(-n, difference(-n));
    }
};

CoreDistance result_of(const Certificate& best)
{ return {.distance = best.separation, .normal = best.normal, .on_a = best.at.a, .on_b = best.at.b}; }

/// Whether four points span a volume that rounding leaves in peace.
bool is_thick(std::span<const MinkowskiPoint> p)
{
    if (p.size() != 4) return false;
    const Vec3d  e = p[1].w - p[0].w, f = p[2].w - p[0].w, g = p[3].w - p[0].w;
    const double side = std::max({length_squared(e), length_squared(f), length_squared(g)});
    return std::abs(dot(e, cross(f, g))) > 1e-9 * side * std::sqrt(side);
}

/// A tetrahedron of far-apart support points. False when a - b is flat; the flat direction has then been offered.
bool span_volume(Polytope& poly, Certificate& best)
{
    static const Vec3d kDirections[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},    {0, -1, 0},  {0, 0, 1},
                                        {0, 0, -1}, {1, 1, 1},  {-1, -1, -1}, {1, -1, -1}, {-1, 1, 1}};
    std::array<MinkowskiPoint, std::size(kDirections)> p;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3d n = normalized(kDirections[i]);
        p[i]          = best.difference(n);
        best.offer(n, p[i]);
    }
    const auto farthest = [&](auto&& measure) {
        std::size_t at = 0;
        for (std::size_t i = 1; i < p.size(); ++i)
            if (measure(p[i].w) > measure(p[at].w) * (1 + 1e-12)) at = i;
        return p[at];
    };
    const MinkowskiPoint p0     = p[0];
    const MinkowskiPoint p1     = farthest([&](const Vec3d& w) { return length_squared(w - p0.w); });
    const Vec3d          u      = p1.w - p0.w;
    const double         extent = length(u);
    if (!(extent > 0)) return false;  // two points
    const MinkowskiPoint p2 = farthest([&](const Vec3d& w) { return length_squared(cross(w - p0.w, u)); });
    const Vec3d          c  = cross(u, p2.w - p0.w);
    if (!(length(c) > 1e-13 * extent * extent)) {  // a line
        const Vec3d n = any_perpendicular(normalized(u));
        best.offer(n);
        best.offer(cross(normalized(u), n));
        return false;
    }
    const Vec3d          n  = normalized(c);
    const MinkowskiPoint up = best.difference(n), down = best.difference(-n);
    best.offer(n, up);
    best.offer(-n, down);
    const double rise = dot(n, up.w - p0.w), fall = dot(n, p0.w - down.w);
    if (!(std::max(rise, fall) > 1e-13 * extent)) return false;  // a flat figure: n has been offered
    return poly.start(p0, p1, p2, rise >= fall ? up : down);
}

}  // namespace

CoreDistance penetration(const Difference& difference, std::span<const MinkowskiPoint> start)
{
    Polytope    poly;
    Certificate best{difference};
    const bool  spanned = is_thick(start) && poly.start(start[0], start[1], start[2], start[3]);
    if (!spanned && !span_volume(poly, best)) return result_of(best);
    double extent = 0;
    for (std::int32_t i = 1; i < 4; ++i) extent = std::max(extent, length(poly.vertex(i).w - poly.vertex(0).w));
    // A polytope is met exactly. Round sides are met to 1e-7 of the depth: an angle of about 5e-4 rad.
    const double tolerance = 1e-10 * extent, share = difference.curved ? 1e-7 : 0;
    std::int32_t face = poly.nearest();
    while (face >= 0) {
        const Polytope::Face& f      = poly.face(face);
        const double          scale  = 1 / std::sqrt(f.size);
        const Vec3d           n      = scale * f.across;
        const double          offset = scale * f.height;
        const MinkowskiPoint  w      = difference(n);
        best.offer(n, w);
        const double out_at = dot(n, w.w);
        if (out_at - offset <= std::max(tolerance, -share * best.separation)) {
            // Where the plane of the face comes nearest to the origin, its corners say which points of a and b meet.
            const auto&           v = poly.face(face).v;
            const MinkowskiPoint &i = poly.vertex(v[0]), &j = poly.vertex(v[1]), &k = poly.vertex(v[2]);
            const Vec3d           m = geometry::closest_on_triangle(offset * n, i.w, j.w, k.w).weights;
            return {-out_at, n, m.x * i.a + m.y * j.a + m.z * k.a, m.x * i.b + m.y * j.b + m.z * k.b};
        }
        if (!poly.grow(face, w, 1e-13 * extent)) break;
        face = poly.nearest();
    }
    return result_of(best);
}

}  // namespace mechane::collision
