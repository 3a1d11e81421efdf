// Questions about a mesh that many callers ask: bounds, valid indices, finite points, closedness.

#include "mechane/geometry/mesh.h"

#include <algorithm>
#include <utility>

namespace mechane::geometry {

Aabbd bounds(const Mesh& mesh)
{
    Aabbd box;
    for (const Vec3d& p : mesh.points) {
        box.lower = min(box.lower, p);
        box.upper = max(box.upper, p);
    }
    return box;
}

bool has_valid_indices(const Mesh& mesh)
{
    const std::int64_t n = std::ssize(mesh.points);
    return std::ranges::all_of(mesh.triangles, [n](const auto& t) {
        return std::ranges::all_of(t, [n](std::int32_t i) { return i >= 0 && i < n; });
    });
}

bool is_finite(const Mesh& mesh)
{
    return std::ranges::all_of(mesh.points, [](const Vec3d& p) { return mechane::is_finite(p); });
}

/// Every directed edge occurs once, and so does its reverse: closed, consistently wound, and a manifold along edges.
bool is_closed(const Mesh& mesh)
{
    if (mesh.triangles.empty()) return false;
    using Edge = std::pair<std::int32_t, std::int32_t>;
    std::vector<Edge> edges, opposites;
    edges.reserve(3 * mesh.triangles.size());
    opposites.reserve(3 * mesh.triangles.size());
    for (const auto& t : mesh.triangles)
        for (std::size_t i = 0; i < 3; ++i) {
            const std::int32_t a = t[i], b = t[(i + 1) % 3];
            if (a == b) return false;
            edges.emplace_back(a, b);
            opposites.emplace_back(b, a);
        }
    std::ranges::sort(edges);
    if (std::ranges::adjacent_find(edges) != edges.end()) return false;
    std::ranges::sort(opposites);
    return edges == opposites;
}

}  // namespace mechane::geometry
