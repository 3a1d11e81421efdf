#pragma once
#include <span>

#include "joint_frames.h"

namespace mechane::importer {

/// One joint prim, or several one-axis joints between the same two bodies that become one D6.
using JointGroup = std::span<const physics::Index>;

struct Filled {
    bool holds = true;  ///< false: it holds nothing or is of an unknown kind; a finding says so, leave it out
    bool coordinates_authored = false;  ///< some attribute gives an initial position
};
/// Fills type, axes, limits, drives and initial coordinates of the joint, in the builder's units; ends and frames are
/// set already and are moved where a locked axis is locked off centre.
Filled fill_joint(Import& run, JointGroup group, const JointEnds& ends, model::BuilderJoint& joint);

/// Whether a PhysicsJoint limits or drives the distance of its anchors; and whether it does nothing else.
bool keeps_distance(const physics::Joint& joint);
bool keeps_distance_only(const physics::Joint& joint);
/// The range of a distance joint, or the range and drive of the distance of a PhysicsJoint.
void fill_distance(const Import& run, const physics::Joint& source, model::BuilderJoint& joint);

/// What the authored numbers of a drive are multiplied with: SI, radians.
struct DriveUnits {
    double ke = 1, kd = 1, force = 1, target = 1;
};
DriveUnits drive_units(const Import& run, bool acceleration, resolve::Motion motion, bool of_d6);

/// True when the joint prim has at most one degree of freedom, so that exchanging its ends keeps its coordinate.
bool has_one_dof(const physics::Joint& joint);

}  // namespace mechane::importer
