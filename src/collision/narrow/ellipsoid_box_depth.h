#pragma once
#include "difference.h"
#include "mechane/collision/gjk.h"

namespace mechane::collision {

inline bool is_ellipsoid_box(const Difference& d)
{
    return (d.a.kind == ShapeKind::ellipsoid && d.b.kind == ShapeKind::box) ||
           (d.a.kind == ShapeKind::box && d.b.kind == ShapeKind::ellipsoid);
}

/// Least translation that separates an overlapping ellipsoid from a box, where the ellipsoid leaves through a face or
/// over an edge: normals of the faces are closed forms; across an edge a chord of the boundary says where the overlap
/// could be less than what is known, and Newton steps find it. That no direction over a corner is shorter is proven
/// from bounds of the overlap.
/// @return false where that proof fails, mostly since a corner is the answer, and where the shapes hardly overlap; the
/// answer is in the frame of the first
bool ellipsoid_box_depth(const Difference& difference, CoreDistance& out);

}  // namespace mechane::collision
