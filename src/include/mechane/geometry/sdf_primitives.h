#pragma once
#include <algorithm>
#include <cmath>

#include "mechane/math/vec.h"

/// Signed distances of primitives at the origin in closed form, negative inside; all lengths [m]. Axes of revolution
/// lie along z. The ellipsoid's has no closed form: `collision::nearest_point` gives it.
namespace mechane::geometry {

inline double sdf_sphere(const Vec3d& p, double radius) { return length(p) - radius; }

inline double sdf_box(const Vec3d& p, const Vec3d& half)
{
    const Vec3d q = abs(p) - half;
    return length(max(q, Vec3d{})) + std::min(0.0, max_component(q));
}

inline double sdf_capsule(const Vec3d& p, double radius, double half_height)
{ return length(Vec3d{p.x, p.y, p.z - std::clamp(p.z, -half_height, half_height)}) - radius; }

inline double sdf_cylinder(const Vec3d& p, double radius, double half_height)
{
    const double r = std::hypot(p.x, p.y) - radius, z = std::abs(p.z) - half_height;
    return std::hypot(std::max(r, 0.0), std::max(z, 0.0)) + std::min(0.0, std::max(r, z));
}

/// Apex at +half_height, base of the given radius at -half_height.
inline double sdf_cone(const Vec3d& p, double radius, double half_height)
{
    const double r = std::hypot(p.x, p.y), h = 2 * half_height, z = p.z + half_height;
    // In the half plane (r, z) the outline is the base from (0, 0) to (radius, 0) and the side from there to (0, h).
    const double t      = std::clamp(((radius - r) * radius + z * h) / (radius * radius + h * h), 0.0, 1.0);
    const double side   = std::hypot(r - (1 - t) * radius, z - t * h);
    const double base   = std::hypot(std::max(r - radius, 0.0), z);
    const bool   inside = z >= 0 && h * r + radius * z <= radius * h;
    return inside ? -std::min(side, base) : std::min(side, base);
}

/// The half space z < 0 is solid.
inline double sdf_plane(const Vec3d& p) { return p.z; }

}  // namespace mechane::geometry
