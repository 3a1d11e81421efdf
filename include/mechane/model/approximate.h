#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "mechane/geometry/preparation.h"
#include "mechane/model/builder.h"

namespace mechane::model {

/// What the meshes of a builder become.
enum class MeshApproximation : std::uint8_t {
    convex_hull,
    bounding_box,     ///< of small volume, turned with the mesh
    bounding_sphere,  ///< the smallest
    decomposition,    ///< several hulls that follow the hollows
    simplification    ///< a mesh of fewer triangles
};

/// A method takes its own options and reads no other's.
struct ApproximateOptions {
    MeshApproximation method = MeshApproximation::convex_hull;
    /// Shapes to replace; those that are no mesh are left alone. Unset: every mesh that collides.
    std::optional<std::vector<std::int32_t>> shapes{};
    bool keep_visual_shapes = false;  ///< the mesh stays to be seen, as a shape "<label>_visual" that does not collide
    geometry::HullOptions           hull{};
    geometry::DecompositionOptions  decomposition{};
    geometry::SimplificationOptions simplification{};
};

/// Replaces meshes by simpler shapes. The body keeps its mass. The first part of a decomposition takes the place of the
/// mesh, the others are appended with its settings, world and filters and without mass. To be called before
/// `replicate`, so that copies share the result.
///
/// @param out  GEOMETRY_FALLBACK where a simpler shape had to stand in; MODEL_APPROX_REFUSED for a mesh that is to have
///             a distance field, which only a simplification keeps; GEOMETRY_FIT_EMPTY for a mesh that nothing fits
/// @return the shapes that were replaced, ascending
std::vector<std::int32_t> approximate_meshes(ModelBuilder& builder, const ApproximateOptions& options,
                                             Diagnostics& out);

}  // namespace mechane::model
