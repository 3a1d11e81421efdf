#pragma once
#include "mechane/collision/gjk.h"

namespace mechane::collision {

/// Distance of a triangle from a box, by separating axes (Gottschalk, Lin, Manocha 1996): the two are polyhedra, so
/// when they overlap the least way out is along a face normal or across two edges. Then the triangle is the prism that
/// goes `deep` [m] down behind it.
/// @param normal  of the triangle, unit
/// @param limit   beyond it the distance may be a lower bound [m]
CoreDistance triangle_box_distance(const Shape& triangle, const Vec3d& normal, const Shape& box, double limit,
                                   double deep);

}  // namespace mechane::collision
