#pragma once
#include <string>

#include "mechane/model/builder.h"

namespace mechane::run {

/// A humanoid of 1.7 m and about 70 kg standing on z = 0 of `at`: 13 bodies, 21 joint axes with limits, damping and
/// armature, no drives. Segment lengths after Winter, Biomechanics and Motor Control of Human Movement, table 4.1.
void add_humanoid(model::ModelBuilder& b, const Posed& at, const std::string& name);

/// A quadruped with a spherical torso over z = 0 of `at`: 9 bodies, 8 hinges; sizes of Schulman et al.,
/// High-dimensional continuous control using generalized advantage estimation (2016).
void add_ant(model::ModelBuilder& b, const Posed& at, const std::string& name);

}  // namespace mechane::run
