#pragma once
#include "mechane/math/vec.h"

namespace mechane::geometry {

/// Parameter in [0, 1] of the point of segment ab that is closest to p; 0 when the segment is a point.
/// Everything in this file is pure arithmetic in double precision, in one frame that the caller chooses [m].
double closest_on_segment(const Vec3d& p, const Vec3d& a, const Vec3d& b);

/// Of crossing segments the two points are one to rounding.
struct SegmentPair {
    double s = 0, t = 0;  ///< parameters in [0, 1] on the first and the second segment
    Vec3d  a, b;          ///< the two points [m]
};
/// Closest points of two segments; points and parallel segments are legal (Ericson 2005, Real-Time Collision
/// Detection 5.1.9). The guard against a zero length is exact, so millimetre segments are as accurate as metre ones.
SegmentPair closest_on_segments(const Vec3d& a0, const Vec3d& a1, const Vec3d& b0, const Vec3d& b1);

/// A weight of exactly 0 says that the point lies on an edge or a corner.
struct PointOnTriangle {
    Vec3d point;    ///< [m]
    Vec3d weights;  ///< barycentric coordinates, sum 1; dimensionless
};
/// The point of triangle abc that is nearest to the origin (Ericson 2005, 5.1.5). Degenerate triangles act as segments
/// or points. Over the inside it is the foot on the plane: of a thin triangle the weights are uncertain, the plane is
/// not, and the next direction of an iteration depends on it. Inline for those.
[[gnu::always_inline]] inline PointOnTriangle nearest_to_origin(const Vec3d& a, const Vec3d& b, const Vec3d& c)
{
    const Vec3d  ab = b - a, ac = c - a;
    const double d1 = -dot(ab, a), d2 = -dot(ac, a);
    if (d1 <= 0 && d2 <= 0) return {a, {1, 0, 0}};
    const double d3 = -dot(ab, b), d4 = -dot(ac, b);
    if (d3 >= 0 && d4 <= d3) return {b, {0, 1, 0}};
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        const double t = d1 - d3 > 0 ? d1 / (d1 - d3) : 0;
        return {a + t * ab, {1 - t, t, 0}};
    }
    const double d5 = -dot(ab, c), d6 = -dot(ac, c);
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
    const Vec3d  n     = cross(ab, ac);
    const double share = 1 / (va + vb + vc), v = vb * share, w = vc * share, nn = dot(n, n);
    return {nn > 0 ? (dot(n, a) / nn) * n : a + v * ab + w * ac, {1 - v - w, v, w}};
}

/// The point of triangle abc that is closest to p.
PointOnTriangle closest_on_triangle(const Vec3d& p, const Vec3d& a, const Vec3d& b, const Vec3d& c);

/// The closest points of a segment and a triangle.
struct SegmentTriangle {
    Vec3d on_segment, on_triangle;  ///< equal where the segment pierces the triangle [m]
};
/// Closest points of the segment pq and the triangle abc.
SegmentTriangle closest_on_segment_triangle(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b,
                                            const Vec3d& c);

}  // namespace mechane::geometry
