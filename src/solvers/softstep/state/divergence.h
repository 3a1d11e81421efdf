#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

/// The first thing that went wrong in a step.
struct Culprit {
    std::int32_t body = -1, joint = -1;
    std::string  text;
};
/// Whether all of a tree is finite and not too fast.
[[nodiscard]] bool in_bounds(const System& system, const Tree& tree);
/// Marks the worlds of links that are not finite or too fast; `first` is filled in where it is empty. `known_sound`:
/// there are none.
void find_divergence(System& system, int substeps, bool after, bool known_sound, Culprit& first);
/// Whether everything that moves lies in faulty worlds.
[[nodiscard]] bool all_faulty(const System& system);
/// Drops what steps hand on to each other, of the worlds that are chosen (layout of System::faulty).
void forget_worlds(System& system, const std::vector<std::uint8_t>& chosen);

}  // namespace mechane::solvers::softstep
