#pragma once
#include "difference.h"
#include "mechane/collision/gjk.h"

namespace mechane::collision {

/// Whether `round_box_depth` knows the pair: a box with a cylinder or a cone, in either order.
inline bool is_round_box(const Difference& d)
{
    const auto round = [](ShapeKind kind) { return kind == ShapeKind::cylinder || kind == ShapeKind::cone; };
    return (d.a.kind == ShapeKind::box && round(d.b.kind)) || (d.b.kind == ShapeKind::box && round(d.a.kind));
}

/// Least translation that separates an overlapping box from a cylinder or cone. The overlap along a unit direction has
/// its local minima on creases only, since where both touch in single points the boundary of the difference is straight
/// along one of its lines: normals of the box and of the flat caps, normals of the side over a corner or across an
/// edge of the box, and the directions across an edge in which a rim touches it. All but the last are closed forms; of
/// the last a chord of the boundary says where one could be less than what is known, and Newton steps find it.
/// @return false where the shapes hardly overlap or their sizes leave no answer; the answer is in the frame of the
/// first
bool round_box_depth(const Difference& difference, CoreDistance& out);

}  // namespace mechane::collision
