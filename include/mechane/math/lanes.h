#pragma once
#include <cstdint>

/// Four doubles that are worked on together. A sum over lanes has one order and products are never fused with sums, so
/// that a machine with wider registers gets the same bits.
namespace mechane {

inline constexpr int kLanes = 4;

using Lanes [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]]    = double;
using LaneMask [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = std::int64_t;

inline const Lanes& lanes(const double* at) { return *reinterpret_cast<const Lanes*>(at); }
inline Lanes&       lanes(double* at) { return *reinterpret_cast<Lanes*>(at); }
inline double       sum(const Lanes& x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/// Two sums at once, for fewer instructions: the same bits as `sum` of each.
[[gnu::always_inline]] inline void sum_two(const Lanes& a, const Lanes& b, double& sum_a, double& sum_b)
{
    using Pair [[gnu::vector_size(16)]] = double;
    const Lanes pairs = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Pair  both  = __builtin_shufflevector(pairs, pairs, 0, 1) + __builtin_shufflevector(pairs, pairs, 2, 3);
    sum_a             = both[0];
    sum_b             = both[1];
}

/// Lanes whose bits are not set in `kept` [0, 16), the lowest for the first, become zero.
[[gnu::always_inline]] inline void keep_lanes(Lanes& x, unsigned kept)
{
    constexpr LaneMask kBits{1, 2, 4, 8};
    x = (Lanes)((LaneMask)x & (((LaneMask{} + static_cast<std::int64_t>(kept)) & kBits) != 0));
}

/// Functions over lanes that are compiled twice: for any x86-64, and for those with AVX2; the loader picks. Sanitizers
/// cannot look into the function that picks. MECHANE_SCALAR leaves the wide ones out: the test of equal bits is against
/// that.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(MECHANE_SCALAR)
#define MCH_WIDE [[gnu::target_clones("default", "avx2")]]
#else
#define MCH_WIDE
#endif

}  // namespace mechane
