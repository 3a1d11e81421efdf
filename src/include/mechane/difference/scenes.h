#pragma once
#include "mechane/difference/compare.h"
#include "mechane/run/scene.h"

namespace mechane::difference {

/// Adds to a comparison what a simulation of two scenes sees and the robots' description has no word for: which bodies
/// are held by others (kinematic) or asleep, with which velocity bodies and joints start, which force breaks a joint,
/// which bodies may touch, and what soft things are made of. Bodies and joints are paired by name, velocities are seen
/// with z up.
void compare_scenes(Comparison& out, const run::Scene& a, const run::Scene& b, const CompareOptions& options = {});

}  // namespace mechane::difference
