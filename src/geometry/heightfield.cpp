// Height fields as meshes, and grids of quadrilaterals in general. Heights in metres, z up; rows run along y, columns
// along x. The surface is wound upwards.

#include "mechane/geometry/heightfield.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechane/core/assert.h"
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
    // With a range the elevations are stretched to it, as Newton and MuJoCo do; flat ones lie at its lower end.
    const auto   z         = [&](double e) {
        if (!g.range) return e;
        return g.range->first + (spread > 0 ? (e - *low) / spread : 0) * (g.range->second - g.range->first);
    };
    return grid_mesh(g.columns - 1, g.rows - 1, GridOrder::x_fastest, [&](int c, int r) {
        return Vec3d{g.half_x * (2.0 * c / (g.columns - 1) - 1), g.half_y * (2.0 * r / (g.rows - 1) - 1),
                     z(g.elevations[static_cast<std::size_t>(r) * columns + static_cast<std::size_t>(c)])};
    });
}

Mesh grid_mesh(int cells_x, int cells_y, GridOrder order, const std::function<Vec3d(int, int)>& corner,
               const std::function<Diagonal(int, int)>& diagonal)
{
    MCH_ASSERT(cells_x > 0 && cells_y > 0);
    const bool along_x  = order == GridOrder::x_fastest;
    const auto in_order = [&](int end_x, int end_y, const auto& visit) {
        for (int slow = 0; slow < (along_x ? end_y : end_x); ++slow)
            for (int fast = 0; fast < (along_x ? end_x : end_y); ++fast)
                along_x ? visit(fast, slow) : visit(slow, fast);
    };
    const std::int32_t step_x = along_x ? 1 : cells_y + 1, step_y = along_x ? cells_x + 1 : 1;
    Mesh               mesh;
    mesh.points.reserve(static_cast<std::size_t>(cells_x + 1) * static_cast<std::size_t>(cells_y + 1));
    in_order(cells_x + 1, cells_y + 1, [&](int i, int j) { mesh.points.push_back(corner(i, j)); });
    mesh.triangles.reserve(2 * static_cast<std::size_t>(cells_x) * static_cast<std::size_t>(cells_y));
    in_order(cells_x, cells_y, [&](int i, int j) {
        const std::int32_t p00 = i * step_x + j * step_y, p10 = p00 + step_x, p01 = p00 + step_y, p11 = p10 + step_y;
        // Both diagonals give triangles that are counter-clockwise from above.
        if (!diagonal || diagonal(i, j) == Diagonal::rising) {
            mesh.triangles.push_back({p00, p10, p11});
            mesh.triangles.push_back({p00, p11, p01});
        } else {
            mesh.triangles.push_back({p00, p10, p01});
            mesh.triangles.push_back({p01, p10, p11});
        }
    });
    return mesh;
}

}  // namespace mechane::geometry
