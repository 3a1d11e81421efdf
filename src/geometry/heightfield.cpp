#include "mechane/geometry/heightfield.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechane/geometry/codes.h"

namespace mechane::geometry {

Result<Mesh> heightfield_mesh(const HeightGrid& g)
{
    const auto bad = [](std::string message) { return make_diagnostic(kHeightfield, {}, std::move(message)); };
    if (g.rows < 2 || g.columns < 2)
        return bad("the grid has " + std::to_string(g.rows) + " rows and " + std::to_string(g.columns) + " columns");
    if (!(g.half_x > 0 && g.half_y > 0) || !std::isfinite(g.half_x) || !std::isfinite(g.half_y))
        return bad("the half sizes are " + std::to_string(g.half_x) + " and " + std::to_string(g.half_y));
    const auto rows = static_cast<std::size_t>(g.rows), columns = static_cast<std::size_t>(g.columns);
    if (g.elevations.size() != rows * columns)
        return bad("there are " + std::to_string(g.elevations.size()) + " elevations for " + std::to_string(g.rows) +
                   " x " + std::to_string(g.columns));
    for (std::size_t i = 0; i < g.elevations.size(); ++i)
        if (!std::isfinite(g.elevations[i])) return bad("elevation " + std::to_string(i) + " is not finite");
    if (g.range &&
        (!std::isfinite(g.range->first) || !std::isfinite(g.range->second) || g.range->second < g.range->first))
        return bad("the range is from " + std::to_string(g.range->first) + " to " + std::to_string(g.range->second));
    const auto [low, high] = std::minmax_element(g.elevations.begin(), g.elevations.end());
    const double spread    = *high - *low;
    const auto   z         = [&](double e) {
        if (!g.range) return e;
        return g.range->first + (spread > 0 ? (e - *low) / spread : 0) * (g.range->second - g.range->first);
    };
    Mesh mesh;
    mesh.points.reserve(rows * columns);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            mesh.points.push_back({g.half_x * (2.0 * static_cast<double>(c) / (g.columns - 1) - 1),
                                   g.half_y * (2.0 * static_cast<double>(r) / (g.rows - 1) - 1),
                                   z(g.elevations[r * columns + c])});
    mesh.triangles.reserve(2 * (rows - 1) * (columns - 1));
    for (std::int32_t r = 0; r + 1 < g.rows; ++r)
        for (std::int32_t c = 0; c + 1 < g.columns; ++c) {
            const std::int32_t p00 = r * g.columns + c, p10 = p00 + 1, p01 = p00 + g.columns, p11 = p01 + 1;
            mesh.triangles.push_back({p00, p10, p11});
            mesh.triangles.push_back({p00, p11, p01});
        }
    return mesh;
}

}  // namespace mechane::geometry
