#pragma once
#include <array>
#include <span>

#include "mechane/math/pose.h"
#include "mechane/model/model.h"

namespace mechane::dynamics {

/// One joint as kinematics needs it, in double. Axes are unit vectors in the parent anchor frame, linear before
/// angular. BALL has the three anchor axes as angular axes; FREE-like joints have three linear and three angular ones.
struct JointAxes {
    model::JointType     type    = model::JointType::fixed;
    int                  linear  = 0;  ///< linear dofs
    int                  angular = 0;  ///< angular dofs
    int                  coords  = 0;  ///< entries of joint_q
    std::array<Vec3d, 6> axis{};

    [[nodiscard]] int  dofs() const { return linear + angular; }
    [[nodiscard]] bool free_like() const
    { return type == model::JointType::free || type == model::JointType::distance || type == model::JointType::rod; }
};

/// Where the joint has taken its child anchor, and how a unit rate of each dof moves it.
struct JointMotion {
    Posed X_PC;  ///< child anchor in the parent anchor
    std::array<Vec3d, 6>
        column{};  ///< parent anchor axes: velocity (linear dofs) or angular velocity (angular dofs) per unit rate
};

/// Reads one joint of the model. `joint` is an index of the model.
JointAxes joint_axes(const model::Model& model, std::int32_t joint);

/// Pose and motion columns at the coordinates `q` [axes.coords]. Angular axes of a D6 form an intrinsic chain: each is
/// carried by those before it, so the rotation is Q(a0, q0) Q(a1, q1) Q(a2, q2) and the columns are a0, Q0 a1, Q0 Q1
/// a2.
JointMotion joint_motion(const JointAxes& axes, std::span<const double> q);

/// The coordinates that come closest to the pose X_PC: what a locked direction is off by is dropped. Angles are
/// principal values in (-pi, pi]. Writes axes.coords entries. FREE-like joints get position and quaternion.
void joint_coordinates(const JointAxes& axes, const Posed& X_PC, std::span<double> q);

/// Rows that read rates: qd_k = row_k . v_rel (linear dofs) or row_k . w_rel (angular dofs), parent anchor axes. They
/// are the dual basis of the motion columns: a generalized torque tau_k acts on the bodies as tau_k row_k. Near gimbal
/// lock the determinant is held at 1e-4, so that rates stay finite.
std::array<Vec3d, 6> joint_rate_rows(const JointAxes& axes, const JointMotion& motion);

/// `angle` moved by whole turns to within pi of `near` [rad].
double unwind(double angle, double near);

}  // namespace mechane::dynamics
