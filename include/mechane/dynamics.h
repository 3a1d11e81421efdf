#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mechane/math.h"
#include "mechane/model.h"
#include "mechane/state.h"

namespace mechane {

/// A matrix that lies in somebody else's memory, row by row.
/// To be read like `m(row, column)`; to be handed to a library of linear algebra by `values`, as a row-major map.
struct MatrixView {
    /// Both 0 for a view of nothing.
    std::size_t             rows = 0, columns = 0;
    std::span<const double> values{};  ///< [rows * columns]

    /// @return the entry; one beyond the matrix is a mistake that the failure handler is told
    [[nodiscard]] double operator()(std::size_t row, std::size_t column) const;
    /// One row as it lies in memory, [columns].
    [[nodiscard]] std::span<const double> row(std::size_t row) const;
};

/// Where a body should be, and how it should be turned; world frame.
/// What is unset is free: a goal without a rotation says only where the point is to be.
struct Goal {
    /// A body of the model, not kWorld.
    BodyId               body{};
    Vec3d                point{};     ///< body frame [m]
    std::optional<Vec3d> position{};  ///< of the point [m]
    std::optional<Quatd> rotation{};  ///< of the body frame
    /// What an error of 1 m or 1 rad counts in the sum of squares that is made small; not negative.
    double position_weight = 1, rotation_weight = 1;  ///< [1/m], [1/rad]
};

/// Each start is refined by the method of Levenberg and Marquardt until both tolerances hold or the iterations are used
/// up; the best of all is returned.
struct IkSettings {
    int iterations = 100;  ///< per start, 0..1000000; 0: the errors of the start
    int starts     = 1;    ///< the given state, then samples within the limits; 1..1000000
    /// Not negative; 0 is reached by chance alone.
    double position_tolerance = 1e-4;  ///< [m]
    double rotation_tolerance = 1e-4;  ///< [rad]
};

/// What inverse kinematics found.
/// Where `solved` is false the state is the nearest that was found, which often shows what is in the way.
struct IkSolution {
    /// Every goal holds within both tolerances.
    bool   solved         = false;
    double position_error = 0, rotation_error = 0;  ///< worst of all goals [m], [rad]
    State  state;                                   ///< the given one with the joints where they were found
};

/// Dynamics of a model at a state, without contacts and other constraints: for controllers and analysis. Bodies go in;
/// what comes out is in the model's order: columns and entries are `Model::dofs` of the world. Free bodies have six:
/// velocity of the centre of mass and angular velocity, in the axes of the joint's anchor in its parent: of the world
/// for bodies of `ModelBuilder::add_body`. `Control::force` has the axes of the world in any case. A model of several
/// worlds has its dynamics by world: a call without one is a mistake there that the failure handler is told.
///
/// Spans and views lie in memory of this object and hold until its next call; once `at` has been called nothing is
/// allocated but by `inverse_kinematics`. Belongs to one thread at a time.
/// Recursive algorithms over the trees of joints, in double precision whatever `Real` is: composite bodies for the mass
/// matrix, Newton and Euler for inverse dynamics, a sparse factorisation for forward dynamics (Featherstone 2008).
/// docs/dynamics.md compares them with Pinocchio and MuJoCo.
class Dynamics {
  public:
    /// Shares the model and allocates all that later calls need. Null is a mistake.
    explicit Dynamics(std::shared_ptr<const Model> model);
    ~Dynamics();
    Dynamics(Dynamics&&) noexcept;
    Dynamics& operator=(Dynamics&&) noexcept;

    /// Computes the kinematics of a state, which has to be of the model. Before the first call it is the model's start.
    /// The state is read, not kept: it may change or go afterwards. Costs one pass over the bodies.
    Dynamics& at(const State& state);

    /// Of a point of a body [m, body frame], 6 x dofs of the body's world: rows (velocity of the point, angular
    /// velocity), world axes. @error SIM_DYNAMICS  the body moves, and has no joint, or a free one to another body
    /// J qd is the velocity of the point and the angular velocity of the body. J^T f is what a force at the point asks
    /// of the dofs. Of kWorld and of kinematic bodies all entries are 0.
    [[nodiscard]] Result<MatrixView> jacobian(BodyId body, const Vec3d& point = {});
    /// Symmetric, with armature on the diagonal. @error SIM_DYNAMICS  a body of the world with joints has none to the
    /// world itself, or hangs on a free joint to another body; the same for the two below
    /// Positive definite but for dofs that carry nothing. Robots of one world that do not touch share no entries.
    [[nodiscard]] Result<MatrixView> mass_matrix(std::optional<WorldId> world = {});
    /// What a controller must apply for these accelerations [N] or [N m], gravity and velocities included.
    /// @param accelerations  one for each dof of the world [m/s^2] or [rad/s^2], or none: all 0
    /// @error SIM_DYNAMICS, as of `mass_matrix`
    /// With no accelerations this is what holds the robot where it is against gravity, at its present velocities.
    /// Drives, dry friction and damping of the joints are not in it.
    [[nodiscard]] Result<std::span<const double>> inverse_dynamics(std::span<const double> accelerations = {},
                                                                   std::optional<WorldId>  world         = {});
    /// Accelerations [m/s^2] or [rad/s^2] under these forces [N] or [N m], one for each dof of the world.
    /// @error SIM_DYNAMICS, as of `mass_matrix`
    /// The inverse of `inverse_dynamics`. Entries of joints that are off or close a loop are 0.
    [[nodiscard]] Result<std::span<const double>> forward_dynamics(std::span<const double> forces,
                                                                   std::optional<WorldId>  world = {});
    /// Joint positions that bring bodies to goals, within the limits of the joints, from a state of the model.
    /// @error DYN_GOAL  a goal names no body of the model, or kWorld, has a place that is no number, a rotation of
    /// zeros, or a weight that is negative or no number; DYN_SIZE  arrays of the state were resized Allocates. Equal
    /// arguments give equal bytes: starts after the first come from a fixed sequence. Free roots stay where they are.
    [[nodiscard]] Result<IkSolution> inverse_kinematics(const State& start, std::span<const Goal> goals,
                                                        const IkSettings& settings = {});

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane
