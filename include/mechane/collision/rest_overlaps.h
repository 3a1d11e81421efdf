#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::collision {

/// Overlaps between parts of one mechanism in its start pose. Robots are drawn with links that reach into each other;
/// pushing them apart would bend the robot. So an authored overlap counts as touching: contacts of such a pair push
/// only against what is deeper. `simulation::Engine` does so; a loop of one's own that is to move likewise does as
/// well:
///
///     pipeline.collide(state, 0, contacts);
///     const RestOverlaps rest(model, contacts);
///     for (...) pipeline.collide(state, dt, contacts), rest.apply(model, state, contacts), solver.step(...);
class RestOverlaps {
  public:
    /// @param contacts  those of the start pose, of this model
    RestOverlaps(const model::Model& model, const model::Contacts& contacts);

    /// Two shapes, the smaller index first, and how deep they overlap as they were drawn.
    struct Pair {
        std::int32_t shape0 = 0, shape1 = 0;
        Real         depth = 0;  ///< [m], positive
    };
    /// @param pairs  ascending by (shape0, shape1), of shapes that have bodies
    explicit RestOverlaps(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {}

    /// Moves the surfaces of the pairs back by the depth they start with. Call after each collide.
    void apply(const model::Model& model, const model::State& state, model::Contacts& contacts) const;

    [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }

  private:
    std::vector<Pair> pairs_;  ///< sorted by shapes
};

}  // namespace mechane::collision
