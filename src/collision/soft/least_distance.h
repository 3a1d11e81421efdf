#pragma once
#include <optional>

#include "mechane/collision/queries.h"

namespace mechane::collision {

/// The place of an edge or a triangle of particles that is nearest to a shape, or deepest in it.
struct LeastDistance {
    NearestPoint near;     ///< of the shape's surface; `distance` is that of the place
    Vec3d        weights;  ///< of the corners, sum 1; exactly 0 where a corner has no part
};

/// The nearest point of a shape to `p`; `nearest_point`, but below a height field the surface is reached from inside,
/// as deep as the field goes.
std::optional<NearestPoint> signed_nearest(const Shape& shape, const Vec3d& p, double reach);

/// The least signed distance over a segment, or nothing when it is `reach` [m] or more. Of a convex shape the distance
/// is a convex function of the place: its slope at two places bounds it from below between them, and halving closes in
/// on the least. Of a hollow mesh the nearest pair of the segment and a triangle is exact as long as nothing is
/// pierced; beyond that the least of sixteen parts is taken.
std::optional<LeastDistance> least_on_segment(const Shape& shape, const Vec3d& a, const Vec3d& b, double reach);

/// The same over a triangle: each slope cuts off the side of what is left on which the distance is larger (Levin 1965),
/// so that half of the area goes at every look.
std::optional<LeastDistance> least_on_triangle(const Shape& shape, const Vec3d& a, const Vec3d& b, const Vec3d& c,
                                               double reach);

}  // namespace mechane::collision
