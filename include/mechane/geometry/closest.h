#pragma once
#include "mechane/math/vec.h"

namespace mechane::geometry {

/// Parameter in [0, 1] of the point of segment ab that is closest to p; 0 when the segment is a point.
double closest_on_segment(const Vec3d& p, const Vec3d& a, const Vec3d& b);

struct SegmentPair {
    double s = 0, t = 0;  ///< parameters in [0, 1] on the first and the second segment
    Vec3d  a, b;          ///< the two points [m]
};
/// Closest points of two segments; points and parallel segments are legal (Ericson 2005, Real-Time Collision
/// Detection 5.1.9). The guard against a zero length is exact, so millimetre segments are as accurate as metre ones.
SegmentPair closest_on_segments(const Vec3d& a0, const Vec3d& a1, const Vec3d& b0, const Vec3d& b1);

struct PointOnTriangle {
    Vec3d point;    ///< [m]
    Vec3d weights;  ///< barycentric coordinates, sum 1
};
/// The point of triangle abc that is closest to p (Ericson 2005, 5.1.5). Degenerate triangles act as segments or
/// points.
PointOnTriangle closest_on_triangle(const Vec3d& p, const Vec3d& a, const Vec3d& b, const Vec3d& c);

struct SegmentTriangle {
    Vec3d on_segment, on_triangle;  ///< equal where the segment pierces the triangle [m]
};
/// Closest points of the segment pq and the triangle abc.
SegmentTriangle closest_on_segment_triangle(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b,
                                            const Vec3d& c);

}  // namespace mechane::geometry
