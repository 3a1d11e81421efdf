#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mechane/math/simd.h"

/// Four numbers of four things that are alike, side by side, for the templates of vectors, matrices and quaternions:
/// `Vec3T<Four>` is a vector of each. The same operations in the same order as for one number, so that each has the
/// bits that it has alone. What is computed with them is inlined into functions marked MCH_CLONES_AVX2.

// How packs would be passed does not matter to functions that are inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wignored-attributes"

namespace mechane {

struct Four {
    Lanes v;

    Four() = default;
    MCH_INLINE                 Four(double x) : v{x, x, x, x} {}
    MCH_INLINE                 Four(Lanes x) : v(x) {}
    MCH_INLINE Four&           operator+=(const Four& b) { return v += b.v, *this; }
    MCH_INLINE Four&           operator-=(const Four& b) { return v -= b.v, *this; }
    MCH_INLINE Four&           operator*=(const Four& b) { return v *= b.v, *this; }
    MCH_INLINE friend Four     operator+(const Four& a, const Four& b) { return a.v + b.v; }
    MCH_INLINE friend Four     operator-(const Four& a, const Four& b) { return a.v - b.v; }
    MCH_INLINE friend Four     operator*(const Four& a, const Four& b) { return a.v * b.v; }
    MCH_INLINE friend Four     operator/(const Four& a, const Four& b) { return a.v / b.v; }
    MCH_INLINE friend Four     operator-(const Four& a) { return -a.v; }
    MCH_INLINE friend LaneMask operator<(const Four& a, const Four& b) { return a.v < b.v; }
    MCH_INLINE friend LaneMask operator>(const Four& a, const Four& b) { return a.v > b.v; }
    MCH_INLINE friend LaneMask operator==(const Four& a, const Four& b) { return a.v == b.v; }
};

/// `mask ? a : b` in each lane, for one number and for four.
MCH_INLINE double choose(bool mask, double a, double b) { return mask ? a : b; }
MCH_INLINE Four   choose(LaneMask mask, const Four& a, const Four& b) { return Lanes(mask ? a.v : b.v); }
/// As std::min and std::max choose, also between numbers that have no order.
template <class N>
MCH_INLINE N least_of(const N& a, const N& b)
{ return choose(b < a, b, a); }
template <class N>
MCH_INLINE N most_of(const N& a, const N& b)
{ return choose(a < b, b, a); }
MCH_INLINE double magnitude(double x) { return x < 0 ? -x : x; }
MCH_INLINE Four   magnitude(const Four& x) { return Lanes(x.v < 0 ? -x.v : x.v); }
MCH_INLINE double root(double x) { return std::sqrt(x); }
MCH_INLINE Four   root(const Four& x) { return simd::sqrt(x.v); }
/// Whether all lanes are set.
MCH_INLINE bool in_all(LaneMask mask) { return !simd::any(~mask); }

/// Where a value of each of four things lies.
template <class T>
using Places = std::array<T*, 4>;

MCH_INLINE Four pick(const Places<const double>& from, int i)
{ return Lanes{from[0][i], from[1][i], from[2][i], from[3][i]}; }

/// `count` numbers of each.
template <int count>
MCH_INLINE void gather_numbers(const Places<const double>& from, Lanes* out)
{
    int i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const auto r = simd::gather<kLanes>([&](std::size_t t) MCH_INLINE_LAMBDA { return from[t] + i; });
        for (int k = 0; k < kLanes; ++k) out[i + k] = r[static_cast<std::size_t>(k)];
    }
    for (; i < count; ++i) out[i] = pick(from, i).v;
}
template <int count>
MCH_INLINE void scatter_numbers(const Lanes* in, const Places<double>& to)
{
    int i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        simd::Packs<Lanes, 4> r{{in[i], in[i + 1], in[i + 2], in[i + 3]}};
        simd::transpose(r);
        for (std::size_t t = 0; t < 4; ++t) lanes(to[t] + i) = r[t];
    }
    for (; i < count; ++i)
        for (std::size_t t = 0; t < 4; ++t) to[t][i] = in[i][t];
}

/// `Value` is made of doubles, `Wide` of as many Fours.
template <class Value, class Wide>
MCH_INLINE void gather(const Places<const Value>& from, Wide& to)
{
    constexpr int kCount = sizeof(Value) / sizeof(double);
    static_assert(sizeof(Wide) == kCount * sizeof(Four));
    gather_numbers<kCount>({reinterpret_cast<const double*>(from[0]), reinterpret_cast<const double*>(from[1]),
                            reinterpret_cast<const double*>(from[2]), reinterpret_cast<const double*>(from[3])},
                           reinterpret_cast<Lanes*>(&to));
}
template <class Value, class Wide>
MCH_INLINE void scatter(const Wide& from, const Places<Value>& to)
{
    constexpr int kCount = sizeof(Value) / sizeof(double);
    static_assert(sizeof(Wide) == kCount * sizeof(Four));
    scatter_numbers<kCount>(reinterpret_cast<const Lanes*>(&from),
                            {reinterpret_cast<double*>(to[0]), reinterpret_cast<double*>(to[1]),
                             reinterpret_cast<double*>(to[2]), reinterpret_cast<double*>(to[3])});
}

}  // namespace mechane

#pragma GCC diagnostic pop
