#pragma once
#include "mechane/collision/shape.h"

namespace mechane::collision {

/// A plane that separates two cores by `distance` [m], 0 where they overlap.
struct Separation {
    double distance = 0;
    Vec3d  normal;  ///< from a to b
};

/// A plane between two cores, good enough to advance by: it separates them by more than `limit`, or by more than
/// `beyond` with three quarters of the room that there is beyond that. Where room of `near` or less is found it is all
/// that there is.
/// @param guess  a normal that may be near
Separation plane_between(const Shape& a, const Shape& b, double limit, double beyond, double near, const Vec3d& guess);

}  // namespace mechane::collision
