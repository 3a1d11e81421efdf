#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/dynamics/articulated.h"
#include "mechane/dynamics/forward_dynamics.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::dynamics {

/// A tree seen from its centre of mass, world axes (Orin, Goswami, Lee 2013, "Centroidal dynamics of a humanoid
/// robot").
struct Centroidal {
    double              mass = 0;  ///< [kg]
    Vec3d               com, com_velocity;
    Vec3d               linear, angular;  ///< momentum [kg m/s], and about the centre of mass [kg m^2/s]
    std::vector<double> matrix;           ///< [6 * n]: momentum (linear, angular) per unit rate of each dof
};

/// Joint-space dynamics of a model without constraints, for controllers, tests and analysis. Works on the forest of the
/// model; vectors have the forest's dof order: `forest().model_dof` says which model dof each one is (-1: free links,
/// whose velocity is (v of the centre of mass, w) in world axes). Trees and links are those of the forest. A tree or a
/// link that it does not have, a vector that is not as long as the tree has dofs, and a state of another model are
/// mistakes that the failure handler is told.
class JointSpace {
  public:
    /// The model lives as long.
    explicit JointSpace(const model::Model& model);
    explicit JointSpace(const model::Model&& model) = delete;

    /// Takes the state's joint coordinates and rates (free links without their own joint from the bodies); runs the
    /// kinematics.
    void set_state(const model::State& state);

    [[nodiscard]] const Forest& forest() const { return forest_; }
    [[nodiscard]] const Motion& motion() const { return motion_; }
    [[nodiscard]] Motion&       motion() { return motion_; }
    /// Recomputes kinematics after `motion().q` or `.v` were edited.
    void update();

    /// Dense symmetric mass matrix of one tree, row by row [n * n]; with armature on the diagonal unless told
    /// otherwise.
    [[nodiscard]] std::vector<double> mass_matrix(std::int32_t tree, bool armature = true);
    /// tau = M qdd + C qd + g of one tree, armature included: what a controller must apply [N] or [N m] for the
    /// acceleration qdd.
    [[nodiscard]] std::vector<double> inverse_dynamics(std::int32_t tree, std::span<const double> qdd);
    /// g(q): the force that holds the tree still.
    [[nodiscard]] std::vector<double> gravity_force(std::int32_t tree);
    /// C(q, qd) qd.
    [[nodiscard]] std::vector<double> coriolis_force(std::int32_t tree);
    /// qdd = M^-1 (tau - C qd - g).
    [[nodiscard]] std::vector<double> forward_dynamics(std::int32_t tree, std::span<const double> tau);
    /// The same in time proportional to the number of links, with external wrenches about the centres of mass [links of
    /// the forest, may be empty], world axes.
    [[nodiscard]] std::vector<double> articulated_dynamics(std::int32_t tree, std::span<const double> tau,
                                                           std::span<const Spatiald> wrench = {});
    /// Wrench that each link's joint transmits to it, about its centre of mass, world axes, for the accelerations qdd
    /// and external wrenches: what a force sensor in the joint reads. Links [tree's link_begin, link_end).
    [[nodiscard]] std::vector<Spatiald> joint_wrenches(std::int32_t tree, std::span<const double> qdd,
                                                       std::span<const Spatiald> wrench = {});
    /// Acceleration of each link's centre of mass and its angular acceleration, world axes; free fall reads -g.
    [[nodiscard]] std::vector<Spatiald> accelerations(std::int32_t tree, std::span<const double> qdd);
    /// Momentum, and the matrix that takes rates to it.
    [[nodiscard]] Centroidal centroidal(std::int32_t tree);
    /// Jacobian of a point of a link, body frame [6 * n]: rows (v of the point, w).
    [[nodiscard]] std::vector<double> jacobian(std::int32_t link, const Vec3d& p_B) const;
    /// Jacobian of one link [6 * n]: rows (v of its centre of mass, w), world axes, times the tree's dofs.
    [[nodiscard]] std::vector<double> jacobian(std::int32_t link) const;

  private:
    [[nodiscard]] const Tree& tree_of(std::int32_t tree) const;
    [[nodiscard]] const Tree& tree_of(std::int32_t tree, std::span<const double> vector, const char* name) const;
    void                      require_wrenches(std::span<const Spatiald> wrench) const;
    /// The mass matrix of a tree into `rows_`.
    void find_rows(const Tree& tree, bool armature);

    const model::Model* model_;
    Forest              forest_;
    Paths               paths_;
    std::vector<double> rows_;
    Motion              motion_;
    ArticulatedBodies   bodies_;
    std::vector<double> armature_;
};

}  // namespace mechane::dynamics
