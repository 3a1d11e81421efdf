#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mechane/dynamics/articulated.h"

namespace mechane::dynamics {

/// Four trees that are alike (`Tree::kind`), worked on side by side, one in each lane. What is written to Motion, and
/// every other result, has the bits that each tree has alone.
using FourTrees = std::array<std::int32_t, 4>;

/// As for one tree.
void forward_kinematics(const Forest& forest, const FourTrees& trees, Motion& motion);

/// Inverse dynamics and mass matrices of four trees at the poses that kinematics left. What links of one hand on to
/// each other stays inside, so that nothing but the results goes through Motion.
class FourDynamics {
  public:
    /// Links and dofs of a tree at most, so that all has room on the stack.
    static constexpr std::int32_t kMostLinks = 32, kMostDofs = 64;

    FourDynamics(const Forest& forest, const FourTrees& trees, const Motion& motion);

    /// Generalized forces that hold qdd = 0 [dof_count of the forest], as `inverse_dynamics` of each tree.
    /// `gravity` of each.
    void inverse_dynamics(const std::array<Vec3d, 4>& gravity, std::span<const Spatiald> wrench, std::span<double> tau);
    /// The trees' rows of the mass matrix, as `mass_matrix` of each.
    void mass_matrix(const Paths& paths, Motion& motion, std::span<double> matrix);
    /// From here on at other velocities [dof_count of the forest]; Motion keeps its own.
    void set_velocities(std::span<const double> v);

  private:
    friend struct FourMoving;

    static constexpr std::size_t kPerLink = 49, kPerDof = 14;  ///< numbers of each lane

    const Forest&               forest_;
    FourTrees                   trees_;
    std::array<std::int32_t, 4> link_, dof_;  ///< how far each tree's lie behind those of the first
    alignas(32) std::byte storage_[32 * (kPerLink * kMostLinks + kPerDof * kMostDofs + 3)];
};

}  // namespace mechane::dynamics
