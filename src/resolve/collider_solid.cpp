// The volume of a collider at unit density: closed forms for primitives, integrals of what collides for meshes.
#include <fmt/format.h>

#include <cmath>

#include "mechane/geometry/components.h"
#include "mechane/geometry/fit.h"
#include "mechane/geometry/hull.h"
#include "mechane/geometry/kept.h"
#include "mechane/geometry/weld.h"
#include "mechane/resolve/codes.h"
#include "mechane/resolve/mass_rules.h"
#include "mechane/resolve/mesh_source.h"
#include "solids.h"

namespace mechane::resolve {

namespace {

using geometry::MassProperties;
using physics::Approximation;
using physics::Collider;

constexpr Vec3d kUnscaled{1, 1, 1};

/// The same limit of corners as the hull that collides has by default.
std::optional<MassProperties> hull_solid(const std::vector<Vec3d>& points)
{
    const auto hull = geometry::kept_hull(points, {.max_vertices = 256});
    if (!hull) return std::nullopt;
    return geometry::mesh_mass(*hull, kUnscaled, 1);
}

double signed_volume(const geometry::Mesh& mesh)
{
    double six = 0;
    for (const auto& t : mesh.triangles) {
        const Vec3d &a = mesh.points[static_cast<std::size_t>(t[0])], &b = mesh.points[static_cast<std::size_t>(t[1])],
                    &c = mesh.points[static_cast<std::size_t>(t[2])];
        // Each triangle and the origin span a tetrahedron; their signed volumes add up to that of a closed mesh.
        six += dot(a, cross(b, c));
    }
    return six / 6;
}

// The mesh itself when it bounds a volume, else its hull.
std::optional<MassProperties> closed_or_hull(const Collider& collider, const geometry::Mesh& mesh, Diagnostics& found)
{
    const geometry::Mesh  closed = without_seams(mesh);
    const geometry::Aabbd box    = geometry::bounds(closed);
    const Vec3d           size   = box.upper - box.lower;
    const MassProperties  solid  = geometry::mesh_mass(closed, kUnscaled, 1);
    // A closed sheet without thickness has a volume of rounding errors only: it is measured against its box.
    if (geometry::is_closed(closed) && solid.mass > 1e-9 * size.x * size.y * size.z) {
        if (signed_volume(closed) < 0)
            found.add(kMeshInverted, collider.prim.site(),
                      fmt::format("the faces of <{}> wind inwards", collider.path.text()));
        return solid;
    }
    found.add(kMeshNotClosed, collider.prim.site(), fmt::format("<{}> is not closed", collider.path.text()));
    return hull_solid(mesh.points);
}

std::optional<MassProperties> mesh_solid(const Collider& collider, bool authored_mesh, Diagnostics& found)
{
    const geometry::Mesh mesh = collider_mesh(collider, authored_mesh, found);
    if (mesh.triangles.empty()) return std::nullopt;
    if (authored_mesh) return geometry::mesh_mass(mesh, kUnscaled, 1);
    switch (collider.approximation) {
        case Approximation::none:
        case Approximation::mesh_simplification:
            return closed_or_hull(collider, mesh, found);
        case Approximation::convex_hull:
            return hull_solid(mesh.points);
        case Approximation::convex_decomposition: {
            // Without the hull set that collides: one hull for each part that hangs together.
            MassProperties sum;
            for (const geometry::Mesh& part : geometry::connected_components(mesh))
                if (const auto solid = hull_solid(part.points)) sum = geometry::combined(sum, *solid);
            return sum;
        }
        case Approximation::bounding_sphere: {
            const auto ball = geometry::bounding_sphere(mesh.points);
            if (!ball) return std::nullopt;
            return geometry::transformed(geometry::sphere_mass(ball->radius, 1), {ball->centre, {}});
        }
        case Approximation::bounding_cube: {
            const auto box = geometry::bounding_box(mesh.points);
            if (!box) return std::nullopt;
            return geometry::transformed(geometry::box_mass(box->half_extents, 1), box->pose);
        }
    }
    return std::nullopt;
}

}  // namespace

geometry::Mesh without_seams(const geometry::Mesh& mesh)
{
    const geometry::Aabbd box    = geometry::bounds(mesh);
    const double          extent = length(box.upper - box.lower);
    // Relative, since the units are the stage's; points are authored as floats of 24 bits.
    return geometry::welded(mesh, std::isfinite(extent) ? 1e-7 * extent : 0);
}

std::optional<MassProperties> primitive_solid(const Collider& collider)
{
    const physics::MassInfo info = physics::primitive_mass_info(collider);
    if (!(info.volume > 0) || !std::isfinite(info.volume)) return std::nullopt;
    return MassProperties{info.volume, info.com, info.inertia};
}

std::optional<MassProperties> collider_solid(const Collider& collider, bool authored_mesh, Diagnostics& found)
{
    if (!collider.valid) return std::nullopt;
    std::optional<MassProperties> solid;
    if (collider.kind == physics::ShapeKind::mesh)
        solid = mesh_solid(collider, authored_mesh, found);
    else if (!collider.sheared_corners.empty())
        solid = hull_solid(collider.sheared_corners);
    else
        solid = primitive_solid(collider);
    if (!solid || !(solid->mass > 0) || !std::isfinite(solid->mass) || !is_finite(solid->com) ||
        !is_finite(solid->inertia))
        return std::nullopt;
    return solid;
}

physics::MassInfo mass_info(const Collider& collider, bool authored_mesh, Diagnostics& found)
{
    physics::MassInfo info;
    info.X_BS = collider.X_BS;
    if (const auto solid = collider_solid(collider, authored_mesh, found)) {
        info.volume  = solid->mass;
        info.com     = solid->com;
        info.inertia = solid->inertia;
    }
    // Taken as it is authored, what encloses nothing has the volume zero; that is known.
    else if (authored_mesh)
        info.volume = 0;
    return info;
}

}  // namespace mechane::resolve
