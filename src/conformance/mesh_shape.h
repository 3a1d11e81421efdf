#pragma once
#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// True when every point of the mesh lies on its convex hull, within 1e-3 of the hull's extent.
bool is_convex_mesh(const usd::Prim& mesh);

}  // namespace mechane::conformance
