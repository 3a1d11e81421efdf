#pragma once
#include <span>
#include <string_view>

#include "mechane/core/result.h"
#include "mechane/model/builder.h"

namespace mechane::run {

/// A scene that is built without a file, to measure speed with.
struct BuiltinScene {
    std::string_view name;
    int              size;  ///< N of "name:N" when it is left out
    std::string_view meaning;
};

/// Those below, with their default sizes.
std::span<const BuiltinScene> builtin_scenes();

/// "name" or "name:N". SI units, z up.
///  - pyramid: N layers, n x n boxes of 2 m with half a metre between them in layer n (Jolt's performance test
///  "Pyramid")
///  - convex-vs-mesh: N x N x 4 boxes, spheres, capsules and hulls over a terrain of 20,000 triangles (Jolt's
///    "ConvexVsMesh" at N = 21)
///  - ragdoll-pile, humanoid: N humanoids of 13 bodies and 21 joint axes, in a pile or side by side on the ground
///  - ant: N quadrupeds of 9 bodies and 8 hinges with the sizes of the usual benchmark of reinforcement learning
///  - chain: N links on ball joints, hanging from the world, started level
///  - spheres: N balls over the ground, dropped in a column of 6 x 6
/// @error RUN_SCENE  unknown, or N out of range
Result<model::ModelBuilder> builtin_scene(std::string_view name);

}  // namespace mechane::run
