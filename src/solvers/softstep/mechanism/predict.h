#pragma once
#include "mechane/dynamics/four_trees.h"
#include "solvers/softstep/mechanism/mechanism.h"

namespace mechane::solvers::softstep {

/// Kinematics, mass matrix with implicit drives, and velocities after h without constraints; loops closed (velocity and
/// position).
void prepare_group(Mechanism& system, const Group& group, double h, bool first);
/// Whether a tree has drives that ask for the response of each dof, so that it cannot go beside others.
bool has_acceleration_drives(const Mechanism& system, const Tree& tree);
/// The same as prepare_group, at the poses that kinematics left, of the groups of four trees that are alike and in no
/// loops. `four` then has the factors and the whitened rows and velocities.
void prepare_four(Mechanism& system, const dynamics::FourTrees& trees, double h, dynamics::FourDynamics& four);
/// Angular velocity (body axes) after turning freely for h.
Vec3d gyrate(const Mat33d& I, const Mat33d& I_inv, const Vec3d& w, double h);
/// The largest speeds are held at kMaxVelocity; returns whether that was necessary.
bool clamp_velocity(Mechanism& system, const Group& group);
/// The body that a tree hangs on changes its velocity by `change` (of its centre of mass) within no time: rates of the
/// tree change so that only the joint to that body bears an impulse.
void kick_tree(Mechanism& system, const Tree& tree, const Spatiald& change);

}  // namespace mechane::solvers::softstep
