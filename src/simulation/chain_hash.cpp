#include <span>

#include "mechane/core/hash.h"
#include "mechane/simulation/recording.h"

namespace mechane::record {

std::uint64_t chain_hash(std::uint64_t hash, const model::State& state)
{
    hash = hash_span(std::span<const Pose>(state.body_q), hash);
    hash = hash_span(std::span<const Spatial>(state.body_qd), hash);
    hash = hash_span(std::span<const Real>(state.joint_q), hash);
    hash = hash_span(std::span<const Real>(state.joint_qd), hash);
    if (state.particle_q.empty()) return hash;
    hash = hash_span(std::span<const Vec3>(state.particle_q), hash);
    return hash_span(std::span<const Vec3>(state.particle_qd), hash);
}

}  // namespace mechane::record
