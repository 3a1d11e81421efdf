#pragma once
#include <utility>

#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

/// The parts of a mesh on both sides of a plane: below (dot(normal, p) < offset), then above. Triangles that cross are
/// split; the cuts stay open. Points shared in the mesh are shared in the parts.
std::pair<Mesh, Mesh> cut(const Mesh& mesh, const Vec3d& normal, double offset);

}  // namespace mechane::geometry
