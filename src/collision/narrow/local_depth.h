#pragma once
#include "difference.h"

namespace mechane::collision {

/// Where the boundary of a - b comes nearest to an origin inside of it: a local minimum over all directions.
struct LocalDepth {
    Vec3d  n;          ///< unit, outward
    double depth = 0;  ///< [m]
    Vec3d  b;          ///< the point of b; that of a is b + depth * n
};

/// Looks for the least depth near the unit direction `n0`. Such a minimum lies where the support function of a - b is
/// smooth and stationary, or on a crease of it: across an edge of a box, the side of a cylinder (directions on a great
/// circle), across two of them, or along the axis of a flat cap (single directions). Each kind is solved by Newton
/// steps or outright and then checked to be a minimum: the forces that the points of an edge or a cap can take up must
/// balance. Of several the deepest separation wins.
/// @return false when nothing near is proven to be one
bool local_depth(const Difference& difference, const Vec3d& n0, LocalDepth& out);

/// Whether every crease of the support function is looked at. Where one could be missed a minimum found need not be the
/// least one near.
inline bool has_known_creases(const Shape& s)
{ return s.kind != ShapeKind::hull && s.kind != ShapeKind::triangle && s.kind != ShapeKind::rectangle; }

}  // namespace mechane::collision
