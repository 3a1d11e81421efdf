// Marching cubes (Lorensen, Cline 1987) with a table that is derived and not copied: the rule below settles ambiguous
// faces in the same way on both sides, so surfaces are closed.
// Cells have corners numbered by the bits x, y, z; a corner below the level is "negative"; normals point from negative
// to positive.

#include "mechane/geometry/marching_cubes.h"

#include <map>
#include <vector>

namespace mechane::geometry {

namespace {

/// Corners of the six faces, counter-clockwise seen from outside.
constexpr std::array<std::array<std::int8_t, 4>, 6> kFaces{
    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};

constexpr std::int8_t edge_between(std::int8_t a, std::int8_t b)
{
    for (std::int8_t e = 0; e < 12; ++e) {
        const auto& ends = kCellEdges[static_cast<std::size_t>(e)];
        if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a)) return e;
    }
    return -1;
}

/// The surface meets each face of the cell in segments that keep the negative corners on one side. Walking round a face
/// counter-clockwise, a segment leads from the edge where the negative side is entered to the one where it is left,
/// each run of negative corners for itself; end to end the segments of all faces form loops, which are cut into fans.
constexpr CellTriangles triangles_of(std::uint8_t negative)
{
    std::array<std::int8_t, 12> next{};
    for (std::int8_t& n : next) n = -1;
    const auto below = [&](std::int8_t corner) { return ((negative >> corner) & 1) != 0; };
    for (const auto& face : kFaces)
        for (std::size_t i = 0; i < 4; ++i) {
            if (below(face[i]) || !below(face[(i + 1) % 4])) continue;
            const std::int8_t in = edge_between(face[i], face[(i + 1) % 4]);
            std::size_t       k  = i + 1;
            while (below(face[(k + 1) % 4])) ++k;
            next[static_cast<std::size_t>(in)] = edge_between(face[k % 4], face[(k + 1) % 4]);
        }
    CellTriangles out;
    // Each loop of edges becomes a fan about its first edge.
    for (std::int8_t start = 0; start < 12; ++start) {
        if (next[static_cast<std::size_t>(start)] < 0) continue;
        std::int8_t a                         = next[static_cast<std::size_t>(start)];
        next[static_cast<std::size_t>(start)] = -1;
        while (a != start) {
            const std::int8_t b               = next[static_cast<std::size_t>(a)];
            next[static_cast<std::size_t>(a)] = -1;
            if (b != start) out.edges[static_cast<std::size_t>(out.count++)] = {start, a, b};
            a = b;
        }
    }
    return out;
}

constexpr std::array<CellTriangles, 256> all_cells()
{
    std::array<CellTriangles, 256> table{};
    for (std::size_t i = 0; i < 256; ++i) table[i] = triangles_of(static_cast<std::uint8_t>(i));
    return table;
}

constexpr std::array<CellTriangles, 256> kCells = all_cells();

}  // namespace

const CellTriangles& cell_triangles(std::uint8_t negative) { return kCells[negative]; }

Mesh extract_isomesh(const Sdf& sdf, double iso)
{
    Mesh mesh;
    // Points by the grid edge they lie on, so that cells share them. Only looked up: the order of the map is that of
    // the keys.
    // The key of a point: lower corner of its grid edge, and the axis.
    std::map<std::array<std::int32_t, 4>, std::int32_t> points;
    const double                                        h = sdf.voxel();
    const auto [bx, by, bz]                               = sdf.blocks();
    const auto corner_at                                  = [&](int x, int y, int z) {
        return sdf.lower() + h * Vec3d{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
    };
    std::vector<double> values(static_cast<std::size_t>(Sdf::kBrick));
    for (int z = 0; z < bz; ++z)
        for (int y = 0; y < by; ++y)
            for (int x = 0; x < bx; ++x) {
                // Blocks without samples cannot hold the surface: the band ends before.
                if (sdf.block(x, y, z) == Sdf::kEmpty) continue;
                const auto entry = [&](int i, int j, int k) { return static_cast<std::size_t>((k * 9 + j) * 9 + i); };
                for (int k = 0; k <= 8; ++k)
                    for (int j = 0; j <= 8; ++j)
                        for (int i = 0; i <= 8; ++i)
                            values[entry(i, j, k)] = sdf.sample(corner_at(8 * x + i, 8 * y + j, 8 * z + k)) - iso;
                for (int k = 0; k < 8; ++k)
                    for (int j = 0; j < 8; ++j)
                        for (int i = 0; i < 8; ++i) {
                            std::uint8_t          negative = 0;
                            std::array<double, 8> v{};
                            for (int c = 0; c < 8; ++c) {
                                v[static_cast<std::size_t>(c)] =
                                    values[entry(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))];
                                if (v[static_cast<std::size_t>(c)] < 0)
                                    negative = static_cast<std::uint8_t>(negative | (1 << c));
                            }
                            const CellTriangles& cell  = cell_triangles(negative);
                            const auto           point = [&](std::int8_t edge) {
                                const auto [a, b] = kCellEdges[static_cast<std::size_t>(edge)];
                                const auto at     = [&](std::int8_t c) {
                                    return std::array<std::int32_t, 3>{8 * x + i + (c & 1), 8 * y + j + (c >> 1 & 1),
                                                                       8 * z + k + (c >> 2)};
                                };
                                const auto p = at(a), q = at(b);
                                const int  axis           = p[0] != q[0] ? 0 : p[1] != q[1] ? 1 : 2;
                                const auto [found, fresh] = points.try_emplace(
                                    {p[0], p[1], p[2], axis}, static_cast<std::int32_t>(mesh.points.size()));
                                if (fresh) {
                                    const double t =
                                        crossing(v[static_cast<std::size_t>(a)], v[static_cast<std::size_t>(b)], 0);
                                    const Vec3d from = corner_at(p[0], p[1], p[2]);
                                    mesh.points.push_back(from + t * (corner_at(q[0], q[1], q[2]) - from));
                                }
                                return found->second;
                            };
                            for (std::int8_t t = 0; t < cell.count; ++t) {
                                const auto& e = cell.edges[static_cast<std::size_t>(t)];
                                mesh.triangles.push_back({point(e[0]), point(e[1]), point(e[2])});
                            }
                        }
            }
    return mesh;
}

}  // namespace mechane::geometry
