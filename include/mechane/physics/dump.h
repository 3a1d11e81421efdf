#pragma once
#include <string>

#include "mechane/physics/mass.h"

namespace mechane::physics {

/// The model as `mechane dump physics` prints it (docs/contracts.md): "objects" by type as OpenUSD's parser lists them and
/// "mass" per body, keys sorted, floats as their shortest text, quaternions w first. Parse with strict_reference to compare with
/// OpenUSD.
/// @param limit  arrays of more scalars than this become a hash
std::string dump_physics(const PhysicsModel& model, const MassInfoCallback& info, std::size_t limit = 1024);

}  // namespace mechane::physics
