// A report of what a mesh is and what is wrong with it: faults, components, area, volume, orientation,
// self-intersections. Used by `mechane mesh`.

#include "mechane/geometry/mesh_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "mechane/geometry/bvh.h"
#include "mechane/geometry/components.h"

namespace mechane::geometry {

namespace {

constexpr std::size_t kMostCounted = 1000;

/// Six times the volume of a tetrahedron.
double volume6(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d)
{ return dot(b - a, cross(c - a, d - a)); }

using Corners = std::array<Vec3d, 3>;

/// The part of the line along `along`, in which the planes of two triangles meet, that lies in one of them: from the
/// heights of its corners over the plane of the other, which are of both signs.
std::array<double, 2> part_of_line(const Corners& triangle, const std::array<double, 3>& heights, const Vec3d& along)
{
    std::array<double, 2> part{kInfinity, -kInfinity};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t k = (i + 1) % 3;
        if ((heights[i] < 0) == (heights[k] < 0) && heights[i] != 0) continue;
        if (heights[i] == heights[k]) continue;
        const double at =
            dot(along, triangle[i] + (heights[i] / (heights[i] - heights[k])) * (triangle[k] - triangle[i]));
        part = {std::min(part[0], at), std::max(part[1], at)};
    }
    return part;
}

/// The insides of two triangles have more than a point in common (Moeller 1997). To touch, with a corner, an edge or
/// the whole face, is not to cross; nor is it where two edges do no more than cross each other.
bool cross_each_other(const Corners& a, const Corners& b)
{
    const Vec3d n_a = cross(a[1] - a[0], a[2] - a[0]), n_b = cross(b[1] - b[0], b[2] - b[0]);
    double      size = 0;
    for (std::size_t i = 0; i < 3; ++i)
        size = std::max({size, length(a[i] - a[(i + 1) % 3]), length(b[i] - b[(i + 1) % 3])});
    // Points are stored in single precision: what is nearer to a plane than that lies in it.
    const auto height = [&](const Vec3d& n, const Vec3d& from) {
        const double h = dot(n, from);
        return std::abs(h) <= 1e-6 * size * length(n) ? 0 : h;
    };
    std::array<double, 3> of_a{}, of_b{};
    for (std::size_t i = 0; i < 3; ++i) {
        of_a[i] = height(n_b, a[i] - b[0]);
        of_b[i] = height(n_a, b[i] - a[0]);
    }
    const auto both_sides = [](const std::array<double, 3>& heights) {
        const auto [least, most] = std::minmax_element(heights.begin(), heights.end());
        return *least < 0 && *most > 0;
    };
    if (!both_sides(of_a) || !both_sides(of_b)) return false;
    const Vec3d line = cross(n_a, n_b);
    const auto  in_a = part_of_line(a, of_a, line), in_b = part_of_line(b, of_b, line);
    // Rounding makes a point a short piece.
    const double least = 1e-9 * std::min(in_a[1] - in_a[0], in_b[1] - in_b[0]);
    return std::min(in_a[1], in_b[1]) - std::max(in_a[0], in_b[0]) > least;
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
            // Neighbours share a corner and always touch.
            for (const std::int32_t v : mesh.triangles[t])
                if (std::count(mesh.triangles[k].begin(), mesh.triangles[k].end(), v) > 0) return;
            const auto corners = [&](std::size_t i) { return Corners{corner(i, 0), corner(i, 1), corner(i, 2)}; };
            count += cross_each_other(corners(t), corners(k)) ? 1 : 0;
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
