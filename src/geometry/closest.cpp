// Closest points of segments and triangles (Ericson 2005, 5.1). All points in one frame [m]; parameters of segments are
// shares in [0, 1], weights of triangles are barycentric.

#include "mechane/geometry/closest.h"

#include <algorithm>

namespace mechane::geometry {

double closest_on_segment(const Vec3d& p, const Vec3d& a, const Vec3d& b)
{
    const Vec3d  ab = b - a;
    const double n  = dot(ab, ab);
    return n > 0 ? std::clamp(dot(p - a, ab) / n, 0.0, 1.0) : 0.0;
}

SegmentPair closest_on_segments(const Vec3d& a0, const Vec3d& a1, const Vec3d& b0, const Vec3d& b1)
{
    const Vec3d  u = a1 - a0, v = b1 - b0, w = a0 - b0;
    const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
    SegmentPair  r;
    if (!(uu > 0)) {
        r.t = closest_on_segment(a0, b0, b1);
    } else if (!(vv > 0)) {
        r.s = closest_on_segment(b0, a0, a1);
    } else {
        const double det = uu * vv - uv * uv;
        // Parallel segments share a whole interval; any s is a start, the clamps below find a valid pair.
        // s minimises the distance of the lines; t follows from s, and where t is clamped s is found anew.
        r.s = det > 1e-14 * uu * vv ? std::clamp((uv * vw - vv * uw) / det, 0.0, 1.0) : 0.0;
        r.t = (uv * r.s + vw) / vv;
        if (r.t < 0) {
            r.t = 0;
            r.s = std::clamp(-uw / uu, 0.0, 1.0);
        } else if (r.t > 1) {
            r.t = 1;
            r.s = std::clamp((uv - uw) / uu, 0.0, 1.0);
        }
    }
    r.a = a0 + r.s * u;
    r.b = b0 + r.t * v;
    return r;
}

PointOnTriangle closest_on_triangle(const Vec3d& p, const Vec3d& a, const Vec3d& b, const Vec3d& c)
{
    PointOnTriangle r = nearest_to_origin(a - p, b - p, c - p);
    r.point += p;
    return r;
}

SegmentTriangle closest_on_segment_triangle(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b,
                                            const Vec3d& c)
{
    const Vec3d  n  = cross(b - a, c - a);
    const double dp = dot(n, p - a), dq = dot(n, q - a);
    if (dp * dq < 0) {  // the ends lie on different sides: does the segment pass through the inside?
        const Vec3d x = p + (dp / (dp - dq)) * (q - p);
        if (dot(n, cross(b - a, x - a)) >= 0 && dot(n, cross(c - b, x - b)) >= 0 && dot(n, cross(a - c, x - c)) >= 0)
            return {x, x};
    }
    SegmentTriangle best;
    double          least = kInfinity;
    const auto      offer = [&](const Vec3d& s, const Vec3d& t) {
        const double d = length_squared(s - t);
        if (d < least) {
            least = d;
            best  = {s, t};
        }
    };
    // The nearest pair has an end of the segment or an edge of the triangle.
    offer(p, closest_on_triangle(p, a, b, c).point);
    offer(q, closest_on_triangle(q, a, b, c).point);
    const Vec3d corner[3] = {a, b, c};
    for (int i = 0; i < 3; ++i) {
        const SegmentPair s = closest_on_segments(p, q, corner[i], corner[(i + 1) % 3]);
        offer(s.a, s.b);
    }
    return best;
}

}  // namespace mechane::geometry
