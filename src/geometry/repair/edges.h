#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "mechane/geometry/mesh.h"

/// The edges of a mesh with the triangles that have them.
namespace mechane::geometry {

using Triangle = std::array<std::int32_t, 3>;

inline std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// A triangle's edge, from its corner `corner` to the next.
struct HalfEdge {
    std::uint64_t key;  ///< smaller point, larger point
    std::int32_t  triangle;
    std::int32_t  corner;
    bool          rises;  ///< it runs from the smaller point to the larger
};

inline std::uint64_t edge_key(std::int32_t a, std::int32_t b)
{ return (static_cast<std::uint64_t>(std::min(a, b)) << 32) | static_cast<std::uint32_t>(std::max(a, b)); }

/// Sorted by edge, then triangle. Triangles have three different corners.
inline std::vector<HalfEdge> half_edges(const std::vector<Triangle>& triangles)
{
    std::vector<HalfEdge> out;
    out.reserve(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (std::int32_t i = 0; i < 3; ++i) {
            const std::int32_t a = triangles[t][at(i)], b = triangles[t][at((i + 1) % 3)];
            out.push_back({edge_key(a, b), static_cast<std::int32_t>(t), i, a < b});
        }
    std::ranges::sort(out, [](const HalfEdge& x, const HalfEdge& y) {
        return x.key != y.key ? x.key < y.key : x.triangle < y.triangle;
    });
    return out;
}

/// Calls `visit(first, last)` for the half edges of each edge.
template <class Visit>
void for_each_edge(const std::vector<HalfEdge>& edges, Visit&& visit)
{
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t end = i + 1;
        while (end < edges.size() && edges[end].key == edges[i].key) ++end;
        visit(edges.data() + i, edges.data() + end);
        i = end;
    }
}

}  // namespace mechane::geometry
