#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>

#include "mechane/tasks/parallel.h"
#include "pile.h"

// Arithmetic on eight numbers at once. No product is fused with a sum, so that wider registers give the same bits.

// Everything here is inlined, so how such numbers would be passed does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace mechane::solvers::softstep::wide {

#define MCH_INLINE [[gnu::always_inline]] inline

/// As MCH_WIDE, and once more for machines whose registers are twice as many.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(MECHANE_SCALAR)
#define MCH_WIDER [[gnu::target_clones("default", "avx2", "arch=x86-64-v4")]]
#else
#define MCH_WIDER
#endif

MCH_INLINE Wide     all(Real x) { return Wide{} + x; }
MCH_INLINE WideMask everywhere() { return Wide{} == Wide{}; }
MCH_INLINE Wide     largest(const Wide& a, const Wide& b) { return a > b ? a : b; }
MCH_INLINE Wide     smallest(const Wide& a, const Wide& b) { return a < b ? a : b; }
MCH_INLINE Wide     absolute(const Wide& a) { return a < 0 ? -a : a; }
MCH_INLINE Wide     root(const Wide& a)
{
    Wide out;
    for (int i = 0; i < kWide; ++i) out[i] = std::sqrt(a[i]);
    return out;
}
MCH_INLINE bool any(const WideMask& mask)
{
    std::int64_t parts[sizeof(WideMask) / sizeof(std::int64_t)];
    std::memcpy(parts, &mask, sizeof mask);
    std::int64_t out = 0;
    for (const std::int64_t part : parts) out |= part;
    return out != 0;
}

