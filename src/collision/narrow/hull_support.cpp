#include "core_support.h"
#include "mechane/math/lanes.h"

namespace mechane::collision {

namespace {
constexpr auto kStep = static_cast<std::size_t>(kLanes);
}

MCH_WIDE std::int32_t farthest_of_many(const LaneVectors& vectors, const Vec3d& d)
{
    const std::size_t n = vectors.x.size();
    if (n == 0) return -1;
    const Lanes   dx{d.x, d.x, d.x, d.x}, dy{d.y, d.y, d.y, d.y}, dz{d.z, d.z, d.z, d.z};
    const double *x = vectors.x.data(), *y = vectors.y.data(), *z = vectors.z.data();
    // Two running maxima in turns: one alone would wait for itself. Where the second has nothing left it sees the same
    // as the first, under a later name, and loses.
    Lanes    best = lanes(x) * dx + lanes(y) * dy + lanes(z) * dz, other = best;
    LaneMask at{0, 1, 2, 3}, here = at, other_at = at;
    for (std::size_t i = kStep; i < n; i += 2 * kStep) {
        const std::size_t k      = i + kStep < n ? i + kStep : i;
        const Lanes       first  = lanes(x + i) * dx + lanes(y + i) * dy + lanes(z + i) * dz;
        const Lanes       second = lanes(x + k) * dx + lanes(y + k) * dy + lanes(z + k) * dz;
        here += kLanes;
        const LaneMask more = first > best;
        best                = more ? first : best;
        at                  = more ? here : at;
        here += kLanes;
        const LaneMask also = second > other;
        other               = also ? second : other;
        other_at            = also ? here : other_at;
    }
    const LaneMask better = (other > best) | ((other == best) & (other_at < at));
    best = better ? other : best, at = better ? other_at : at;
    // The rows that fill the last lanes repeat the first vector and so never win.
    double       most = best[0];
    std::int64_t name = at[0];
    for (std::size_t k = 1; k < kStep; ++k)
        if (best[k] > most || (best[k] == most && at[k] < name)) most = best[k], name = at[k];
    return static_cast<std::int32_t>(name);
}

}  // namespace mechane::collision
