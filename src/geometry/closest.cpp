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
    const Vec3d  ab = b - a, ac = c - a, ap = p - a;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return {a, {1, 0, 0}};
    const Vec3d  bp = p - b;
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return {b, {0, 1, 0}};
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        const double t = d1 - d3 > 0 ? d1 / (d1 - d3) : 0;
        return {a + t * ab, {1 - t, t, 0}};
    }
    const Vec3d  cp = p - c;
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return {c, {0, 0, 1}};
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        const double t = d2 - d6 > 0 ? d2 / (d2 - d6) : 0;
        return {a + t * ac, {1 - t, 0, t}};
    }
    const double va = d3 * d6 - d5 * d4, e = d4 - d3, f = d5 - d6;
    if (va <= 0 && e >= 0 && f >= 0) {
        const double t = e + f > 0 ? e / (e + f) : 0;
        return {b + t * (c - b), {0, 1 - t, t}};
    }
    const double sum = va + vb + vc;
    const double v = vb / sum, w = vc / sum;
    return {a + v * ab + w * ac, {1 - v - w, v, w}};
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
