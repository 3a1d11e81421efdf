// Meshes of the primitive shapes, with normals and outlines.
// Axes: capsules, cylinders and cones along z with half heights, boxes by half extents, rectangles by full width and
// length [m]. Triangles are counter-clockwise seen from outside.
// Called by build_scene.

#include "tessellation.h"

#include <cmath>

namespace mechane::viewer {
namespace {

constexpr int kAround  = 32;  ///< segments of a full circle
constexpr int kQuarter = 8;   ///< segments from a pole to the equator

Vec3f to_float(const Vec3d& v) { return static_cast<Vec3f>(v); }

std::uint32_t add_vertex(DrawMesh& mesh, const Vec3d& position, const Vec3d& normal)
{
    mesh.positions.push_back(to_float(position));
    mesh.normals.push_back(to_float(normalized(normal, {0, 0, 1})));
    return static_cast<std::uint32_t>(mesh.positions.size() - 1);
}

/// One circle of a surface of revolution about z: radius, height, and the slope of the normal there.
struct Ring {
    double radius, z, normal_radial, normal_z;
    bool   outline   = false;  ///< drawn as a line
    bool   meridians = true;   ///< joined to the ring before by four lines
};

/// A surface of revolution through the rings, from the top down; every ring has a seam vertex of its own at both ends.
/// Normals of a stretched surface are divided by the stretch, which keeps them perpendicular (the inverse transpose).
void add_revolution(DrawMesh& mesh, const std::vector<Ring>& rings, const Vec3d& stretch = {1, 1, 1})
{
    const auto base = static_cast<std::uint32_t>(mesh.positions.size());
    for (const Ring& ring : rings)
        for (int i = 0; i <= kAround; ++i) {
            const double a = 2 * kPi * (i % kAround) / kAround, c = std::cos(a), s = std::sin(a);
            add_vertex(
                mesh, scale(stretch, {ring.radius * c, ring.radius * s, ring.z}),
                {ring.normal_radial * c / stretch.x, ring.normal_radial * s / stretch.y, ring.normal_z / stretch.z});
        }
    const auto at = [&](std::size_t ring, int i) {
        return base + static_cast<std::uint32_t>(ring) * (kAround + 1) + static_cast<std::uint32_t>(i);
    };
    for (std::size_t r = 0; r < rings.size(); ++r)
        for (int i = 0; i < kAround; ++i) {
            if (rings[r].outline) mesh.lines.push_back({at(r, i), at(r, i + 1)});
            if (r == 0) continue;
            if (rings[r].meridians && i % (kAround / 4) == 0) mesh.lines.push_back({at(r - 1, i), at(r, i)});
            // At a pole one of the two triangles has no area and is left out.
            if (rings[r - 1].radius > 0) mesh.triangles.push_back({at(r - 1, i), at(r, i), at(r - 1, i + 1)});
            if (rings[r].radius > 0) mesh.triangles.push_back({at(r - 1, i + 1), at(r, i), at(r, i + 1)});
        }
}

/// Rings of a sphere of this radius between two angles from the pole, its centre at height z.
void add_arc(std::vector<Ring>& rings, double radius, double z, double from, double to, int segments)
{
    for (int i = 0; i <= segments; ++i) {
        const double a = from + (to - from) * i / segments;
        // The poles are exact points, so that their triangles can be left out.
        const double s = std::abs(std::sin(a)) < 1e-12 ? 0 : std::sin(a);
        rings.push_back({radius * s, z + radius * std::cos(a), s, std::cos(a), std::abs(a - kPi / 2) < 1e-9, i > 0});
    }
}

/// A flat disc at height z that looks up or down.
void add_disc(DrawMesh& mesh, double radius, double z, double direction)
{
    const Vec3d normal{0, 0, direction};
    const auto  centre = add_vertex(mesh, {0, 0, z}, normal);
    for (int i = 0; i < kAround; ++i) {
        const double a = 2 * kPi * i / kAround;
        add_vertex(mesh, {radius * std::cos(a), radius * std::sin(a), z}, normal);
    }
    for (std::uint32_t i = 0; i < kAround; ++i) {
        const std::uint32_t a = centre + 1 + i, b = centre + 1 + (i + 1) % kAround;
        if (direction > 0)
            mesh.triangles.push_back({centre, a, b});
        else
            mesh.triangles.push_back({centre, b, a});
    }
}

}  // namespace

DrawMesh tessellate_box(const Vec3d& h)
{
    DrawMesh mesh;
    for (int axis = 0; axis < 3; ++axis)
        for (const double side : {1.0, -1.0}) {
            const Vec3d n = side * axis_vector<double>(axis), u = axis_vector<double>((axis + 1) % 3), v = cross(n, u);
            const auto  base = static_cast<std::uint32_t>(mesh.positions.size());
            for (const auto& [a, b] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}})
                add_vertex(mesh, scale(h, n + a * u + b * v), n);
            mesh.triangles.push_back({base, base + 1, base + 2});
            mesh.triangles.push_back({base, base + 2, base + 3});
            for (std::uint32_t i = 0; i < 4; ++i) mesh.lines.push_back({base + i, base + (i + 1) % 4});
        }
    return mesh;
}

DrawMesh tessellate_ellipsoid(const Vec3d& semi_axes)
{
    DrawMesh          mesh;
    std::vector<Ring> rings;
    add_arc(rings, 1, 0, 0, kPi, 2 * kQuarter);
    add_revolution(mesh, rings, semi_axes);
    return mesh;
}

DrawMesh tessellate_capsule(double radius, double half_height)
{
    DrawMesh          mesh;
    std::vector<Ring> rings;
    add_arc(rings, radius, half_height, 0, kPi / 2, kQuarter);
    const std::size_t lower = rings.size();
    add_arc(rings, radius, -half_height, kPi / 2, kPi, kQuarter);
    rings[lower].meridians = true;
    add_revolution(mesh, rings);
    return mesh;
}

DrawMesh tessellate_cylinder(double radius, double half_height)
{
    DrawMesh mesh;
    add_revolution(mesh, {{radius, half_height, 1, 0, true}, {radius, -half_height, 1, 0, true}});
    add_disc(mesh, radius, half_height, 1);
    add_disc(mesh, radius, -half_height, -1);
    return mesh;
}

DrawMesh tessellate_cone(double radius, double half_height)
{
    DrawMesh mesh;
    // The slope's normal is perpendicular to (radius, -2 half_height).
    add_revolution(mesh,
                   {{0, half_height, 2 * half_height, radius}, {radius, -half_height, 2 * half_height, radius, true}});
    add_disc(mesh, radius, -half_height, -1);
    return mesh;
}

DrawMesh tessellate_rectangle(double width, double length)
{
    DrawMesh     mesh;
    const double x = width / 2, y = length / 2;
    for (const Vec3d& p : {Vec3d{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}}) add_vertex(mesh, p, {0, 0, 1});
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.lines     = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    return mesh;
}

}  // namespace mechane::viewer
