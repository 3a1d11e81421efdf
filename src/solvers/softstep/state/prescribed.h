#pragma once
#include "mechane/model/state.h"
#include "solvers/softstep/mechanism/mechanism.h"

namespace mechane::solvers::softstep {

/// What one step tells about a prescribed body to the next: its published pose and velocity; null before the first.
struct PublishedBody {
    const Pose*    pose  = nullptr;
    const Spatial* twist = nullptr;
};
/// Where a prescribed body starts, and with which velocity it comes (Motion::base_twist) and goes (Mechanism::base_rate)
/// in a step of `dt`.
void load_prescribed(Mechanism& system, std::int32_t body, const model::State& in, const model::Control& control,
                     double dt, const PublishedBody& before);
/// Prescribed bodies go over to the velocity of the step at once. The joint that a tree hangs on such a body by gives
/// it the impulse that this takes, and no other; `untouched` [trees]: the tree is as the last step published it.
void start_prescribed(Mechanism& system, const std::vector<std::uint8_t>& untouched);
/// Poses of prescribed bodies `time` after the start of the step.
void place_prescribed(Mechanism& system, std::int32_t body, double time);

}  // namespace mechane::solvers::softstep
