#pragma once
#include <cstdint>
#include <functional>
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

/// Where a cell is cut in two: rising from its corner (i, j) to (i + 1, j + 1), or falling from (i, j + 1) to (i + 1,
/// j).
enum class Diagonal : std::uint8_t { rising, falling };
/// Along which axis of a grid its points and cells follow one another.
enum class GridOrder : std::uint8_t { x_fastest, y_fastest };

/// The surface of a grid of four-cornered cells, two triangles each: hills, sheets and tiles of any form.
///
/// @param cells_x, cells_y  at least 1 each; the mesh has (cells_x + 1) (cells_y + 1) points and 2 cells_x cells_y
///                          triangles, cell after cell
/// @param corner            position of the corner (i, j) in the mesh's frame [m], i from 0 to cells_x, j to cells_y;
///                          asked in the order of the points
/// @param diagonal          of the cell whose lowest corner is (i, j); all rise where there is no function
/// @return wound so that normals are upwards (+z) where i goes along +x and j along +y
Mesh grid_mesh(int cells_x, int cells_y, GridOrder order, const std::function<Vec3d(int i, int j)>& corner,
               const std::function<Diagonal(int i, int j)>& diagonal = {});

}  // namespace mechane::geometry
