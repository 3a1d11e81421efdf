#pragma once
#include "mechane/core/diagnostic.h"
#include "mechane/geometry/mesh.h"
#include "mechane/physics/types.h"

namespace mechane::resolve {

/// Points and faces of a UsdGeomMesh as authored at the default time (earliest sample if there is no default), fanned into
/// triangles (0, i, i+1) in face order; `leftHanded` orientation flips them. No scale is applied. Empty when there are no data.
/// Invalid faces are dropped with MESH_FACE_INVALID.
geometry::Mesh read_mesh(const usd::Prim& prim, Diagnostics& found);

/// The mesh of a mesh collider in its shape frame: read_mesh with scale (or shear) applied, wound outwards also where it mirrors.
/// In stage units.
geometry::Mesh collider_mesh(const physics::Collider& collider, Diagnostics& found);

}  // namespace mechane::resolve
