#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/dynamics/mass_matrix.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::dynamics {

/// One block per articulation, each of the same size: rows and columns beyond an articulation's own are zero, and so
/// are the blocks of articulations that the mask leaves out.
struct ArticulationArray {
    std::size_t         rows = 0, columns = 0;  ///< of each block
    std::vector<double> values;                 ///< [articulation_count * rows * columns]

    [[nodiscard]] double at(std::size_t articulation, std::size_t row, std::size_t column) const
    { return values[(articulation * rows + row) * columns + column]; }
};

/// Jacobians in the layout of the model: J joint_qd == body_qd. Rows (v of the centre of mass, w) of each joint's child
/// in joint order [6 * max_joints_per_articulation], columns the articulation's dofs [max_dofs_per_articulation].
/// Disabled joints have zero rows and columns. Bodies stand where the state's body_q has them, as after `eval_fk` with
/// other coordinates; of joint_q only what carries the axes of a joint of several dofs is read.
///
/// @param mask  one flag per articulation; empty selects all
/// @error DYN_SELECTION  the mask has the wrong size
Result<ArticulationArray> eval_jacobian(const model::Model& model, const model::State& state,
                                        std::span<const std::uint8_t> mask = {});

/// Mass matrices J^T diag(m, R I R^T) J + diag(armature) in the same layout, square.
/// @error DYN_SELECTION  the mask has the wrong size
Result<ArticulationArray> eval_mass_matrix(const model::Model& model, const model::State& state,
                                           std::span<const std::uint8_t> mask = {});

/// C qd of one tree of the forest [N] or [N m], for rates of the joints that stay: a free root whose joint has a moving
/// parent is carried along by it, while `JointSpace::coriolis_force` keeps its velocity in the world.
std::vector<double> velocity_force(const model::Model& model, JointSpace& space, std::int32_t tree);

/// Adds to the forces of all trees [tree][dof of the tree] what free joints between bodies hand on: the wrench of such
/// a joint acts on its child and, turned round, on its parent, as the solvers apply `joint_f`.
void load_carriers(const model::Model& model, const JointSpace& space, std::vector<std::vector<double>>& forces);

}  // namespace mechane::dynamics
