// Parts of a mesh that hang together by points at exactly the same place or by triangles; each becomes a mesh of its
// own.
// Order: parts by their first triangle, points and triangles in the order of the source.

#include "mechane/geometry/components.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "mechane/core/disjoint_sets.h"

namespace mechane::geometry {

namespace {

using Sets = DisjointSets<>;

void join_coincident(const std::vector<Vec3d>& points, Sets& sets)
{
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&](std::size_t i) { return std::tie(points[i].x, points[i].y, points[i].z); };
    std::ranges::sort(order,
                      [&](std::size_t a, std::size_t b) { return key(a) < key(b) || (key(a) == key(b) && a < b); });
    for (std::size_t k = 1; k < order.size(); ++k)
        if (points[order[k - 1]] == points[order[k]]) sets.join(order[k - 1], order[k]);
}

}  // namespace

std::vector<Mesh> connected_components(const Mesh& mesh)
{
    Sets sets(mesh.points.size());
    join_coincident(mesh.points, sets);
    for (const auto& t : mesh.triangles) {
        sets.join(static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[1]));
        sets.join(static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[2]));
    }

    constexpr std::int32_t    kNone = -1;
    std::vector<std::int32_t> part_of(mesh.points.size(), kNone);  // by representative
    std::vector<Mesh>         parts;
    for (const auto& t : mesh.triangles) {
        std::int32_t& part = part_of[sets.find(static_cast<std::size_t>(t[0]))];
        if (part == kNone) {
            part = static_cast<std::int32_t>(parts.size());
            parts.emplace_back();
        }
        parts[static_cast<std::size_t>(part)].triangles.push_back(t);
    }
    std::vector<std::int32_t> renumbered(mesh.points.size(), kNone);
    for (Mesh& part : parts) {
        std::vector<std::int32_t> used;
        for (const auto& t : part.triangles) used.insert(used.end(), t.begin(), t.end());
        std::ranges::sort(used);
        used.erase(std::ranges::unique(used).begin(), used.end());
        for (const std::int32_t i : used) {
            renumbered[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(part.points.size());
            part.points.push_back(mesh.points[static_cast<std::size_t>(i)]);
        }
        for (auto& t : part.triangles)
            for (std::int32_t& i : t) i = renumbered[static_cast<std::size_t>(i)];
    }
    return parts;
}

}  // namespace mechane::geometry
