#pragma once
#include <vector>

#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

/// The parts of a mesh that share no point, in the order of their first triangle. Points at the same position count as
/// one, since exporters split them along creases. Each part holds only the points that it uses, in their old order.
std::vector<Mesh> connected_components(const Mesh& mesh);

}  // namespace mechane::geometry
