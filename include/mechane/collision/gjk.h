#pragma once
#include "mechane/collision/shape.h"

namespace mechane::collision {

/// Signed distance of two convex cores. `distance` [m] is negative when they overlap; then it is the least translation
/// that separates them. `normal` is unit and points from a to b; `on_a` and `on_b` differ by distance * normal up to
/// the tolerance.
struct CoreDistance {
    double distance = 0;     ///< [m], negative when they overlap
    Vec3d  normal{1, 0, 0};  ///< unit, from a to b, the frame of the shapes' poses; dimensionless
    Vec3d  on_a, on_b;       ///< the two points, in the same frame [m]
};

/// Distance of two convex shapes without their core radii: GJK when apart (Gilbert, Johnson, Keerthi 1988;
/// sub-algorithm by Voronoi regions, Ericson 2005), the expanding polytope when they overlap (van den Bergen 2001).
/// Every answer in penetration is certified: moving b by -distance along the normal separates the cores. Bounded
/// iterations; never NaN for finite input. A plane or a mesh has no core: asking for it is a mistake that the failure
/// handler is told. The distance of whole shapes of any kind is `shape_distance` (queries.h).
/// @param give_up  may return a lower bound of the distance as soon as that exceeds this value [m]
CoreDistance core_distance(const Shape& a, const Shape& b, double give_up = kInfinity);

/// The same of cores that are apart; of overlapping ones it says only that they do, by a distance of 0.
/// Cheaper where the depth is not wanted, as for queries that ask how far.
CoreDistance core_distance_apart(const Shape& a, const Shape& b, double give_up = kInfinity);
/// @param start  a guess at the way from the nearest point of b to that of a; not needed, but a good one saves steps
CoreDistance core_distance_apart(const Shape& a, const Shape& b, double give_up, const Vec3d& start);

/// Signed separation along the unit direction n from a to b: the largest over all n is the signed distance.
/// For checking an answer: no direction separates two shapes by more than their distance.
inline double separation(const Shape& a, const Shape& b, const Vec3d& n)
{ return dot(n, support(b, -n) - support(a, n)); }

}  // namespace mechane::collision
