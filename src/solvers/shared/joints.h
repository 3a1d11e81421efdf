#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "mechane/dynamics/joint_motion.h"
#include "mechane/model/state.h"
#include "solvers/shared/bodies.h"

namespace mechane::solvers::shared {

/// A direction of a joint between two bodies: a coordinate, free or locked, with its rate and its gradient. A force F
/// [N] or torque F [N m] along it acts on the child as F (row, r_c x row) or F (0, row), on the parent as the opposite.
struct JointCoordinate {
    std::int32_t dof   = -1;  ///< of the joint's own dofs; -1: locked
    double       value = 0;   ///< [m], [rad]
    double       rate  = 0;   ///< [m/s], [rad/s]
    Vec3d        row;         ///< world axes
};

/// A joint where its bodies are.
struct JointPlace {
    std::int32_t                   parent = -1, child = -1;
    Posed                          X_WP, X_WC;  ///< anchors
    Vec3d                          r_p, r_c;    ///< from the centres of mass to the child's anchor
    std::array<JointCoordinate, 3> linear, angular;
    int                            angular_count = 3;  ///< 0 for a ball: nothing about axes is locked
};

/// How a joint lays out its directions; constant.
struct JointLayout {
    std::int32_t                joint = -1;
    dynamics::JointAxes         axes;
    Posed                       X_P, X_C;
    std::array<Vec3d, 3>        linear;      ///< orthonormal, parent anchor axes: the joint's own first
    std::array<std::int32_t, 3> linear_dof;  ///< of the joint's dofs; -1: locked
    enum class Turn : unsigned char { locked, single, chain, ball } turn = Turn::locked;
    dynamics::JointAxes         chain;  ///< three angles that describe any rotation, for joints of two or three
    std::array<Vec3d, 3>        angular;
    std::array<std::int32_t, 3> angular_dof;
    std::int32_t                q = 0, qd = 0;  ///< where the joint's own entries begin
};

/// Joints that hold two bodies together: all but FREE, DISTANCE and ROD. Disabled ones are there too.
std::vector<JointLayout> lay_out_joints(const model::Model& model);

/// Coordinates, rates and gradients of a joint. Forces of both sides act where the child's anchor is.
/// @param near  [joint_coord_count]: single angles come out within half a turn of the values there
JointPlace place_joint(const JointLayout& joint, const Bodies& bodies, std::span<const double> near);

/// A generalized force along a coordinate of a placed joint, as a wrench on each body about its centre of mass.
struct JointPush {
    Spatiald parent, child;
};
void push_linear(const JointPlace& at, const JointCoordinate& c, double force, JointPush& push);
void push_angular(const JointCoordinate& c, double torque, JointPush& push);

/// What acts on a dof of a joint besides what holds it together.
struct DofForces {
    double ke = 0, kd = 0, target_q = 0, target_qd = 0;
    double lower = 0, upper = 0, limit_ke = 0, limit_kd = 0;
    double damping = 0, stiffness = 0, rest_q = 0;
    double force = 0;  ///< joint_f
};
/// The numbers of a dof, of the model and the controls.
/// @param coord  entry of joint_q, -1 where the dof has no coordinate of its own (balls)
DofForces read_dof(const model::Model& model, const model::Control& control, std::size_t dof, std::int32_t coord);
/// Drive, limit and passive forces at a coordinate and its rate: outside of a limit the drive is off and the limit
/// pushes (Newton 1.8, `joint_force`). Without joint_f.
/// @param principal  the passive spring takes the angle within half a turn of zero
double dof_force(const DofForces& law, double q, double qd, bool principal);

/// joint_f of FREE-like joints onto the bodies: a wrench in world axes about the child's centre of mass, and the
/// reaction on the parent about its own.
void add_free_joint_forces(const model::Model& model, const model::Control& control, Bodies& bodies);

}  // namespace mechane::solvers::shared
