#pragma once
// Meshes that samples make themselves.
#include <cmath>
#include <memory>

#include "mechane/geometry/mesh.h"
#include "mechane/math/real.h"

namespace sample {

/// A closed surface over a grid that closes in both directions: `point(u, v)` for u, v in 0..1, wound so that
/// d/du x d/dv points outwards.
template <class Point>
mechane::geometry::Mesh closed_grid(int columns, int rows, Point&& point)
{
    mechane::geometry::Mesh mesh;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
            mesh.points.push_back(point(static_cast<double>(c) / columns, static_cast<double>(r) / rows));
    const auto at = [&](int c, int r) { return (r % rows) * columns + c % columns; };
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            mesh.triangles.push_back({at(c, r), at(c + 1, r), at(c + 1, r + 1)});
            mesh.triangles.push_back({at(c, r), at(c + 1, r + 1), at(c, r + 1)});
        }
    return mesh;
}

/// A ring about z: radius of its middle line and of its tube [m].
inline std::shared_ptr<const mechane::geometry::Mesh> torus(double ring, double tube, int columns, int rows)
{
    return std::make_shared<const mechane::geometry::Mesh>(closed_grid(columns, rows, [&](double u, double v) {
        const double a = 2 * mechane::kPi * u, b = 2 * mechane::kPi * v, r = ring + tube * std::cos(b);
        return mechane::Vec3d{r * std::cos(a), r * std::sin(a), tube * std::sin(b)};
    }));
}

}  // namespace sample
