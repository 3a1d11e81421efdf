#include <algorithm>

#include "manifold.h"
#include "pairs.h"

namespace mechane::collision {

void collide_convex(const Shape& a, const Shape& b, double reach, Manifold& out)
{
    const double limit = reach + a.core_radius() + b.core_radius();
    CoreDistance core  = core_distance(a, b, limit);
    if (core.distance > limit) return;
    polish(a, b, core);
    Candidates candidates;
    convex_candidates(a, b, core, reach, false, 1e-4 * std::min(bounding_radius(a), bounding_radius(b)), candidates);
    emit_reduced(candidates, out);
}

}  // namespace mechane::collision
