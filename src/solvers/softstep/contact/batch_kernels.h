#pragma once
#include <algorithm>
#include <cstring>

#include "mechane/math/simd.h"
#include "mechane/tasks/parallel.h"
#include "solvers/softstep/contact/contact_batch.h"

// What the kernels of batches share: velocities of eight pairs of bodies, and how packets are handed out.

namespace mechane::solvers::softstep {

inline constexpr std::size_t kPoseStride = 2 * kWide;
inline constexpr Real        kNoContact  = Real(1e30);  ///< a gap that nothing closes [m]

/// Eight numbers of each of eight bodies; `stride`: of a body.
MCH_INLINE Wides<kWide> gather(const Real* from, const std::array<std::int32_t, kWide>& body,
                               std::size_t stride = kWide)
{
    return simd::gather<kWide>([&](std::size_t i)
                                   MCH_INLINE_LAMBDA { return from + stride * static_cast<std::size_t>(body[i]); });
}

/// Velocities of both bodies of eight pairs, and the last sweep that changed them by much; `one`: of packets whose
/// first bodies do not move.
template <bool one = false>
struct Moving {
    static constexpr std::size_t kFirst = one ? 1 : 0;

    std::array<Wide3, 2> linear, angular;
    Wides<2>             sweep;

    [[gnu::always_inline]] Moving(const std::vector<Real>& velocity, const Packet& b)
    {
        for (std::size_t s = kFirst; s < 2; ++s) {
            const auto v = gather(velocity.data(), b.body[s]);
            linear[s]    = {v[0], v[1], v[2]};
            angular[s]   = {v[3], v[4], v[5]};
            sweep[s]     = v[6];
        }
    }
    [[gnu::always_inline]] void put_back(ContactBatch& batch, const Packet& b) const
    {
        for (std::size_t s = kFirst; s < 2; ++s) {
            Wides<kWide> v{linear[s][0],  linear[s][1],  linear[s][2], angular[s][0],
                           angular[s][1], angular[s][2], sweep[s],     Wide{}};
            transpose(v);
            for (std::size_t i = 0; i < kWide; ++i)
                if (b.body[s][i] < static_cast<std::int32_t>(batch.links.size()))
                    std::memcpy(batch.velocity.data() + kWide * static_cast<std::size_t>(b.body[s][i]), &v[i],
                                sizeof(Wide));
        }
    }
    /// Of the surface points towards each other.
    [[gnu::always_inline]] Wide3 at(const PacketPoint& p) const
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
    /// Whether a sweep from `number` on has changed a body of the packet by much.
    [[gnu::always_inline]] bool stirred(Real number) const
    {
        if constexpr (one) return simd::any(sweep[1] >= number);
        return simd::any(simd::max(sweep[0], sweep[1]) >= number);
    }
    [[gnu::always_inline]] void push(const Packet& b, const PacketPoint& p, const Wide3& impulse)
    {
        if constexpr (!one) {
            linear[0]  = linear[0] - b.inverse_mass[0] * impulse;
            angular[0] = angular[0] - b.inverse_inertia[0] * cross(p.arm[0], impulse);
        }
        linear[1]  = linear[1] + b.inverse_mass[1] * impulse;
        angular[1] = angular[1] + b.inverse_inertia[1] * cross(p.arm[1], impulse);
    }
    [[gnu::always_inline]] void turn(const Packet& b, const Wide3& impulse)
    {
        if constexpr (!one) angular[0] = angular[0] - b.inverse_inertia[0] * impulse;
        angular[1] = angular[1] + b.inverse_inertia[1] * impulse;
    }
};

MCH_INLINE Wide3 along(const PacketAxes& axes, const Wide3& x)
{ return {dot(axes[0], x), dot(axes[1], x), dot(axes[2], x)}; }

template <bool one>
MCH_INLINE Wide3 rates(const PacketAxes& axes, const PacketPoint& p, const Moving<one>& moving)
{
    const Wide3 r = along(axes, moving.at(p));
    return r + p.base;
}

/// Packets that one piece of work takes. They change nothing of each other's.
constexpr std::size_t kPart = 24;
constexpr std::size_t part_count(std::size_t count) { return tasks::chunk_count(count, kPart); }

/// Colour by colour: work(begin, end) on packets.
template <class Work>
void in_colours(const ContactBatch& batch, bool backwards, const tasks::Pool* pool, const Work& work)
{
    const std::size_t count = batch.colours.size() - 1;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t colour = backwards ? count - 1 - k : k;
        const auto        begin  = static_cast<std::size_t>(batch.colours[colour]),
                          end    = static_cast<std::size_t>(batch.colours[colour + 1]);
        tasks::for_chunks(pool, end - begin, kPart, [&](std::size_t from, std::size_t to, std::size_t part) {
            work(begin + from, begin + to, part);
        });
    }
}

/// Whether some part found something.
inline bool some_part(const ContactBatch& batch)
{
    return std::any_of(batch.parts.begin(), batch.parts.end(), [](const ContactBatch::Part& part) { return part.solved != 0; });
}

}  // namespace mechane::solvers::softstep
