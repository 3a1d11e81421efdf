// The route of any two convex shapes without a closed form: distance or depth of the cores (gjk.cpp, epa.cpp), then a
// manifold by clipping of the supporting features (manifold.cpp).
// The core of a shape is the shape without its radius. Distances of cores become those of surfaces by subtracting both
// radii. Points are in the frame of both shapes [m], the normal leads from a to b.

#include <algorithm>

#include "manifold.h"
#include "pairs.h"

namespace mechane::collision {

void collide_convex(const Shape& a, const Shape& b, double reach, Manifold& out)
{
    const double limit = reach + a.core_radius() + b.core_radius();
    CoreDistance core  = core_distance(a, b, limit);
    if (core.distance > limit) return;
    // The iteration's normal is good to a microradian or so. If a face's normal separates as well, it is taken, so that
    // flat contacts have equal depths.
    polish(a, b, core);
    Candidates candidates;
    // Points nearer than 1e-4 of the smaller shape are one point.
    convex_candidates(a, b, core, reach, false, 1e-4 * std::min(bounding_radius(a), bounding_radius(b)), candidates);
    emit_reduced(candidates, out);
}

}  // namespace mechane::collision
