// Welding of points, and counting of faults of a mesh's edges. Welding is transitive: chains of close points become one
// point, the one with the lowest index.

#include "mechane/geometry/weld.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "mechane/core/disjoint_sets.h"

namespace mechane::geometry {

std::vector<std::int32_t> first_at_place(std::span<const Vec3d> points, double tolerance)
{
    std::vector<std::int32_t> order(points.size());
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](std::int32_t i) -> const Vec3d& { return points[static_cast<std::size_t>(i)]; };
    std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
        return std::tuple(at(a).x, at(a).y, at(a).z, a) < std::tuple(at(b).x, at(b).y, at(b).z, b);
    });
    // Sweeping along x, only points within the tolerance behind can be close; quadratic only where many share one x.
    DisjointSets<std::int32_t> places(points.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        for (std::size_t behind = k; behind-- > 0 && at(order[k]).x - at(order[behind]).x <= tolerance;)
            if (length(at(order[k]) - at(order[behind])) <= tolerance) places.join(order[k], order[behind]);
    std::vector<std::int32_t> first(points.size());
    for (std::int32_t i = 0; i < std::ssize(points); ++i) first[static_cast<std::size_t>(i)] = places.find(i);
    return first;
}

Mesh welded(const Mesh& mesh, double tolerance)
{
    const std::vector<std::int32_t> first = first_at_place(mesh.points, tolerance);
    Mesh                            result{.points = {}, .triangles = {}, .is_convex = mesh.is_convex};
    std::vector<std::int32_t>       renumbered(mesh.points.size(), -1);
    for (std::size_t i = 0; i < mesh.points.size(); ++i)
        if (first[i] == static_cast<std::int32_t>(i)) {
            renumbered[i] = static_cast<std::int32_t>(result.points.size());
            result.points.push_back(mesh.points[i]);
        }
    for (auto t : mesh.triangles) {
        for (std::int32_t& i : t) i = renumbered[static_cast<std::size_t>(first[static_cast<std::size_t>(i)])];
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) result.triangles.push_back(t);
    }
    return result;
}

MeshFaults find_faults(const Mesh& mesh)
{
    MeshFaults                                                faults;
    std::vector<std::tuple<std::int32_t, std::int32_t, bool>> edges;  // lower end, upper end, whether it runs upwards
    for (const auto& t : mesh.triangles) {
        const Vec3d &a = mesh.points[static_cast<std::size_t>(t[0])], &b = mesh.points[static_cast<std::size_t>(t[1])],
                    &c = mesh.points[static_cast<std::size_t>(t[2])];
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0] || cross(b - a, c - a) == Vec3d{})
            ++faults.degenerate_triangles;
        for (std::size_t i = 0; i < 3; ++i) {
            const std::int32_t p = t[i], q = t[(i + 1) % 3];
            if (p != q) edges.emplace_back(std::min(p, q), std::max(p, q), p < q);
        }
    }
    std::ranges::sort(edges);
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t end = i, upwards = 0;
        for (; end < edges.size() && std::get<0>(edges[end]) == std::get<0>(edges[i]) &&
               std::get<1>(edges[end]) == std::get<1>(edges[i]);
             ++end)
            upwards += std::get<2>(edges[end]) ? 1u : 0u;
        const std::size_t count = end - i;
        if (count == 1) ++faults.boundary_edges;
        if (count > 2) ++faults.non_manifold_edges;
        if (count == 2 && upwards != 1) ++faults.winding_edges;
        i = end;
    }
    return faults;
}

/// Seams open by 1e-7 of the extent are taken for closed.
bool encloses_volume(const Mesh& mesh)
{
    if (mesh.triangles.empty() || !has_valid_indices(mesh) || !is_finite(mesh)) return false;
    const Aabbd  box    = bounds(mesh);
    const double extent = length(box.upper - box.lower);
    return find_faults(welded(mesh, std::isfinite(extent) ? 1e-7 * extent : 0)).boundary_edges == 0;
}

}  // namespace mechane::geometry
