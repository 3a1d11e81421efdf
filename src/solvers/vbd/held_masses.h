#pragma once
#include <cstdint>
#include <vector>

#include "mechane/dynamics/forest.h"
#include "mechane/dynamics/forward_dynamics.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::solvers::vbd {

/// How far points of bodies give way to what is soft, with the joints that hold these bodies: J H^-1 J^T, where H is
/// the mass matrix of the tree with armature and what drives, springs and dampers add to it in an implicit step. A body
/// that is welded to the world does not give way. Closed loops count as open.
class HeldMasses {
  public:
    /// @param enabled  joints that hold [joint_count]
    void                                           read(const model::Model& model, std::vector<std::uint8_t> enabled);
    [[nodiscard]] const std::vector<std::uint8_t>& enabled() const { return enabled_; }
    /// Before the holds of a step are made. The state stays where it is while `response` is asked.
    void begin(const model::Model& model, const model::State& state, double dt);
    /// Whether joints hold the body, so that its own mass says nothing.
    [[nodiscard]] bool is_held(std::int32_t body) const;
    /// Whether nothing can move the body.
    [[nodiscard]] bool is_welded(std::int32_t body) const;
    /// Velocity of a point of a held body, world, for a unit impulse at it, column by column [1/kg].
    [[nodiscard]] Mat33d response(std::int32_t body, const Vec3d& p_W);

  private:
    /// The dof nearest to a link, of its own joint or of one above; -1: none.
    [[nodiscard]] std::int32_t last_dof(std::int32_t link) const;
    void                       prepare(const dynamics::Tree& tree);

    const model::Model*         model_ = nullptr;
    const model::State*         state_ = nullptr;
    double                      dt_    = 0;
    std::vector<std::uint8_t>   enabled_;
    dynamics::Forest            forest_;
    dynamics::Motion            motion_;
    dynamics::ArticulatedBodies bodies_;
    std::vector<std::uint8_t>   prepared_;  ///< per tree
    std::vector<double>         diagonal_, x_, rows_;
};

}  // namespace mechane::solvers::vbd
