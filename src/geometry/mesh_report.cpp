#include "mechane/geometry/mesh_report.h"

#include <algorithm>
#include <vector>

#include "mechane/geometry/bvh.h"
#include "mechane/geometry/components.h"

namespace mechane::geometry {

namespace {

constexpr std::size_t kMostCounted = 1000;

/// Six times the volume of a tetrahedron.
double volume6(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d)
{ return dot(b - a, cross(c - a, d - a)); }

/// The segment goes through the inside of the triangle; touching does not count.
bool pierces(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b, const Vec3d& c)
{
    const double from = volume6(a, b, c, p), to = volume6(a, b, c, q);
    if (!(from * to < 0)) return false;
    const double u = volume6(p, q, a, b), v = volume6(p, q, b, c), w = volume6(p, q, c, a);
    return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

std::size_t count_self_intersections(const Mesh& mesh)
{
    std::vector<Aabbd> boxes;
    const auto         corner = [&](std::size_t t, std::size_t i) -> const Vec3d& {
        return mesh.points[static_cast<std::size_t>(mesh.triangles[t][i % 3])];
    };
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        boxes.push_back(
            {min(corner(t, 0), min(corner(t, 1), corner(t, 2))), max(corner(t, 0), max(corner(t, 1), corner(t, 2)))});
    const Bvh   bvh(boxes);
    std::size_t count = 0;
    for (std::size_t t = 0; t < mesh.triangles.size() && count < kMostCounted; ++t)
        bvh.for_each_overlap(boxes[t], [&](std::int32_t other) {
            const auto k = static_cast<std::size_t>(other);
            if (k <= t) return;
            for (const std::int32_t v : mesh.triangles[t])
                if (std::count(mesh.triangles[k].begin(), mesh.triangles[k].end(), v) > 0) return;
            bool meet = false;
            for (std::size_t i = 0; i < 3; ++i)
                meet = meet || pierces(corner(t, i), corner(t, i + 1), corner(k, 0), corner(k, 1), corner(k, 2)) ||
                       pierces(corner(k, i), corner(k, i + 1), corner(t, 0), corner(t, 1), corner(t, 2));
            count += meet ? 1 : 0;
        });
    return std::min(count, kMostCounted);
}

}  // namespace

MeshReport inspect_mesh(const Mesh& mesh)
{
    const Mesh whole = welded(mesh);
    MeshReport out;
    out.points             = mesh.points.size();
    out.triangles          = mesh.triangles.size();
    out.components         = connected_components(whole).size();
    out.faults             = find_faults(whole);
    out.self_intersections = count_self_intersections(whole);
    for (const auto& t : whole.triangles) {
        const Vec3d &a = whole.points[static_cast<std::size_t>(t[0])],
                    &b = whole.points[static_cast<std::size_t>(t[1])],
                    &c = whole.points[static_cast<std::size_t>(t[2])];
        out.area += 0.5 * length(cross(b - a, c - a));
        // About a point of the mesh: far from the origin the terms would cancel badly.
        out.volume += volume6(whole.points.front(), a, b, c) / 6;
    }
    if (out.faults.winding_edges > 0)
        out.orientation = Orientation::mixed;
    else if (out.watertight())
        out.orientation = out.volume < 0 ? Orientation::inward : Orientation::outward;
    return out;
}

}  // namespace mechane::geometry
