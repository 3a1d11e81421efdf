// Mass properties of hollow shapes at unit density: the outer solid minus a smaller one inside.
// `thickness` is in the stage's unit. Nothing comes back where the wall fills the shape; the caller takes it as solid
// then.

#include <algorithm>
#include <cmath>

#include "mechane/geometry/shell_mass.h"
#include "mechane/physics/solid_size.h"
#include "mechane/resolve/mesh_source.h"
#include "solids.h"

namespace mechane::resolve {

namespace {

using physics::ShapeKind;

// The hollow inside a cone whose walls have this thickness along their normals: the base moves inwards by it, the tip
// by it over the sine of the half angle, which stays.
std::optional<geometry::MassProperties> inside_cone(physics::Collider collider, double th)
{
    const double h = 2 * collider.half_height, side = std::hypot(collider.radius, h);
    const double height = h - th * (1 + side / collider.radius);  // sine of the half angle: radius / side
    if (!(height > 0)) return std::nullopt;
    collider.radius *= height / h;
    collider.half_height = height / 2;
    auto         inside  = primitive_solid(collider);
    const double middle  = -h / 2 + th + height / 2;  // between the inner base and the inner tip
    if (inside) inside->com += middle * physics::unit_vector(collider.axis);
    return inside;
}

// Likewise inside a cylinder of two radii: ends move by the thickness, walls by it along their normal.
std::optional<geometry::MassProperties> inside_frustum(physics::Collider collider, double th)
{
    const double h = 2 * collider.half_height, taper = (collider.radius - collider.radius_top) / h;
    // A wall at an angle moves by th / cos(angle) along the radius, and cos(angle) = 1 / sqrt(1 + taper^2).
    const double inwards = th * std::sqrt(1 + taper * taper);  // in the direction of the radius
    // The ends move as well, to where the wall has another radius.
    collider.radius -= taper * th + inwards;
    collider.radius_top -= inwards - taper * th;
    collider.half_height -= th;
    if (!(std::min({collider.radius, collider.radius_top, collider.half_height}) > 0)) return std::nullopt;
    return primitive_solid(collider);
}

// Inside a capsule of two radii: balls about the same centres, less the thickness. Their rims lie nearer the middle at
// the wider end and farther at the other, by the same length.
std::optional<geometry::MassProperties> inside_capsule(physics::Collider collider, double th)
{
    const double rise    = physics::capsule_cap(collider.radius_top, collider.radius, collider.half_height).rise;
    const double inwards = th * std::sqrt(1 - rise * rise);
    collider.radius -= inwards, collider.radius_top -= inwards;
    if (!(std::min(collider.radius, collider.radius_top) > 0)) return std::nullopt;
    auto solid = primitive_solid(collider);
    if (solid) solid->com -= th * rise * physics::unit_vector(collider.axis);
    return solid;
}

// The hollow inside: the same shape with every surface moved inwards, except that a capsule keeps its cylinder;
// Newton's cone shrinks as a cylinder does. Nothing when some dimension vanishes.
std::optional<physics::Collider> shrunk(physics::Collider collider, double th)
{
    double least = kInfinity;
    switch (collider.kind) {
        case ShapeKind::cube:
            collider.half_extents -= Vec3d{th, th, th};
            least = std::min({collider.half_extents.x, collider.half_extents.y, collider.half_extents.z});
            break;
        case ShapeKind::cylinder:
        case ShapeKind::cylinder_1:
        case ShapeKind::cone:
            collider.half_height -= th;
            least = collider.half_height;
            [[fallthrough]];
        case ShapeKind::sphere:
        case ShapeKind::capsule:
            collider.radius -= th;
            collider.radius_top = collider.kind == ShapeKind::cone ? 0 : collider.radius_top - th;
            least               = std::min(least, collider.radius);
            if (collider.kind == ShapeKind::cylinder_1) least = std::min(least, collider.radius_top);
            break;
        case ShapeKind::sphere_points:
            for (physics::SpherePoint& point : collider.points) {
                point.radius -= th;
                least = std::min(least, point.radius);
            }
            break;
        case ShapeKind::capsule_1:  // inside_capsule
        case ShapeKind::plane:
        case ShapeKind::mesh:
        case ShapeKind::custom:
            return std::nullopt;
    }
    return least > 0 ? std::optional<physics::Collider>(std::move(collider)) : std::nullopt;
}

}  // namespace

std::optional<geometry::MassProperties> shell_solid(const physics::Collider& collider, double thickness,
                                                    bool centred_wall, Diagnostics& found)
{
    if (collider.kind == ShapeKind::mesh) {
        const geometry::Mesh mesh = collider_mesh(collider, centred_wall, found);
        if (centred_wall) return geometry::mesh_shell_mass(mesh, {1, 1, 1}, thickness, 1);
        return geometry::inward_shell_mass(without_seams(mesh), thickness, 1);
    }
    const auto outer = primitive_solid(collider);
    if (!outer) return std::nullopt;
    const auto inner = [&]() -> std::optional<geometry::MassProperties> {
        if (collider.kind == ShapeKind::cone && !centred_wall) return inside_cone(collider, thickness);
        if (collider.kind == ShapeKind::cylinder_1 && !centred_wall) return inside_frustum(collider, thickness);
        if (collider.kind == ShapeKind::capsule_1) return inside_capsule(collider, thickness);
        const auto hole = shrunk(collider, thickness);
        return hole ? primitive_solid(*hole) : std::nullopt;
    }();
    return inner ? std::optional(geometry::hollow(*outer, *inner)) : std::nullopt;
}

}  // namespace mechane::resolve
