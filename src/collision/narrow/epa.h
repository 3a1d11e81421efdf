#pragma once
#include "mechane/collision/gjk.h"

namespace mechane::collision {

/// A point of the Minkowski difference a - b with the points it comes from.
struct MinkowskiPoint {
    Vec3d w, a, b;
};
inline MinkowskiPoint minkowski_support(const Shape& a, const Shape& b, const Vec3d& direction)
{
    MinkowskiPoint m{.a = support(a, direction), .b = support(b, -direction)};
    m.w = m.a - m.b;
    return m;
}

/// Least translation that separates two overlapping (or touching) cores.
CoreDistance penetration(const Shape& a, const Shape& b);

}  // namespace mechane::collision
