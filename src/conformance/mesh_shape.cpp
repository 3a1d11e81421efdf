#include "conformance/mesh_shape.h"

#include <algorithm>
#include <array>
#include <vector>

#include "mechane/geometry/hull.h"
#include "mechane/geometry/triangulation.h"

namespace mechane::conformance {

geometry::Mesh triangles_of(const usd::Prim& mesh)
{
    const auto points = mesh.attribute("points").get<std::vector<Vec3d>>().value_or(std::vector<Vec3d>{});
    const auto counts = mesh.attribute("faceVertexCounts").get<std::vector<int>>().value_or(std::vector<int>{});
    const auto corner = mesh.attribute("faceVertexIndices").get<std::vector<int>>().value_or(std::vector<int>{});
    const bool left   = mesh.attribute("orientation").get_or<std::string>("rightHanded") == "leftHanded";
    return geometry::triangulate({points, counts, corner, {}, left}).mesh;
}

bool is_convex_mesh(const usd::Prim& mesh)
{
    const auto points = mesh.attribute("points").get<std::vector<Vec3d>>();
    if (!points || points->size() < 4 || points->size() > 20000) return false;
    const auto hull = geometry::build_hull(*points);
    if (!hull) return false;
    Vec3d low = points->front(), high = low;
    for (const Vec3d& p : *points)
        low  = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)},
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    const double tolerance = 1e-3 * length(high - low);
    for (const Vec3d& p : *points) {
        double outside = -kInfinity;
        for (const std::array<std::int32_t, 3>& t : hull->triangles) {
            const Vec3d &a = hull->points[static_cast<std::size_t>(t[0])],
                        &b = hull->points[static_cast<std::size_t>(t[1])],
                        &c = hull->points[static_cast<std::size_t>(t[2])];
            const Vec3d n  = cross(b - a, c - a);
            if (const double l = length(n); l > 0) outside = std::max(outside, dot(p - a, n) / l);
        }
        if (outside < -tolerance) return false;
    }
    return true;
}

}  // namespace mechane::conformance
