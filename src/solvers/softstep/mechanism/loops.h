#pragma once
#include "solvers/softstep/mechanism/mechanism.h"

namespace mechane::solvers::softstep {

/// Jacobian, response and errors of a group's bilateral rows at the present configuration.
void build_loops(Mechanism& system, const Group& group);
/// Moves the configuration so that the errors vanish to first order, at most at the push velocity; returns the largest
/// error before.
double close_loops(Mechanism& system, const Group& group, double h);
/// Takes the part of `x` (dof layout of the group, `lanes` interleaved) that would open the loops out of it.
void constrain(Mechanism& system, const Group& group, double* x, int lanes);
/// The same for velocities, with the motion of prescribed bodies.
void project_velocity(Mechanism& system, const Group& group);
/// Counts the impulses that keep the loops closed under the velocity change `x` of the open trees.
void add_loop_impulses(Mechanism& system, const Group& group, const double* x);
/// Largest anchor gap and angular error of a group's loop joints.
void loop_errors(const Mechanism& system, const Group& group, double& linear, double& angular);

}  // namespace mechane::solvers::softstep
