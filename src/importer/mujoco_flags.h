#pragma once
#include <cstddef>
#include <string_view>

#include "import.h"

namespace mechane::importer {

/// Whether the first scene switches off a part of MuJoCo's model: contact, equality, limit, frictionloss, spring,
/// damper, actuation. Its flag "constraint" switches off the first four.
bool switched_off(const Import& run, std::string_view part);

/// Takes out of joints and shapes what MuJoCo's flags switch off, so that every solver does as MuJoCo does, and says
/// so once for each flag that changes something.
/// @param first_shape  of this import
void apply_mujoco_flags(Import& run, std::size_t first_shape);

}  // namespace mechane::importer
