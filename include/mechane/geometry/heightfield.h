#pragma once
#include <optional>
#include <span>
#include <utility>

#include "mechane/core/result.h"
#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

/// A regular grid of heights over [-half_x, half_x] x [-half_y, half_y]: columns along +x, rows along +y, solid below.
struct HeightGrid {
    int                     rows = 0, columns = 0;   ///< at least 2 each
    double                  half_x = 1, half_y = 1;  ///< [m]
    std::span<const double> elevations;              ///< row by row, shape [rows * columns]
    /// Lowest and highest z [m]; the elevations are stretched to it, equal ones lie at the lowest. Unset: elevations
    /// are metres.
    std::optional<std::pair<double, double>> range;
};

/// The surface of the grid, normals upwards. Cell (r, c) is cut from its lowest corner (r, c) to (r + 1, c + 1):
/// triangle ((r (columns - 1) + c) 2) lies on the side of +x, the one after it on the side of +y.
/// @error GEOMETRY_HEIGHTFIELD  fewer than two rows or columns, a wrong number of elevations, one that is not finite,
/// or
///        a range from high to low
Result<Mesh> heightfield_mesh(const HeightGrid& grid);

}  // namespace mechane::geometry
