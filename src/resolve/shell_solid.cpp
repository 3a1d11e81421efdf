#include <algorithm>

#include "mechane/geometry/shell_mass.h"
#include "mechane/resolve/mesh_source.h"
#include "solids.h"

namespace mechane::resolve {

namespace {

using physics::ShapeKind;

// The hollow inside: the same shape with every surface moved inwards, except that a capsule keeps its cylinder
// (import-usd 5.7). Nothing when some dimension vanishes.
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
        case ShapeKind::capsule_1:
            collider.radius -= th;
            collider.radius_top = collider.kind == ShapeKind::cone ? 0 : collider.radius_top - th;
            least               = std::min(least, collider.radius);
            if (collider.kind == ShapeKind::capsule_1 || collider.kind == ShapeKind::cylinder_1)
                least = std::min(least, collider.radius_top);
            break;
        case ShapeKind::sphere_points:
            for (physics::SpherePoint& point : collider.points) {
                point.radius -= th;
                least = std::min(least, point.radius);
            }
            break;
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
    const auto hole  = shrunk(collider, thickness);
    if (!outer || !hole) return std::nullopt;
    const auto inner = primitive_solid(*hole);
    return inner ? std::optional(geometry::hollow(*outer, *inner)) : std::nullopt;
}

}  // namespace mechane::resolve
