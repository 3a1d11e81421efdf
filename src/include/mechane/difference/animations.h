#pragma once
#include "mechane/difference/compare.h"
#include "mechane/run/scene.h"

namespace mechane::difference {

/// Adds to a comparison what two stages animate: where kinematic bodies and the targets of drives are, and which way
/// gravity points, from the first second to the last key of either, at 64 times. Bodies and joints are paired by name,
/// places are seen with z up.
/// @error none: what a scene does not animate rests
void compare_animations(Comparison& out, const run::Scene& a, const run::Scene& b, const CompareOptions& options = {});

}  // namespace mechane::difference
