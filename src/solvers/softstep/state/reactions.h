#pragma once
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

void begin_reactions(System& system);
/// After a substep: impulses that closed the loops of a group, from everything else that pushed.
void sum_loop_impulses(System& system, const Island& island);
/// After a step of `dt`: mean loads of the links, and what joints transmit.
void find_reactions(System& system, double h, double dt);
/// Force [N] and torque [N m] about the child's anchor that the constrained directions of a joint carry, limits
/// included.
struct JointLoad {
    double force = 0, torque = 0;
};
[[nodiscard]] JointLoad joint_load(const System& system, std::int32_t joint, double h);

}  // namespace mechane::solvers::softstep
