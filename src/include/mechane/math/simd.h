#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "mechane/math/lane_by_lane.h"

/// Arithmetic on several numbers at once, over the vector extension that GCC and Clang share.
///
/// A `Pack<T, N>` has the operators of its element, lane by lane; a comparison of two packs gives a `Mask`, with all bits
/// of a lane set or none, and `mask ? a : b` chooses lane by lane. N is a power of two. Where the machine's registers
/// are smaller the compiler splits a pack. A sum over lanes has one order, and products are never fused with sums, so
/// that a machine with wider registers gets the same bits.
///
/// The functions below also take plain numbers, with `bool` for a mask, so that one template serves a single row and a
/// packet of rows. All are inlined and take packs by value: a `View` in memory is not aligned as a pack is.
///
/// Functions that are compiled for several machines are marked MCH_CLONES_AVX2 or MCH_CLONES_AVX512; the loader picks
/// one. Sanitizers cannot look into the function that picks. MECHANE_SCALAR leaves the wide ones out: the test of equal
/// bits is against that.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(MECHANE_SCALAR)
#define MCH_CLONES_AVX2 [[gnu::target_clones("default", "avx2")]]
#define MCH_CLONES_AVX512 [[gnu::target_clones("default", "avx2", "arch=x86-64-v4")]]
#else
#define MCH_CLONES_AVX2
#define MCH_CLONES_AVX512
#endif
/// Of lambdas, which functions that are compiled several times do not inline by themselves.
#define MCH_INLINE_LAMBDA __attribute__((always_inline))

// How packs would be passed does not matter to functions that are inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wignored-attributes"

namespace mechane::simd {

template <class T, int N>
struct PackOf {
    static_assert(N > 1 && (N & (N - 1)) == 0);
    using Value [[gnu::vector_size(N * sizeof(T)), gnu::aligned(N * sizeof(T))]]             = T;
    using View [[gnu::vector_size(N * sizeof(T)), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
};
/// N numbers in a register, aligned as wide registers want it: without AVX compilers align wide packs less, and functions
/// that are compiled for several machines share what lies in memory. A template that gets a pack for an argument does
/// not see that; what it keeps in memory says so itself, as `Packs` does.
template <class T, int N>
using Pack = typename PackOf<T, N>::Value;
/// The same anywhere in memory, over numbers that other code sees one by one.
template <class T, int N>
using View = typename PackOf<T, N>::View;

// -- memory

template <int N, class T>
MCH_INLINE Pack<T, N> load(const T* from)
{ return *reinterpret_cast<const View<T, N>*>(from); }
template <class T, class P>
MCH_INLINE void store(T* to, P x)
{ *reinterpret_cast<View<T, kSize<P>>*>(to) = x; }
/// Numbers in memory as a pack that can be read and written.
template <int N, class T>
MCH_INLINE View<T, N>& view(T* at)
{ return *reinterpret_cast<View<T, N>*>(at); }
template <int N, class T>
MCH_INLINE const View<T, N>& view(const T* at)
{ return *reinterpret_cast<const View<T, N>*>(at); }

/// Lane by lane to another type of number.
template <class T, class P>
MCH_INLINE Pack<T, kSize<P>> convert(P x)
{ return __builtin_convertvector(x, Pack<T, kSize<P>>); }
/// What a pack of doubles is when each has been kept as a T.
template <class T, class P>
MCH_INLINE P rounded(P x)
{ return convert<Element<P>>(convert<T>(x)); }

// -- across lanes

MCH_INLINE double sum(Pack<double, 4> x) { return (x[0] + x[1]) + (x[2] + x[3]); }
/// Two sums at once, for fewer instructions: the same bits as `sum` of each.
MCH_INLINE void sum_two(Pack<double, 4> a, Pack<double, 4> b, double& sum_a, double& sum_b)
{
    const Pack<double, 4> pairs = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Pack<double, 2> both =
        __builtin_shufflevector(pairs, pairs, 0, 1) + __builtin_shufflevector(pairs, pairs, 2, 3);
    sum_a = both[0];
    sum_b = both[1];
}
/// The largest, at least 0.
template <class P>
MCH_INLINE Element<P> largest_of(P x)
{
    Element<P> out = 0;
    for (int i = 0; i < kSize<P>; ++i) out = x[i] > out ? x[i] : out;
    return out;
}
/// Lanes whose bits are not set in `kept` [0, 16), the lowest for the first, become zero.
MCH_INLINE Pack<double, 4> keep_lanes(Pack<double, 4> x, unsigned kept)
{
    using Bits           = Pack<std::int64_t, 4>;
    constexpr Bits kBits = {1, 2, 4, 8};
    return (Pack<double, 4>)((Bits)x & (((Bits{} + static_cast<std::int64_t>(kept)) & kBits) != 0));
}

// -- several packs

/// Rows and columns of N packs of N numbers change places.
template <class P>
MCH_INLINE void transpose(Packs<P, 4>& r)
    requires(kSize<P> == 4)
{
    const P a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7),
            c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
template <class P>
MCH_INLINE void transpose(Packs<P, 8>& r)
    requires(kSize<P> == 8)
{
    Packs<P, 8> s;
    for (std::size_t i = 0; i < 4; ++i) {
        const P a = r[2 * i], b = r[2 * i + 1];
        s[2 * i]     = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
        s[2 * i + 1] = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 2; ++k) {
            const P a = s[4 * i + k], b = s[4 * i + k + 2];
            r[4 * i + 2 * k]     = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
            r[4 * i + 2 * k + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (std::size_t i = 0; i < 4; ++i) {
        s[i]     = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        s[i + 4] = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    r = s;
}

/// N numbers of each of N objects, the first `at(0)`, ...; then the same number of all of them in each pack.
template <int N, class At>
MCH_INLINE auto gather(const At& at)
{
    using T = std::remove_cvref_t<decltype(*at(std::size_t{0}))>;
    Packs<Pack<T, N>, static_cast<std::size_t>(N)> out;
    for (std::size_t i = 0; i < N; ++i) out[i] = load<N>(at(i));
    transpose(out);
    return out;
}

}  // namespace mechane::simd

/// Four doubles: the width of rows over generalized coordinates.
namespace mechane {

inline constexpr int kLanes = 4;

using Lanes    = simd::Pack<double, kLanes>;
using LaneMask = simd::Pack<std::int64_t, kLanes>;

MCH_INLINE const simd::View<double, kLanes>& lanes(const double* at) { return simd::view<kLanes>(at); }
MCH_INLINE simd::View<double, kLanes>&       lanes(double* at) { return simd::view<kLanes>(at); }
using simd::keep_lanes;
using simd::sum;
using simd::sum_two;

}  // namespace mechane

#pragma GCC diagnostic pop
