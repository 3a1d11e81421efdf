#pragma once
#include "import.h"

namespace mechane::importer {

/// The collision geometry of a mesh collider by its approximation, in stage units; several parts for a convex
/// decomposition. A failure falls back: pieces, hull, box (IMPORT_APPROX_FALLBACK). Computed once for each collider.
const std::vector<CollisionPart>& approximate(Import& run, const physics::Collider& collider, const MeshData& data);

/// Reads the mesh of every collider and approximates it, on all threads; `approximate` then has the parts at hand.
void prepare_approximations(Import& run);

/// The approximation that holds for a collider: none where options, an SDF or a disabled collider rule it out.
physics::Approximation approximation_of(const Import& run, const physics::Collider& collider);

}  // namespace mechane::importer
