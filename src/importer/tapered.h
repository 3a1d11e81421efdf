#pragma once
#include <vector>

#include "mechane/math/vec.h"
#include "mechane/physics/types.h"

namespace mechane::importer {

/// Points whose hull is a Cylinder_1 or a Capsule_1 about the origin, in the unit of its sizes: of the two rims, whose
/// radii the schema gives, and of the caps that go on from them without an edge (physics::capsule_cap).
std::vector<Vec3d> tapered_points(bool capsule, double bottom, double top, double half_height, physics::Axis axis);

}  // namespace mechane::importer
