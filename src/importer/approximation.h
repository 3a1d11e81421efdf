#pragma once
#include "import.h"

namespace mechane::importer {

/// What a mesh collider collides as, in its shape frame without the mesh scale.
struct CollisionPart {
    model::GeoType                        type = model::GeoType::mesh;
    std::shared_ptr<const geometry::Mesh> source;  ///< mesh, convex mesh
    Posed                                 X_SP;    ///< the part in the shape frame [authored unit times mesh scale]
    Vec3d                                 scale{1, 1, 1};
};

/// The collision geometry of a mesh collider by its approximation, in stage units; several parts for a convex decomposition.
/// A failure falls back: pieces, hull, box (W_APPROX_FALLBACK).
std::vector<CollisionPart> approximate(Import& run, const physics::Collider& collider, const MeshData& data, physics::Approximation method);

/// The approximation that holds for a collider: none where options, an SDF or a disabled collider rule it out.
physics::Approximation approximation_of(const Import& run, const physics::Collider& collider);

}  // namespace mechane::importer
