// What the types of shapes mean: which sizes collide, bounds, radius, masses. Sizes in the shape's frame: radius, half
// height along z, half extents [m].
// A cylinder's third number is the radius of curvature of its barrel, 0 for straight.

#include "mechane/model/shape_table.h"

#include <algorithm>

namespace mechane::model {

namespace {

using geometry::Aabbd;
using geometry::MassProperties;

constexpr double kInfinitePlaneRadius = 1e6;

/// Without a size in one direction a plane is a strip, which has no bound either.
bool is_infinite_plane(const Vec3d& s) { return s.x == 0 || s.y == 0; }

Aabbd symmetric(const Vec3d& half) { return {-half, half}; }

bool has_geometry(const geometry::Mesh* mesh) { return mesh != nullptr && !mesh->triangles.empty(); }

/// Radius of a barrel's bulge at half height: the arc's sagitta.
double barrel_bulge(double half_height, double barrel)
{
    if (!(barrel >= half_height) || barrel <= 0) return 0;
    // h^2/(R + sqrt(R^2 - h^2)) = R - sqrt(R^2 - h^2), without cancellation.
    return half_height * half_height / (barrel + std::sqrt(barrel * barrel - half_height * half_height));
}

}  // namespace

Vec3d absorb_signs(GeoType type, const Vec3d& s)
{
    switch (type) {
        case GeoType::plane:
        case GeoType::sphere:
        case GeoType::capsule:
        case GeoType::ellipsoid:
        case GeoType::cylinder:
        case GeoType::box:
            return abs(s);
        case GeoType::cone:
            return {std::abs(s.x), s.y, s.z};  // a negative height would turn it over
        case GeoType::none:
        case GeoType::heightfield:
        case GeoType::mesh:
        case GeoType::convex_mesh:
        case GeoType::gaussian:
            return s;
    }
    return s;
}

bool is_usable(const ShapeGeometry& shape)
{
    const Vec3d s = shape.scale;
    if (!is_finite(s)) return false;
    switch (shape.type) {
        case GeoType::plane:
            return s.x >= 0 && s.y >= 0 && (s.x > 0) == (s.y > 0);  // a strip is no collider
        case GeoType::sphere:
            return s.x > 0;
        case GeoType::capsule:
            return s.x > 0 && s.y >= 0;
        case GeoType::cylinder:
            return s.x > 0 && s.y > 0 && (s.z == 0 || s.z >= s.y);
        case GeoType::cone:
            return s.x > 0 && s.y > 0;
        case GeoType::ellipsoid:
        case GeoType::box:
            return s.x > 0 && s.y > 0 && s.z > 0;
        case GeoType::heightfield:
        case GeoType::mesh:
        case GeoType::convex_mesh:
            return has_geometry(shape.source) && geometry::has_valid_indices(*shape.source) &&
                   geometry::is_finite(*shape.source) && s.x != 0 && s.y != 0 && s.z != 0;
        case GeoType::none:
        case GeoType::gaussian:
            return false;
    }
    return false;
}

Aabbd local_bounds(const ShapeGeometry& shape)
{
    const Vec3d s = shape.scale;
    switch (shape.type) {
        case GeoType::plane:
            return is_infinite_plane(s) ? symmetric({1, 1, 1}) : symmetric({s.x / 2, s.y / 2, 0});
        case GeoType::sphere:
            return symmetric({s.x, s.x, s.x});
        case GeoType::capsule:
            return symmetric({s.x, s.x, s.x + s.y});
        case GeoType::cylinder: {
            const double r = s.x + barrel_bulge(s.y, s.z);
            return symmetric({r, r, s.y});
        }
        case GeoType::cone:
            return symmetric({s.x, s.x, s.y});
        case GeoType::ellipsoid:
        case GeoType::box:
            return symmetric(s);
        case GeoType::heightfield:
        case GeoType::mesh:
        case GeoType::convex_mesh: {
            if (!has_geometry(shape.source)) return symmetric({1, 1, 1});
            const Aabbd raw = geometry::bounds(*shape.source);
            const Vec3d a = scale(s, raw.lower), b = scale(s, raw.upper);  // a mirrored axis swaps its ends
            return {min(a, b), max(a, b)};
        }
        case GeoType::none:
        case GeoType::gaussian:
            break;
    }
    return symmetric({1, 1, 1});
}

double collision_radius(const ShapeGeometry& shape)
{
    const Vec3d s = shape.scale;
    switch (shape.type) {
        case GeoType::plane:
            return is_infinite_plane(s) ? kInfinitePlaneRadius : length(Vec3d{s.x / 2, s.y / 2, 0});
        case GeoType::sphere:
            return s.x;
        case GeoType::capsule:
        case GeoType::cone:
            return s.x + s.y;
        case GeoType::cylinder:
            return s.x + barrel_bulge(s.y, s.z) + s.y;
        case GeoType::ellipsoid:
            return max_component(s);
        case GeoType::box:
            return length(s);
        case GeoType::none:
        case GeoType::heightfield:
        case GeoType::mesh:
        case GeoType::convex_mesh:
        case GeoType::gaussian:
            break;
    }
    const Aabbd box = local_bounds(shape);
    return 0.5 * length(box.upper - box.lower);
}

MassProperties solid_mass(const ShapeGeometry& shape, double density)
{
    if (density == 0 || !is_usable(shape)) return {};
    const Vec3d s = shape.scale;
    switch (shape.type) {
        case GeoType::sphere:
            return geometry::sphere_mass(s.x, density);
        case GeoType::capsule:
            return geometry::capsule_mass(s.x, s.y, density);
        case GeoType::cylinder:
            return geometry::cylinder_mass(s.x, s.y, density);
        case GeoType::cone:
            return geometry::cone_mass(s.x, s.y, density);
        case GeoType::ellipsoid:
            return geometry::ellipsoid_mass(s, density);
        case GeoType::box:
            return geometry::box_mass(s, density);
        case GeoType::mesh:
        case GeoType::convex_mesh:
            return geometry::mesh_mass(*shape.source, s, density);
        case GeoType::none:
        case GeoType::plane:
        case GeoType::heightfield:
        case GeoType::gaussian:
            break;
    }
    return {};
}

std::optional<MassProperties> shell_mass(const ShapeGeometry& shape, double thickness, double density)
{
    if (density == 0 || thickness == 0 || !is_usable(shape)) return MassProperties{};
    if (!(thickness > 0)) return std::nullopt;
    if (shape.type == GeoType::mesh || shape.type == GeoType::convex_mesh) {
        return geometry::mesh_shell_mass(*shape.source, shape.scale, thickness, density);
    }

    ShapeGeometry inner = shape;
    Vec3d&        s     = inner.scale;
    // The inner solid is the outer one less the wall on each side; planes have no volume.
    s.x -= thickness;
    if (shape.type == GeoType::cylinder || shape.type == GeoType::cone) s.y -= thickness;
    if (shape.type == GeoType::box || shape.type == GeoType::ellipsoid)
        s = shape.scale - Vec3d{thickness, thickness, thickness};
    s.z = shape.type == GeoType::cylinder ? 0 : s.z;
    if (shape.type != GeoType::plane && !is_usable(inner)) return std::nullopt;
    // Mass and inertia of the shell are those of the outer less the inner solid, about one centre.
    return geometry::hollow(solid_mass(shape, density), solid_mass(inner, density));
}

}  // namespace mechane::model
