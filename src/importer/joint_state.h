#pragma once
#include "joint_frames.h"

namespace mechane::importer {

/// Sets the initial coordinates of a joint from the authored poses of its bodies, unless an attribute has given them.
void take_coordinates_from_poses(const Import& run, const JointEnds& ends, model::BuilderJoint& joint);

/// The motion that a joint's coordinates stand for: pose of the child's anchor in the parent's anchor. Linear axes add
/// up, angular axes turn one after the other, each in the frame that the earlier ones have turned.
Posed joint_motion(const model::BuilderJoint& joint, const std::vector<double>& q);

}  // namespace mechane::importer
