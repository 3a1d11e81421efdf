#pragma once
#include <memory>
#include <optional>

#include "mechane/geometry/mesh.h"
#include "mechane/math/pose.h"
#include "solvers/mujoco/description.h"

namespace mechane::solvers::mujoco {

/// A grid of heights, and where its middle at the least height is in the shape; z of the pose is upwards.
struct FoundGrid {
    std::shared_ptr<const HeightItem::Grid> grid;
    Posed                                   X;
    bool                                    closed = true;  ///< the mesh has a floor; else it is a sheet
};

/// Recognises the layout of `geometry::heightfield_mesh` (x fastest) by its coordinates; anything else is no grid.
std::optional<FoundGrid> grid_of(const geometry::Mesh& mesh, const Vec3d& scale);

/// A mesh whose upper side is a grid of heights along one of its axes, with walls and a flat floor or without, in
/// whatever order its points are. Nothing where its convex hull is the same.
std::optional<FoundGrid> terrain_of(const geometry::Mesh& mesh, const Vec3d& scale);

}  // namespace mechane::solvers::mujoco
