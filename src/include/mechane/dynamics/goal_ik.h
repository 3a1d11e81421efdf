#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/dynamics/mass_matrix.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::dynamics {

/// Where a point of a body should be, and how the body should be turned; world frame.
struct IkGoal {
    std::int32_t         body = -1;
    Vec3d                point;                ///< body frame [m]
    std::optional<Vec3d> position;             ///< of the point [m]
    std::optional<Quatd> rotation;             ///< of the body frame
    double               position_weight = 1;  ///< [1/m]
    double               rotation_weight = 1;  ///< [1/rad]
};

struct IkOptions {
    int           iterations         = 100;  ///< of Levenberg and Marquardt, per start
    int           starts             = 1;    ///< the given configuration, then samples within the limits
    std::uint64_t seed               = 0;    ///< shifts the sequence of samples
    double        damping            = 0.1;  ///< at the start; times or over 3 after a rejected or accepted step
    double        position_tolerance = 1e-4, rotation_tolerance = 1e-4;  ///< [m], [rad]: at both, the goal is met
    std::span<const std::uint8_t> dof_mask{};  ///< [joint_dof_count of the model]: 0 keeps the dof; empty: all move
};

struct [[nodiscard]] IkResult {
    bool              solved         = false;
    double            position_error = 0, rotation_error = 0;  ///< worst of all goals [m], [rad]
    int               iterations = 0, starts = 0;              ///< used, over all starts
    std::vector<Real> joint_q;                                 ///< layout of the model
    std::optional<Diagnostic> refused;  ///< DYN_GOAL, DYN_SIZE: the arguments make no sense, nothing was computed
};

/// Joint coordinates that bring bodies to goals, by Levenberg-Marquardt on the analytic Jacobian, held within the joint
/// limits. Further starts are points of Roberts' quasirandom sequence within the limits (a turn either way where there
/// are none); the best configuration is kept. Every joint of the trees that carry the goals may move; free roots and
/// bodies without joints stay: a goal of a body that nothing can move counts with the error that it has. Deterministic
/// in its arguments.
///
/// @param state  the first start, and where everything else is
IkResult solve_ik(const model::Model& model, const model::State& state, std::span<const IkGoal> goals,
                  const IkOptions& options = {});

}  // namespace mechane::dynamics
