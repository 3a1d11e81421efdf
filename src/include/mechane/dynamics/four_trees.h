#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mechane/dynamics/articulated.h"

namespace mechane {
struct Four;
}

namespace mechane::dynamics {

/// Four trees that are alike (`Tree::kind`), worked on side by side, one in each lane. What is written to Motion, and
/// every other result, has the bits that each tree has alone.
using FourTrees = std::array<std::int32_t, 4>;

/// As for one tree.
void forward_kinematics(const Forest& forest, const FourTrees& trees, Motion& motion);

/// Inverse dynamics and mass matrices of four trees at the poses that kinematics left. What links of one hand on to
/// each other, and the matrices, stay inside, so that nothing but the results goes through memory that others see.
class FourDynamics {
  public:
    /// Links, dofs and numbers of the mass matrix of a tree at most, so that all has room on the stack.
    static constexpr std::int32_t kMostLinks = 32, kMostDofs = 64, kMostNumbers = 1024;

    [[nodiscard]] static bool fits(const Tree& tree, const Paths& paths);

    FourDynamics(const Forest& forest, const Paths& paths, const FourTrees& trees, const Motion& motion);

    /// Generalized forces that hold qdd = 0 [dof_count of the forest], as `inverse_dynamics` of each tree.
    /// `gravity` of each.
    void inverse_dynamics(const std::array<Vec3d, 4>& gravity, std::span<const Spatiald> wrench, std::span<double> tau);
    /// From here on at other velocities [dof_count of the forest]; Motion keeps its own.
    void set_velocities(std::span<const double> v);

    /// The mass matrices with `diagonal` added [dof_count of the forest], as `mass_matrix` and `factor` of each.
    void factor(std::span<const double> diagonal);
    /// x := M^-1 x, x[k] of the dofs of each tree.
    void respond(const std::array<double*, 4>& x);
    /// The factors [paths.size()], and 1/D [dof_count of the forest].
    void put_factors(std::span<double> factored, std::span<double> inverse_pivots);
    /// Rows sqrt(1/D) L^-T e_k of all dofs k, and the whitened velocities sqrt(D) L v of `v` [dof_count of the forest].
    /// A dof that has zero inertia keeps its velocity. They stay inside, in lanes, until `put_rows`.
    void whiten(std::span<const double> v);
    /// The rows in the layout of the factors [paths.size()], and of the dofs of each tree `roots`, sqrt(1/D), and `u`,
    /// the whitened velocities.
    void put_rows(std::span<double> rows, const std::array<double*, 4>& roots, const std::array<double*, 4>& u);
    /// Whether some dof of some tree has zero inertia.
    [[nodiscard]] bool locked();
    /// In lanes: the whitened rows in the layout of Paths, the columns of the dofs (Motion::column), and the whitened
    /// velocities in whole blocks.
    struct Rows {
        const Four* rows;        ///< of all dofs
        const Four* columns;     ///< six numbers each
        Four*       velocities;
    };
    [[nodiscard]] Rows rows();

  private:
    friend struct FourMoving;

    /// Where the rows of each tree begin.
    [[nodiscard]] std::array<double*, 4> rows_in(std::span<double> matrix) const;

    static constexpr std::size_t kPerLink = 49, kPerDof = 18, kPerNumber = 2;  ///< numbers of each lane

    const Forest&               forest_;
    const Paths&                paths_;
    FourTrees                   trees_;
    std::array<std::int32_t, 4> link_, dof_;  ///< how far each tree's lie behind those of the first
    std::int32_t                numbers_;     ///< of a tree's matrix
    alignas(32) std::byte storage_[32 * (kPerLink * kMostLinks + kPerDof * kMostDofs + kPerNumber * kMostNumbers + 9)];
};

}  // namespace mechane::dynamics
