#pragma once
#include <optional>

#include "mechane/usd/stage.h"

namespace mechane::resolve {

/// Opposite corners of a box [stage units].
struct Bounds {
    Vec3d lower, upper;
};

/// Bounds in the world, along its axes, of a prim and everything below it that has the default purpose: boxes around
/// the geometry in its own frame, turned with it (as OpenUSD's bounding-box cache has it). Nothing where there is none.
std::optional<Bounds> world_bounds(const usd::Stage& stage, const usd::Prim& prim);

}  // namespace mechane::resolve
