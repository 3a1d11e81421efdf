#pragma once
#include <span>

#include "mechane/core/result.h"
#include "mechane/geometry/mesh.h"
#include "mechane/math/pose.h"

namespace mechane::geometry {

struct Sphere {
    Vec3d  centre;
    double radius = 0;
};

/// A box in its own frame: its centre at the origin of `pose`, its edges along the axes.
struct OrientedBox {
    Posed pose;
    Vec3d half_extents;
};

/// Smallest sphere around points (Welzl 1991), correct to 1e-12 of their extent. Their order does not matter.
///
/// @error  GEOMETRY_FIT_EMPTY  no points, or one that is not finite
Result<Sphere> bounding_sphere(std::span<const Vec3d> points);

/// A box of small volume around points: one side flush with a face of their hull, a second with one of its edges (the
/// optimum is flush with two edges only, O'Rourke 1985, and a few per cent smaller), or the axis-aligned box where that
/// is no larger. A flat input gets a thickness of 1e-4 of its extent. Of the 24 rotations that describe the box it has
/// the one nearest to identity.
///
/// @error  GEOMETRY_FIT_EMPTY
Result<OrientedBox> bounding_box(std::span<const Vec3d> points);

}  // namespace mechane::geometry
