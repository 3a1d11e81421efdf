#pragma once
#include "mechane/dynamics/four_trees.h"
#include "solvers/softstep/mechanism/mechanism.h"

namespace mechane::solvers::softstep {

/// Whether the coordinates of a tree are the pose of its one link in the world.
[[nodiscard]] bool is_pose(const Mechanism& system, const Tree& tree);
/// Rounds the coordinates and rates of a tree to what will be published, in Mechanism::next_q and next_qd, and places it
/// there. Returns false, with nothing done, for trees to which that does not apply.
bool place_published(Mechanism& system, const Tree& tree);
/// The same for four trees that are alike.
bool place_published(Mechanism& system, const dynamics::FourTrees& trees);

}  // namespace mechane::solvers::softstep