MCH_INLINE Wide3 operator+(const Wide3& a, const Wide3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
MCH_INLINE Wide3 operator-(const Wide3& a, const Wide3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
MCH_INLINE Wide3 operator*(const Wide& s, const Wide3& a) { return {s * a[0], s * a[1], s * a[2]}; }
MCH_INLINE Wide  dot(const Wide3& a, const Wide3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
MCH_INLINE Wide3 cross(const Wide3& a, const Wide3& b)
{ return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }
MCH_INLINE Wide3 operator*(const Wide6& m, const Wide3& a)
{
    return {m[0] * a[0] + m[1] * a[1] + m[2] * a[2], m[1] * a[0] + m[3] * a[1] + m[4] * a[2],
            m[2] * a[0] + m[4] * a[1] + m[5] * a[2]};
}

/// Rows and columns change places.
MCH_INLINE void transpose(Wides<kWide>& r)
{
    Wides<kWide> s;
    for (std::size_t i = 0; i < 4; ++i) {
        const Wide &a = r[2 * i], &b = r[2 * i + 1];
        s[2 * i]     = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
        s[2 * i + 1] = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 2; ++k) {
            const Wide &a = s[4 * i + k], &b = s[4 * i + k + 2];
            r[4 * i + 2 * k]     = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
            r[4 * i + 2 * k + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (std::size_t i = 0; i < 4; ++i) {
        s[i]     = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        s[i + 4] = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    r = s;
}

/// Eight numbers of each of eight bodies; `stride`: of a body.
MCH_INLINE Wides<kWide> gather(const Real* from, const std::array<std::int32_t, kWide>& body,
                               std::size_t stride = kWide)
{
    Wides<kWide> out;
    for (std::size_t i = 0; i < kWide; ++i)
        std::memcpy(&out[i], from + stride * static_cast<std::size_t>(body[i]), sizeof(Wide));
    transpose(out);
    return out;
}

inline constexpr std::size_t kPoseStride = 2 * kWide;
inline constexpr Real        kNoContact  = Real(1e30);  ///< a gap that nothing closes [m]

/// Velocities of both bodies of eight pairs, and the last sweep that changed them by much; `one`: of bundles whose
/// first bodies do not move.
template <bool one = false>
struct Moving {
    static constexpr std::size_t kFirst = one ? 1 : 0;

    std::array<Wide3, 2> linear, angular;
    Wides<2>             sweep;

    [[gnu::always_inline]] Moving(const std::vector<Real>& velocity, const Bundle& b)
    {
        for (std::size_t s = kFirst; s < 2; ++s) {
            const auto v = gather(velocity.data(), b.body[s]);
            linear[s]    = {v[0], v[1], v[2]};
            angular[s]   = {v[3], v[4], v[5]};
            sweep[s]     = v[6];
        }
    }
    [[gnu::always_inline]] void put_back(Pile& pile, const Bundle& b) const
    {
        for (std::size_t s = kFirst; s < 2; ++s) {
            Wides<kWide> v{linear[s][0],  linear[s][1],  linear[s][2], angular[s][0],
                           angular[s][1], angular[s][2], sweep[s],     Wide{}};
            transpose(v);
            for (std::size_t i = 0; i < kWide; ++i)
                if (b.body[s][i] < static_cast<std::int32_t>(pile.links.size()))
                    std::memcpy(pile.velocity.data() + kWide * static_cast<std::size_t>(b.body[s][i]), &v[i],
                                sizeof(Wide));
        }
    }
    /// Of the surface points towards each other.
    [[gnu::always_inline]] Wide3 at(const PilePoint& p) const
    {
        const Wide3 second = linear[1] + cross(angular[1], p.arm[1]);
        if constexpr (one) return second;
        return second - (linear[0] + cross(angular[0], p.arm[0]));
    }
    [[gnu::always_inline]] Wide3 spin() const
    {
        if constexpr (one) return angular[1];
        return angular[1] - angular[0];
    }
    /// Whether a sweep from `number` on has changed a body of the bundle by much.
    [[gnu::always_inline]] bool stirred(Real number) const
    {
        if constexpr (one) return any(sweep[1] >= number);
        return any(largest(sweep[0], sweep[1]) >= number);
    }
    [[gnu::always_inline]] void push(const Bundle& b, const PilePoint& p, const Wide3& impulse)
    {
        if constexpr (!one) {
            linear[0]  = linear[0] - b.inverse_mass[0] * impulse;
            angular[0] = angular[0] - b.inverse_inertia[0] * cross(p.arm[0], impulse);
        }
        linear[1]  = linear[1] + b.inverse_mass[1] * impulse;
        angular[1] = angular[1] + b.inverse_inertia[1] * cross(p.arm[1], impulse);
    }
    [[gnu::always_inline]] void turn(const Bundle& b, const Wide3& impulse)
    {
        if constexpr (!one) angular[0] = angular[0] - b.inverse_inertia[0] * impulse;
        angular[1] = angular[1] + b.inverse_inertia[1] * impulse;
    }
};

MCH_INLINE Wide3 along(const PileAxes& axes, const Wide3& x)
{ return {dot(axes[0], x), dot(axes[1], x), dot(axes[2], x)}; }

template <bool one>
MCH_INLINE Wide3 rates(const PileAxes& axes, const PilePoint& p, const Moving<one>& moving)
{
    const Wide3 r = along(axes, moving.at(p));
    return {r[0], r[1] + p.belt[0], r[2] + p.belt[1]};
}

/// Bundles that one piece of work takes. They change nothing of each other's.
constexpr std::size_t kPart = 24;
constexpr std::size_t part_count(std::size_t count) { return tasks::chunk_count(count, kPart); }

/// Colour by colour: work(begin, end) on bundles.
template <class Work>
void in_colours(const Pile& pile, bool backwards, const tasks::Pool* pool, const Work& work)
{
    const std::size_t count = pile.colours.size() - 1;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t colour = backwards ? count - 1 - k : k;
        const auto        begin  = static_cast<std::size_t>(pile.colours[colour]),
                          end    = static_cast<std::size_t>(pile.colours[colour + 1]);
        tasks::for_chunks(pool, end - begin, kPart, [&](std::size_t from, std::size_t to, std::size_t part) {
            work(begin + from, begin + to, part);
        });
    }
}

/// Whether some part found something.
inline bool some_part(const Pile& pile)
{
    return std::any_of(pile.parts.begin(), pile.parts.end(), [](const Pile::Part& part) { return part.solved != 0; });
}

#undef MCH_INLINE

}  // namespace mechane::solvers::softstep::wide
