#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/dynamics/four_trees.h"
#include "solvers/softstep/contact/direct_solve.h"
#include "solvers/softstep/parameters.h"

namespace mechane::solvers::softstep {

struct System;

struct Island {
    bool               asleep      = false;
    bool               frozen      = false;                 ///< of a world whose state is not finite
    std::int64_t       sweeps      = 0;                     ///< in this step
    std::int32_t       group_begin = 0, group_end = 0;      ///< in System::island_groups
    std::int32_t       contact_begin = 0, contact_end = 0;  ///< in System::order
    std::int32_t       active_end = 0;   ///< in System::active, from contact_begin on: of this substep
    std::int32_t       batch       = -1;  ///< in System::batches, which solves it; -1: its rows are swept one by one
    std::int32_t       block      = -1;  ///< in System::blocks; -1: only sweeps
    double             rigidity   = 0;   ///< of its contacts, 0: soft rows, 1: rigid ones
    [[nodiscard]] bool runs() const { return !asleep && !frozen; }
    std::int32_t       general_begin = 0, general_end = 0;  ///< in System::island_general
};

/// What one thread runs through a step, one after the other: an island, or four of one tree each that are alike, whose
/// dynamics are worked on side by side.
struct Work {
    std::array<std::int32_t, 4> island{-1, -1, -1, -1};
    dynamics::FourTrees         trees{};    ///< of four
    std::int32_t                count = 0;  ///< of islands: 1 or 4
};

/// What running an island tells.
struct IslandReport {
    int    clamped = 0, contact_rows = 0, limit_rows = 0, loop_rows = 0;
    int    block_solves = 0, block_fallbacks = 0;
    double loop_error_linear = 0, loop_error_angular = 0;
    bool   sound = false;  ///< all of it is in_bounds; false where nobody has looked
};

/// The parts of a step that run on their own, and how they are shared.
struct IslandStore {
    RigidIslands               rigid = RigidIslands::automatic;
    std::vector<Island>        islands;
    std::vector<Work>          work;     ///< of islands that run on their own, and of the first of each batch
    std::vector<Work>          waiting;  ///< scratch of list_work, per tree: those of its kind that are not yet four
    std::vector<std::int32_t>  kinds;    ///< trees that are their kind's first (Tree::kind)
    std::vector<Block>         blocks;
    std::vector<std::int32_t>  island_groups, island_general, island_of_group, set_parent;
};

void           build_islands(System& system);
/// What is to be run (System::work), after it is known what sleeps and what is frozen.
void list_work(System& system);
/// One substep of some islands. Touches nothing outside of them; prescribed bodies are where `place_prescribed` has put
/// them. `reports`: of all islands.
void run_substep(System& system, const Work& work, double h, int substep, std::span<IslandReport> reports);
/// Kinematics at the end of the step, loops closed to rounding, rows counted.
void finish(System& system, const Work& work, double h, std::span<IslandReport> reports);

}  // namespace mechane::solvers::softstep
