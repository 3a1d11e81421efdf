#pragma once
#include <array>
#include <cstdint>

#include "mechane/geometry/mesh.h"
#include "mechane/geometry/sdf.h"

namespace mechane::geometry {

/// The triangles of one cell of a level surface (Lorensen, Cline 1987). Corner i of the cell lies at
/// (i & 1, i >> 1 & 1, i >> 2 & 1); edge e joins `kCellEdges[e]`.
struct CellTriangles {
    static constexpr int                                                    kMost = 8;
    std::int8_t                                                             count = 0;
    std::array<std::array<std::int8_t, 3>, static_cast<std::size_t>(kMost)> edges{};
};
inline constexpr std::array<std::array<std::int8_t, 2>, 12> kCellEdges{
    {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};

/// Triangles for the set of corners with a negative value, bit i for corner i. They face the positive side. On a face
/// with two negative corners across from each other these stay apart, a rule that both cells beside the face follow, so
/// that the surface of a whole grid has no holes.
const CellTriangles& cell_triangles(std::uint8_t negative);

/// Where a level lies on an edge between two values of different sign, 0..1, kept `clamp` away from both ends.
inline double crossing(double from, double to, double clamp)
{
    const double t = from / (from - to);
    return t < clamp ? clamp : t > 1 - clamp ? 1 - clamp : t;
}

/// The surface on which a field has the value `iso` [m], at the field's resolution; cells outside of the band in steps
/// of 8. Closed where it does not leave the box, wound towards larger values.
Mesh extract_isomesh(const Sdf& sdf, double iso = 0);

/// A shape's surface moved outwards by `offset` [m], from its field.
inline Mesh compute_offset_mesh(const Sdf& sdf, double offset) { return extract_isomesh(sdf, offset); }

}  // namespace mechane::geometry
