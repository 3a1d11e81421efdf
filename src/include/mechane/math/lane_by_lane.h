#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

/// The part of math/simd.h that takes plain numbers and packs alike and knows nothing of registers, so that it also
/// compiles for a device: one template then serves a single row, a packet of rows and a thread of a GPU.
#if defined(__CUDACC__)
#define MCH_HD __host__ __device__
#define MCH_INLINE __host__ __device__ __forceinline__
#else
#define MCH_HD
#define MCH_INLINE [[gnu::always_inline]] inline
#endif

// How packs would be passed does not matter to functions that are inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wignored-attributes"

namespace mechane::simd {

template <class P>
struct Traits {
    using Element              = std::remove_cvref_t<decltype(std::declval<P>()[0])>;
    static constexpr int kSize = sizeof(P) / sizeof(Element);
};
template <>
struct Traits<double> {
    using Element              = double;
    static constexpr int kSize = 1;
};
template <>
struct Traits<float> {
    using Element              = float;
    static constexpr int kSize = 1;
};
template <class P>
using Element = typename Traits<P>::Element;
template <class P>
inline constexpr int kSize = Traits<P>::kSize;
/// What comparing two of them gives.
template <class P>
using Mask = decltype(P{} < P{});

// -- lane by lane

template <class P>
MCH_INLINE P broadcast(Element<P> x)
{ return P{} + x; }
template <class P>
MCH_INLINE P max(P a, P b)
{ return a > b ? a : b; }
template <class P>
MCH_INLINE P min(P a, P b)
{ return a < b ? a : b; }
template <class P>
MCH_INLINE P abs(P a)
{ return a < 0 ? -a : a; }
template <class P>
MCH_INLINE P sqrt(P a)
{
    if constexpr (kSize<P> == 1) {
        return std::sqrt(a);
    } else {
        P out;
        for (int i = 0; i < kSize<P>; ++i) out[i] = std::sqrt(a[i]);
        return out;
    }
}
/// `mask ? a : b`, which a plain number's mask decides at once.
template <class M, class P>
MCH_INLINE P select(M mask, P a, P b)
{ return mask ? a : b; }

// -- masks

template <class P>
MCH_INLINE Mask<P> everywhere()
{ return P{} == P{}; }
template <class P>
MCH_INLINE Mask<P> nowhere()
{ return P{} < P{}; }
template <class M>
MCH_INLINE M both(M a, M b)
{
    if constexpr (std::is_same_v<M, bool>)
        return a && b;
    else
        return a & b;
}
template <class M>
MCH_INLINE M either(M a, M b)
{
    if constexpr (std::is_same_v<M, bool>)
        return a || b;
    else
        return a | b;
}
template <class M>
MCH_INLINE M inverted(M a)
{
    if constexpr (std::is_same_v<M, bool>)
        return !a;
    else
        return ~a;
}
/// Whether some lane is set.
template <class M>
MCH_INLINE bool any(M mask)
{
    if constexpr (std::is_same_v<M, bool>) {
        return mask;
    } else {
        std::int64_t parts[sizeof(M) / sizeof(std::int64_t)];
        std::memcpy(parts, &mask, sizeof mask);
        std::int64_t out = 0;
        for (const std::int64_t part : parts) out |= part;
        return out != 0;
    }
}

// -- several packs

/// A small vector, or matrix, of packs.
template <class P, std::size_t count>
struct alignas(sizeof(P)) Packs {
    P                   number[count];
    MCH_INLINE P&       operator[](std::size_t i) { return number[i]; }
    MCH_INLINE const P& operator[](std::size_t i) const { return number[i]; }
};

template <class P>
MCH_INLINE Packs<P, 3> operator+(const Packs<P, 3>& a, const Packs<P, 3>& b)
{ return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
template <class P>
MCH_INLINE Packs<P, 3> operator-(const Packs<P, 3>& a, const Packs<P, 3>& b)
{ return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
template <class P>
MCH_INLINE Packs<P, 3> operator*(std::type_identity_t<P> s, const Packs<P, 3>& a)
{ return {s * a[0], s * a[1], s * a[2]}; }
template <class P>
MCH_INLINE P dot(const Packs<P, 3>& a, const Packs<P, 3>& b)
{ return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
template <class P>
MCH_INLINE Packs<P, 3> cross(const Packs<P, 3>& a, const Packs<P, 3>& b)
{ return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }
/// A symmetric matrix (xx, xy, xz, yy, yz, zz) times a vector.
template <class P>
MCH_INLINE Packs<P, 3> operator*(const Packs<P, 6>& m, const Packs<P, 3>& a)
{
    return {m[0] * a[0] + m[1] * a[1] + m[2] * a[2], m[1] * a[0] + m[3] * a[1] + m[4] * a[2],
            m[2] * a[0] + m[4] * a[1] + m[5] * a[2]};
}

}  // namespace mechane::simd

#pragma GCC diagnostic pop
