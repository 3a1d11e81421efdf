#pragma once
#include "mechane/geometry/mesh.h"
#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// The triangles of a mesh, wound right-handedly; faces that are no faces are left out. An animated one as it begins.
geometry::Mesh triangles_of(const usd::Prim& mesh);

/// True when the mesh fills its convex hull, within 1e-3 of the hull's volume: it is closed and has no notch.
bool is_convex_mesh(const usd::Prim& mesh);

}  // namespace mechane::conformance
