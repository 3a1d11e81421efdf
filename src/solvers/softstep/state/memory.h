#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "system.h"

namespace mechane::solvers::softstep {

/// Everything of a System that one step hands on to the next: warm starting, saturated drives, sleep, broken joints.
std::vector<std::byte> save_memory(const System& system);
/// Reads it into a system of the same model, rebuilding its trees where joints are broken.
/// @return false, with the system as it was, when the bytes are of another model or damaged
bool restore_memory(std::span<const std::byte> bytes, System& system);

}  // namespace mechane::solvers::softstep
