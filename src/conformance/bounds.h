#pragma once
#include "facts.h"
#include "mechane/geometry/mesh.h"

namespace mechane::conformance {

/// Box about a Gprim at the default time, in the world: points of meshes, curves and point clouds, corners of the box
/// about a sphere, capsule, cylinder, cone or cube. Empty for what has no points and authors no extent.
geometry::Aabbd world_bounds(const usd::Stage& stage, const usd::Prim& gprim);

/// The same for a Gprim that stands elsewhere: `to_world` leads from its own frame to the world.
geometry::Aabbd bounds_at(const usd::Matrix4d& to_world, const usd::Prim& gprim);

/// Box about everything in [from, end) that is drawn: visible Gprims of purpose default or render, or guides too.
geometry::Aabbd drawn_bounds(const Facts& facts, std::int32_t from, std::int32_t end, bool guides = false);

inline bool is_empty(const geometry::Aabbd& box) { return !(box.lower.x <= box.upper.x); }

}  // namespace mechane::conformance
