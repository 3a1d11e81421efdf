#pragma once
#include <cstdint>
#include <vector>

#include "solvers/softstep/contact/contact_batch.h"
#include "solvers/softstep/contact/contact_rows.h"
#include "solvers/softstep/island/islands.h"
#include "solvers/softstep/mechanism/mechanism.h"

namespace mechane::solvers::softstep {

constexpr std::int32_t kCommands = 7;  ///< numbers of a dof that wake it when they change

/// Which groups sleep, and what they were given when last seen: a change of that wakes them.
struct Sleep {
    bool                      enabled = false;
    std::vector<double>       still;      ///< per group: how long all of its bodies have been slow [s]
    std::vector<std::uint8_t> asleep;     ///< per group
    std::vector<std::uint8_t> actuated;   ///< per group: has a drive with gains
    std::vector<std::uint8_t> disturbed;  ///< per group: lies on something prescribed that moves
    std::vector<double>       commands;   ///< per dof: force, target, target rate, and the drive's and spring's gains
    std::vector<Spatiald>     wrench;     ///< per link
    std::vector<Vec3d>        gravity;    ///< per world, last the global one
};

/// What joints carry.
struct ReactionStore {
    // Reactions of joints, computed where a joint may break or somebody observes.
    bool                  wants_reactions = false;
    std::vector<Spatiald> start_twist;            ///< per link, at the start of the step
    std::vector<Vec3d>    start_com, start_spin;  ///< per link: centre of mass, angular momentum about it; world
    std::vector<Spatiald> load;     ///< per link: mean wrench of contacts and constraints about its centre of mass
    std::vector<Spatiald> inbound;  ///< per link: what its joint transmits to it, about its centre of mass
    std::vector<Spatiald> loop_reaction;  ///< [joint_count]: of loop and distance joints on the child, about its anchor
};

/// Everything the solver keeps; sized when the model is seen, grown for contacts only. What works on a part of it takes
/// that part.
struct System : Mechanism, ContactStore, IslandStore, BatchStore, ReactionStore {
    std::vector<std::uint8_t> teleported;  ///< per group: its pose is not the one that the last step left
    Sleep                     sleep;
    /// What shares a loop within a batch.
    [[nodiscard]] const tasks::Pool* batch_pool() const { return batches_fill ? nullptr : pool; }
};

}  // namespace mechane::solvers::softstep
