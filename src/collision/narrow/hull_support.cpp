#include "core_support.h"
#include "mechane/math/lanes.h"

namespace mechane::collision {

namespace {
constexpr auto kStep = static_cast<std::size_t>(kLanes);
}

MCH_WIDE std::int32_t farthest_vertex(const HullShape& hull, const Vec3d& d)
{
    const std::size_t n = hull.lane_x.size();
    if (n == 0) return -1;
    const Lanes   dx{d.x, d.x, d.x, d.x}, dy{d.y, d.y, d.y, d.y}, dz{d.z, d.z, d.z, d.z};
    const double *x = hull.lane_x.data(), *y = hull.lane_y.data(), *z = hull.lane_z.data();
    Lanes         best = lanes(x) * dx + lanes(y) * dy + lanes(z) * dz;
    LaneMask      at{0, 1, 2, 3}, here = at;
    for (std::size_t i = kStep; i < n; i += kStep) {
        const Lanes along = lanes(x + i) * dx + lanes(y + i) * dy + lanes(z + i) * dz;
        here += kLanes;
        const LaneMask more = along > best;
        best                = more ? along : best;
        at                  = more ? here : at;
    }
    // The rows that fill the last lanes repeat the first vertex and so never win.
    double       most  = best[0];
    std::int64_t first = at[0];
    for (std::size_t k = 1; k < kStep; ++k)
        if (best[k] > most || (best[k] == most && at[k] < first)) most = best[k], first = at[k];
    return static_cast<std::int32_t>(first);
}

}  // namespace mechane::collision
