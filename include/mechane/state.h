#pragma once
#include <memory>
#include <vector>

#include "mechane/math.h"
#include "mechane/model.h"
#include "mechane/model/state.h"

namespace mechane {

/// What changes from step to step: poses and velocities of bodies, positions and velocities of dofs, the time. World
/// frame, SI units, radians. Belongs to one model; a copy is a state of its own. May be read from many threads at once.
///
/// Ids that its model does not have, and numbers that are not finite, are mistakes that the failure handler is told.
class State {
  public:
    /// The model's initial state.
    /// Poses of bodies are as they were imported or built; `settle` moves them onto their joints, as a simulation does
    /// before its first step.
    explicit State(std::shared_ptr<const Model> model);

    /// The model that it was made of; of a simulation's own state, after an edit, the model as it is then.
    [[nodiscard]] const std::shared_ptr<const Model>& model() const noexcept { return model_; }
    /// 0 for a new one; a simulation writes it at each step.
    [[nodiscard]] double time() const noexcept { return arrays_.time; }  ///< [s]

    /// Of the body's frame in the world; the identity for kWorld. Out of date between `set_position` and `settle`.
    [[nodiscard]] Placement pose(BodyId body) const;
    [[nodiscard]] Vec3      position(BodyId body) const { return pose(body).position; }  ///< of the body frame [m]
    /// World axes. Of a body that hangs on joints it is that of the last step, or of `settle`; 0 for kWorld.
    [[nodiscard]] Vec3 velocity(BodyId body) const;          ///< of the centre of mass [m/s]
    [[nodiscard]] Vec3 angular_velocity(BodyId body) const;  ///< [rad/s]
    /// 0 is where the anchors coincide, which is the authored place only where the stage says so. A turn of a revolute
    /// joint counts on beyond a full circle.
    [[nodiscard]] Real position(DofId dof) const;  ///< [m] or [rad], of a dof with a coordinate of its own
    /// Of any dof. Those of ball joints are angular; those of free joints are the velocity of the child's centre of
    /// mass and then the angular one; both in the axes of the parent's anchor.
    [[nodiscard]] Real velocity(DofId dof) const;  ///< [m/s] or [rad/s]

    /// Where a body is that no joint holds but a free one, or that is kinematic; bodies that joints hold are placed by
    /// `set_position`. Bodies that hang on it go with it.
    /// A rotation is brought to unit length. The velocity stays as it was.
    void set_pose(BodyId body, const Placement& pose);
    /// The same for the velocity of its centre of mass [m/s] and its angular velocity [rad/s].
    /// World axes. Of a kinematic body: how it moves on where no target says otherwise (softstep alone).
    void set_velocity(BodyId body, const Vec3& linear, const Vec3& angular = {});
    /// Of a dof with a coordinate of its own. `Simulation` places the bodies after the last change; for a state of
    /// one's own `settle` does. A joint whose child is kinematic has nothing to set: such a body is where it was put.
    /// A position beyond the dof's limits is taken as it is; the next step pushes it back.
    void set_position(DofId dof, Real position);
    /// In the units of `velocity(dof)`, of any dof.
    void set_velocity(DofId dof, Real velocity);
    /// How the child of a ball joint is turned: its anchor against that of the parent.
    [[nodiscard]] Quat rotation(JointId ball) const;
    /// Unit or not, but not zero; x y z w. At the identity the two anchors have the same axes.
    void set_rotation(JointId ball, const Quat& rotation);
    /// Places bodies by the coordinates of their joints. Simulations do it for their own state.
    /// Costs one pass over the joints. Loop joints move nothing: their coordinates follow from where the bodies are.
    void settle();

    /// The arrays, under Newton's names: a building block. A solver takes free bodies from body_q where that was
    /// written and joint_q was not, all others from joint_q.
    [[nodiscard]] const model::State& arrays() const noexcept { return arrays_; }
    model::State&                     arrays() noexcept { return arrays_; }
    /// No setter was called since bodies were placed.
    /// Whether poses and coordinates agree as far as this object knows; what was written through `arrays` it does not
    /// see.
    [[nodiscard]] bool is_settled() const noexcept { return !unsettled_; }

  private:
    friend class Simulation;
    [[nodiscard]] const Model& owner(const char* function) const;
    [[nodiscard]] std::size_t  coordinate_of(DofId dof, const char* function) const;
    [[nodiscard]] std::size_t  coordinate_of(JointId ball, const char* function) const;

    std::shared_ptr<const Model> model_;
    model::State                 arrays_;
    bool                         unsettled_ = false;
};

/// What a program commands: forces and targets of dofs, wrenches on bodies, where kinematic bodies go. Stays until it
/// is written to again. Belongs to one model.
/// Numbers have to be finite and at most 1e18 when the step comes, which tells of others; writing them is free. A
/// `Control` of a simulation is written between its steps or in its controller.
class Control {
  public:
    /// The commands that the model stores.
    explicit Control(std::shared_ptr<const Model> model);

    /// The model that it was made of; null once it was moved away.
    [[nodiscard]] const std::shared_ptr<const Model>& model() const noexcept { return model_; }

    /// Returns a place to write to, valid until this object is assigned to or gone. On the dofs
    /// of a free joint it is a force, or a torque about the child's centre of mass, along an axis of the world.
    /// Beside the drive, on any dof: a motor that a program controls by its torque has gains of 0 and writes here.
    Real& force(DofId dof);  ///< [N] or [N m]; the effort limit is one of the drive, not of this
    /// The drive pulls towards it with its stiffness; without a stiffness nothing does. Beyond the limits it is
    /// allowed.
    Real& target_position(DofId dof);  ///< of the drive [m] or [rad], of a dof with a coordinate of its own
    /// The drive's damping works towards it: with a target of 0 it brakes.
    Real& target_velocity(DofId dof);  ///< of the drive [m/s] or [rad/s]
    /// External force [N] and torque [N m] about the centre of mass, world axes.
    /// Holds in every step until it is written again or `clear` is called. Gravity is not in it.
    Spatial& wrench(BodyId body);
    /// Where a kinematic body is to be at the end of the next step, and from then on; a joint that would hold it does
    /// not count. Kinematic bodies without a target stay where they are, or go on with their velocity.
    void set_target_pose(BodyId body, const Placement& pose);
    /// The model's own targets; no velocity, no force, no wrench.
    /// Kinematic bodies then have no target, and go on by their velocities.
    void clear();

    /// The arrays, under Newton's names: a building block.
    [[nodiscard]] const model::Control& arrays() const noexcept { return arrays_; }
    model::Control&                     arrays() noexcept { return arrays_; }
    /// One for each body, about its centre of mass.
    [[nodiscard]] const std::vector<Spatial>& wrenches() const noexcept { return wrenches_; }  ///< empty: none

  private:
    friend class Simulation;
    [[nodiscard]] const Model& owner(const char* function) const;

    std::shared_ptr<const Model> model_;
    model::Control               arrays_;
    std::vector<Spatial>         wrenches_;
};

}  // namespace mechane
