#pragma once
#include "mechane/core/diagnostic.h"
#include "mechane/geometry/mesh.h"
#include "mechane/geometry/triangulation.h"
#include "mechane/physics/types.h"

namespace mechane::resolve {

/// Points and triangles of a UsdGeomMesh as authored at the default time (earliest sample if there is no default), in
/// face order, with the face of each triangle; `leftHanded` orientation flips them, hole faces are left out. No scale
/// is applied. Empty when there are no data. Faces that give no triangles are dropped with MESH_FACE_INVALID.
/// @param plain_fan  every face as (0, i, i+1), convex or not, hole or not, as Newton 1.8 does
geometry::Triangulation read_polygons(const usd::Prim& prim, bool plain_fan, Diagnostics& found);
/// The mesh alone.
geometry::Mesh read_mesh(const usd::Prim& prim, bool plain_fan, Diagnostics& found);

/// The mesh of a mesh collider in its shape frame: read_mesh with scale (or shear) applied, wound outwards also where
/// it mirrors. In stage units.
geometry::Mesh collider_mesh(const physics::Collider& collider, bool plain_fan, Diagnostics& found);

}  // namespace mechane::resolve
