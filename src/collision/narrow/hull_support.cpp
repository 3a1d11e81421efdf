// The support function of hulls: the index of the vector that lies farthest along a direction.
// Both versions give the same answer to the last bit: the sums are formed in the same order, and of equal maxima the
// first index wins.

#include <bit>

#include "core_support.h"
#include "mechane/math/simd.h"

namespace mechane::collision {

namespace {

constexpr auto kStep = static_cast<std::size_t>(kLanes);

#if defined(__x86_64__) && defined(__GNUC__) && !defined(MECHANE_SCALAR)
#define MCH_HULL_MASKS 1

/// The farthest of some vectors, if it lies farther than `most`.
/// One pass finds the maximum of a block as a tree of maxima; a second compares with it. The index is the first bit of
/// the comparison's mask.
template <std::size_t kBlock>
[[gnu::target("avx2"), gnu::always_inline]] inline void look_at(const LaneVectors& vectors, std::size_t first,
                                                                const Lanes& dx, const Lanes& dy, const Lanes& dz,
                                                                double& most, std::size_t& name)
{
    constexpr std::size_t kCount = kBlock / kStep;
    const double *        x = vectors.x.data() + first, *y = vectors.y.data() + first, *z = vectors.z.data() + first;
    Lanes                 along[kCount], best[kCount];
    for (std::size_t i = 0; i < kCount; ++i)
        best[i] = along[i] = lanes(x + kStep * i) * dx + lanes(y + kStep * i) * dy + lanes(z + kStep * i) * dz;
    for (std::size_t half = kCount / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) best[i] = best[i + half] > best[i] ? best[i + half] : best[i];
    Lanes turned = __builtin_shufflevector(best[0], best[0], 2, 3, 0, 1);
    Lanes top    = turned > best[0] ? turned : best[0];
    turned       = __builtin_shufflevector(top, top, 1, 0, 3, 2);
    top          = turned > top ? turned : top;
    if (!(top[0] > most)) return;
    std::uint64_t reached = 0;
    for (std::size_t i = 0; i < kCount; ++i)
        reached |= static_cast<std::uint64_t>(__builtin_ia32_movmskpd256((Lanes)(along[i] == top))) << (kStep * i);
    most = top[0];
    name = first + static_cast<std::size_t>(std::countr_zero(reached));
}

/// Once with the maximum, once with where it is: half of the time until the answer is there.
[[gnu::target("avx2")]] std::int32_t farthest_by_masks(const LaneVectors& vectors, const Vec3d& d)
{
    const std::size_t n = vectors.x.size();
    const Lanes       dx{d.x, d.x, d.x, d.x}, dy{d.y, d.y, d.y, d.y}, dz{d.z, d.z, d.z, d.z};
    double            most = -kInfinity;
    std::size_t       name = 0, i = 0;
    for (; i + 32 <= n; i += 32) look_at<32>(vectors, i, dx, dy, dz, most, name);
    for (; i + kLaneBlock <= n; i += kLaneBlock) look_at<kLaneBlock>(vectors, i, dx, dy, dz, most, name);
    for (; i < n; i += kStep) look_at<kStep>(vectors, i, dx, dy, dz, most, name);
    return static_cast<std::int32_t>(name);
}
#endif

std::int32_t farthest_by_lanes(const LaneVectors& vectors, const Vec3d& d)
{
    const std::size_t n = vectors.x.size();
    const Lanes       dx{d.x, d.x, d.x, d.x}, dy{d.y, d.y, d.y, d.y}, dz{d.z, d.z, d.z, d.z};
    const double *    x = vectors.x.data(), *y = vectors.y.data(), *z = vectors.z.data();
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

}  // namespace

std::int32_t farthest_of_many(const LaneVectors& vectors, const Vec3d& d)
{
    if (vectors.x.empty()) return -1;
#ifdef MCH_HULL_MASKS
    // Chosen at run time: the program runs on any x86-64.
    if (__builtin_cpu_supports("avx2")) return farthest_by_masks(vectors, d);
#endif
    return farthest_by_lanes(vectors, d);
}

}  // namespace mechane::collision
