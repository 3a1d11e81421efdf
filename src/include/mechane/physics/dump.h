#pragma once
#include <string>

#include "mechane/physics/mass.h"

namespace mechane::physics {

/// The model as `mechane dump physics` prints it (docs/schemas/dump.physics.schema.json): "objects" by type, in the
/// order in which OpenUSD's parser reports them, and "mass" of each body as its mass computer answers. Stage units,
/// keys sorted, quaternions w first, numbers that are not finite as text. Parse by kOpenUsd26 to compare with OpenUSD.
std::string dump_physics(const PhysicsModel& model, const MassInfoCallback& info);

}  // namespace mechane::physics
