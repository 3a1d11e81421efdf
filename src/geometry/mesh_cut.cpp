#include "mesh_cut.h"

#include <algorithm>

namespace mechane::geometry {

namespace {

using Corner = std::pair<Vec3d, double>;  // point, height above the plane

void append(Mesh& part, const Vec3d& a, const Vec3d& b, const Vec3d& c)
{
    const auto first = static_cast<std::int32_t>(part.points.size());
    part.points.insert(part.points.end(), {a, b, c});
    part.triangles.push_back({first, first + 1, first + 2});
}

/// The crossing of the edge between two corners on different sides.
Vec3d crossing(const Corner& a, const Corner& b)
{
    // Always from the lower to the upper end, so that both neighbours of an edge get the same point.
    const auto& [low, high] = a.second < b.second ? std::pair{a, b} : std::pair{b, a};
    return low.first + (low.second / (low.second - high.second)) * (high.first - low.first);
}

}  // namespace

std::pair<Mesh, Mesh> cut(const Mesh& mesh, const Vec3d& normal, double offset)
{
    std::pair<Mesh, Mesh> sides;
    auto& [below, above] = sides;
    for (const auto& t : mesh.triangles) {
        std::array<Corner, 3> k;
        for (std::size_t i = 0; i < 3; ++i) {
            const Vec3d& p = mesh.points[static_cast<std::size_t>(t[i])];
            k[i]           = {p, dot(normal, p) - offset};
        }
        const auto [low, high] = std::minmax({k[0].second, k[1].second, k[2].second});
        if (high <= 0 || low >= 0) {
            append(high <= 0 ? below : above, k[0].first, k[1].first, k[2].first);
            continue;
        }
        // Turned so that the first corner is alone on its side; a corner on the plane counts as above.
        std::size_t alone = 0;
        for (std::size_t i = 0; i < 3; ++i)
            if ((k[i].second < 0) != (k[(i + 1) % 3].second < 0) && (k[i].second < 0) != (k[(i + 2) % 3].second < 0)) alone = i;
        std::ranges::rotate(k, k.begin() + static_cast<std::ptrdiff_t>(alone));
        const Vec3d ab = crossing(k[0], k[1]), ac = crossing(k[0], k[2]);
        Mesh&       small = k[0].second < 0 ? below : above;
        Mesh&       large = k[0].second < 0 ? above : below;
        append(small, k[0].first, ab, ac);
        append(large, ab, k[1].first, k[2].first);
        append(large, ab, k[2].first, ac);
    }
    return sides;
}

}  // namespace mechane::geometry
