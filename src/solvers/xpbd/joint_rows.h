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

/// How much more than one row's error the rows of joints that share bodies correct together, for the rows of one joint
/// at most: the row sum of the normalized system J M^-1 J^T (Gershgorin), of points and of turns. A pass of all joints
/// at once is stable where relaxation times this stays below 2.
struct JointCrowd {
    double linear = 1, angular = 1;
};
std::vector<JointCrowd> crowds_of(const std::vector<shared::JointLayout>& joints, const shared::Bodies& bodies);
/// The settings of a joint among others: its relaxation, or as much of it as leaves a pass stable.
JointSettings bounded(const JointSettings& settings, const JointCrowd& crowd);

/// What the rows of a joint have given in the passes of a step [N s], [N m s]: linear, then angular.
using JointMemory = std::array<double, 6>;

/// One pass over a joint: locked directions, limits, drives.
/// @param memory  of this step; drives read and write it where `accumulate` says so
shared::JointPush solve_joint(const shared::JointLayout& joint, const shared::JointPlace& at,
                              const shared::Bodies& bodies, const model::Control& control,
                              const JointSettings& settings, double h, JointMemory& memory);
/// The rows of a joint that act, with what each asks for; at most six.
struct JointSystem {
    std::array<Row, 6>         row;
    std::array<std::size_t, 6> of{};  ///< direction of the joint: linear, then angular
    std::array<double, 6>      softness{}, asked{}, error{};
    std::array<bool, 6>        stop{};  ///< a limit: it pushes only
    std::array<bool, 6>        off{};   ///< a limit that would pull
    std::size_t                count = 0;

    /// Switches limits off that pull with these impulses, and takes the impulses away.
    /// @return whether there are some
    bool let_go(std::array<double, 6>& x);
};
/// @param memory  what the rows have given in this step: x solves
///                (h J M^-1 J^T + softness) x = asked
JointSystem system_of(const shared::JointLayout& joint, const shared::JointPlace& at, const shared::Bodies& bodies,
                      const model::Control& control, const JointSettings& settings, double h,
                      const JointMemory& memory);
/// The same at once on the bodies, with the rows of the joint solved together and no relaxation: for joints that take
/// their turns one after the other.
/// @param memory  of this step, of every row
void hold_joint(const shared::JointLayout& joint, const shared::JointPlace& at, const model::Control& control,
                const JointSettings& settings, double h, JointMemory& memory, shared::Bodies& bodies);
/// One pass over a DISTANCE joint.
void solve_distance(const model::Model& model, std::int32_t joint, const shared::Bodies& bodies,
                    const JointSettings& settings, double h, Corrections& out);
/// One pass over the coordinates of a follower: q = c0 + c1 q_leader, as one row over up to four bodies, which it moves
/// at once. Followers of one leader share its bodies, and corrections that several of them find from one pose would add
/// up to more than the error.
void solve_mimic(const model::Model& model, const shared::JointLayout& follower, const shared::JointPlace& at,
                 const shared::JointPlace& leader, const JointSettings& settings, double h, shared::Bodies& bodies);

}  // namespace mechane::solvers::xpbd
