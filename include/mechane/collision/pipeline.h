#pragma once
#include <cstdint>
#include <memory>

#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::tasks {
class Pool;
}

namespace mechane::collision {

struct PipelineOptions {
    const tasks::Pool* pool = nullptr;  ///< null: one thread. The contacts are the same for any number of threads
    std::size_t        rigid_contact_max = 0;  ///< capacity; 0: estimated from the model, grown when demand exceeds it
    double             speculative_max   = 0.1;  ///< cap of the speculative reach max(gap, |v_rel| dt) [m]
};

struct CollideStatus {
    std::int32_t contacts        = 0;      ///< rows written
    std::int32_t candidate_pairs = 0;      ///< pairs after the broad phase
    std::int32_t unsound_bodies  = 0;      ///< bodies left out: not finite, beyond 1e8 m, or without a unit quaternion
    bool         overflow        = false;  ///< demand exceeded the fixed capacity; the deepest were kept
    double       broad_phase_s = 0, narrow_phase_s = 0;  ///< wall time [s]
};

/// Finds the contacts of a state: world AABBs, broad phase, narrow phase, sorted by (shape0, shape1, feature).
class CollisionPipeline {
  public:
    CollisionPipeline(const model::Model& model, const PipelineOptions& options = {});
    ~CollisionPipeline();

    /// Contacts with distance <= gap_a + gap_b, or reachable within `dt` [s] at the present velocities.
    CollideStatus                 collide(const model::State& state, double dt, model::Contacts& contacts);
    [[nodiscard]] model::Contacts make_contacts() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane::collision
