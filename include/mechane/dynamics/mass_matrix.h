#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/dynamics/articulated.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::dynamics {

/// Joint-space dynamics of a model without constraints, for controllers, tests and analysis. Works on the forest of the
/// model; vectors have the forest's dof order: `forest().model_dof` says which model dof each one is (-1: free links,
/// whose velocity is (v of the centre of mass, w) in world axes).
class JointSpace {
  public:
    explicit JointSpace(const model::Model& model);

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
    /// Jacobian of one link [6 * n]: rows (v of its centre of mass, w), world axes, times the tree's dofs.
    [[nodiscard]] std::vector<double> jacobian(std::int32_t link) const;

  private:
    const model::Model* model_;
    Forest              forest_;
    Motion              motion_;
    std::vector<double> armature_;
};

}  // namespace mechane::dynamics
