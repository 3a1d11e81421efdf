#pragma once
#include <cstdint>
#include <span>

#include "mechane/core/result.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::dynamics {

/// Which part of a model `eval_fk` and `eval_ik` touch. Empty spans select everything.
/// Spans are read during the call only.
struct Selection {
    std::span<const std::uint8_t> articulation_mask{};     ///< one flag per articulation
    std::span<const std::int32_t> articulation_indices{};  ///< or a list of them; both together are an error
    std::span<const std::uint8_t> joint_mask{};  ///< one flag per joint; an unselected joint leaves its child as it is
    /// Bodies of other kinds keep their values.
    std::int32_t body_flag_filter = model::body_flag::dynamic | model::body_flag::kinematic;
};

/// Forward kinematics of all articulations: writes `body_q`, `body_qd` of the children of tree joints, in joint order.
/// Ignores joint_enabled, loop joints, limits and mimic relations. Allocates nothing.
///
/// @param joint_q, joint_qd   layouts of the model; FREE velocities are (v of the child's centre of mass, w) relative
/// to the parent's
///                            velocity field there, in parent anchor axes
/// @error DYN_SELECTION  both articulation_mask and articulation_indices are given, or one has the wrong size
/// @error DYN_SIZE  joint_q, joint_qd or the state do not have the sizes of the model
Result<void> eval_fk(const model::Model& model, std::span<const Real> joint_q, std::span<const Real> joint_qd,
                     model::State& state, const Selection& selection = {});

/// Joint coordinates and rates of a maximal state, joint by joint: the closest point of the joint's manifold. The exact
/// inverse of `eval_fk` for states that satisfy the joints (angles modulo a turn). All joints, loop joints included.
///
/// @error DYN_SELECTION, DYN_SIZE  as eval_fk
Result<void> eval_ik(const model::Model& model, const model::State& state, std::span<Real> joint_q,
                     std::span<Real> joint_qd, const Selection& selection = {});

/// Pose of a body and velocity of its centre of mass, in double; the default is the world.
/// Twists are about the centre of mass, in world axes, as in `body_qd`.
struct BodyMotion {
    /// Of the body frame, world.
    Posed    X;
    Spatiald twist;
};
/// `eval_ik` of one joint from given bodies: writes its part of joint_q and joint_qd.
/// @param keep_winding  angles end within half a turn of the values that joint_q holds, instead of in (-pi, pi]
void joint_state(const model::Model& model, std::int32_t joint, const BodyMotion& parent, const BodyMotion& child,
                 std::span<Real> joint_q, std::span<Real> joint_qd, bool keep_winding = false);

/// Followers of mimic joints: q_f = c0 + c1 q_leader, qd_f = c1 qd_leader, from the values as they are before the call
/// (a chain of mimics resolves one level a call).
void eval_mimic(const model::Model& model, std::span<Real> joint_q, std::span<Real> joint_qd);

/// How far bodies had to move to satisfy their joints.
/// For telling a user that a stage was drawn otherwise than its joints say (RUN_PROJECTED).
struct Projection {
    double       linear  = 0;   ///< largest displacement of a body's origin [m]
    double       angular = 0;   ///< largest turn [rad]
    std::int32_t body    = -1;  ///< the body that moved most (metres and radians alike)
    /// Largest change of a velocity that a jointed body was given, by what its joint does not allow [m/s, rad/s].
    double velocity = 0;
};

/// Makes a state consistent before the first step: body poses and velocities of every tree (the forest that the solver
/// builds, articulations first, then joints outside them) follow joint_q and joint_qd; coordinates of FREE roots are
/// kept; loop joints get their coordinates from the bodies. A body without any joint keeps its pose.
/// @param initial  the state is the one that the model starts from: a joint whose rates are all zero takes them from
/// the velocity that its child was given, if any
/// `Simulation` and `run::simulate` do it, so a loop of building blocks does it too if it is to have their bits.
Projection project_to_joints(const model::Model& model, model::State& state, bool initial = false);

}  // namespace mechane::dynamics
