#pragma once
#include <string>

#include "mechane/model/model.h"

namespace mechane::solvers::vbd {

/// In words, where the model's body_q does not put a body where its joint_q does; empty where they agree. Newton's VBD
/// takes body_q for the poses at which joints rest and joint_q for what drives measure from; here joint_q alone counts.
std::string disagreeing_poses(const model::Model& model);

}  // namespace mechane::solvers::vbd
