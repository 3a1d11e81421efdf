#pragma once
#include <array>
#include <vector>

#include "solvers/shared/joints.h"
#include "solvers/xpbd/corrections.h"

namespace mechane::solvers::xpbd {

struct JointSettings {
    double linear_relaxation = 0.7, angular_relaxation = 0.4;
    double linear_compliance = 0, angular_compliance = 0;  ///< [m/N], [rad/(N m)]
    bool   accumulate = true;
};

/// What the rows of a joint have given in the passes of a step [N s], [N m s]: linear, then angular.
using JointMemory = std::array<double, 6>;

/// One pass over a joint: locked directions, limits, drives.
/// @param memory  of this step; drives read and write it where `accumulate` says so
shared::JointPush solve_joint(const shared::JointLayout& joint, const shared::JointPlace& at,
                              const shared::Bodies& bodies, const model::Control& control,
                              const JointSettings& settings, double h, JointMemory& memory);
/// One pass over a DISTANCE joint.
void solve_distance(const model::Model& model, std::int32_t joint, const shared::Bodies& bodies,
                    const JointSettings& settings, double h, Corrections& out);
/// One pass over the coordinates of a follower: q = c0 + c1 q_leader, as one row over up to four bodies.
void solve_mimic(const model::Model& model, const shared::JointLayout& follower, const shared::JointPlace& at,
                 const shared::JointPlace& leader, const shared::Bodies& bodies, const JointSettings& settings,
                 double h, Corrections& out);

}  // namespace mechane::solvers::xpbd
