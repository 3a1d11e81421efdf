#pragma once
#include "mechane/collision/gjk.h"

namespace mechane::collision {

/// What planes tell of two polyhedra.
enum class ByPlanes {
    unknown,  ///< nothing: they are not of the kinds that this is for
    bound,    ///< they are apart, by at least the distance along the normal
    exact     ///< the distance, or beyond the limit a lower bound of it
};

/// The signed distance of boxes, triangles (and their prisms) and hulls of few corners, where such a hull is among
/// them, from the planes that may separate them: along the normals of faces and across pairs of edges (Gottschalk, Lin,
/// Manocha 1996). Among these is the least way out of each other, and the distance as long as a face or two edges are
/// nearest.
/// @param give_up  beyond it a lower bound will do [m]
/// @param deep     of overlapping ones as well; else only that they overlap, by a distance of 0
ByPlanes distance_by_planes(const Shape& a, const Shape& b, double give_up, bool deep, CoreDistance& out);

}  // namespace mechane::collision
