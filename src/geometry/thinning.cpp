// Thins a mesh by a lattice: of the points of a cell the one farthest from the middle stays, so that outlines are kept.
// Fast and rough; for decompositions of large scans.

#include "thinning.h"

#include <algorithm>
#include <tuple>

namespace mechane::geometry {

Mesh thinned(const Mesh& mesh, int cells)
{
    const Aabbd  box    = bounds(mesh);
    const Vec3d  centre = 0.5 * (box.lower + box.upper);
    const double size   = max_component(box.upper - box.lower) / cells;
    if (!(size > 0)) return mesh;

    struct Entry {
        std::array<std::int32_t, 3> cell;
        double                      closeness;  // minus the distance from the middle: the best of a cell comes first
        std::int32_t                point;
    };
    std::vector<Entry> entries;
    entries.reserve(mesh.points.size());
    for (std::int32_t i = 0; i < std::ssize(mesh.points); ++i) {
        const Vec3d& p    = mesh.points[static_cast<std::size_t>(i)];
        const auto   cell = [&](double x, double low) {
            return std::min(static_cast<std::int32_t>((x - low) / size), cells - 1);
        };
        entries.push_back(
            {{cell(p.x, box.lower.x), cell(p.y, box.lower.y), cell(p.z, box.lower.z)}, -length(p - centre), i});
    }
    // By cell, then by distance, then by index.
    std::ranges::sort(entries, {}, [](const Entry& e) { return std::tuple(e.cell, e.closeness, e.point); });

    Mesh                      result;
    std::vector<std::int32_t> number(mesh.points.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (i == 0 || entries[i].cell != entries[i - 1].cell)
            result.points.push_back(mesh.points[static_cast<std::size_t>(entries[i].point)]);
        number[static_cast<std::size_t>(entries[i].point)] = static_cast<std::int32_t>(result.points.size()) - 1;
    }
    for (auto t : mesh.triangles) {
        for (std::int32_t& i : t) i = number[static_cast<std::size_t>(i)];
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) result.triangles.push_back(t);
    }
    return result;
}

}  // namespace mechane::geometry
