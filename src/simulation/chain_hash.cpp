// The hash of a run: each state is chained to the hash before. Two runs with equal hashes had equal bits in every step.
// Order and choice of arrays are part of recordings; they cannot change without a new version of the file.
// Called after each step (engine.cpp); record::hash_bytes is core/hash.h.

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
    // Scenes without particles keep the hash that they had before there were particles.
    if (state.particle_q.empty()) return hash;
    hash = hash_span(std::span<const Vec3>(state.particle_q), hash);
    return hash_span(std::span<const Vec3>(state.particle_qd), hash);
}

}  // namespace mechane::record
