#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mechane/collision/gjk.h"
#include "mechane/collision/narrow.h"
#include "support/support.h"

/// Shapes for the tests, built where they stand.
namespace mechane::test {

using collision::ContactPoint;
using collision::Manifold;
using collision::Shape;
using collision::ShapeKind;

inline Quatd turn(char axis, double degrees)
{ return from_axis_angle(axis_vector<double>(axis - 'x'), degrees * kDegrees); }
inline Shape shape(ShapeKind kind, const Vec3d& size, const Vec3d& p = {}, const Quatd& q = {})
{ return {.kind = kind, .p = p, .R = to_matrix(q), .size = size}; }

/// A cube of half size h as a closed mesh of 12 triangles wound outwards.
inline geometry::Mesh cube_mesh(double h)
{
    geometry::Mesh m;
    for (int i = 0; i < 8; ++i) m.points.push_back({i & 1 ? h : -h, i & 2 ? h : -h, i & 4 ? h : -h});
    m.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    m.is_convex = true;
    return m;
}
/// n x n squares of two triangles each over [-half, half]^2 at z = 0, normal +z; the diagonals alternate.
inline geometry::Mesh tiled_plane(int n, double half)
{
    geometry::Mesh m;
    for (int y = 0; y <= n; ++y)
        for (int x = 0; x <= n; ++x) m.points.push_back({half * (2.0 * x / n - 1), half * (2.0 * y / n - 1), 0});
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            const int a = y * (n + 1) + x, b = a + 1, c = a + n + 1, d = c + 1;
            if ((x + y) % 2 == 0) {
                m.triangles.push_back({a, b, d});
                m.triangles.push_back({a, d, c});
            } else {
                m.triangles.push_back({a, b, c});
                m.triangles.push_back({b, d, c});
            }
        }
    return m;
}

inline const collision::HullShape& cube_hull()
{
    static const collision::HullShape hull = collision::make_hull_shape(cube_mesh(0.5), {1, 1, 1});
    return hull;
}
inline const collision::MeshShape& cube_surface()
{
    static const collision::MeshShape mesh = collision::make_mesh_shape(cube_mesh(0.5), {1, 1, 1}, true);
    return mesh;
}
inline Shape hull_shape(const collision::HullShape& hull, const Vec3d& p = {}, const Quatd& q = {})
{
    Shape s = shape(ShapeKind::hull, {1, 1, 1}, p, q);
    s.hull  = &hull;
    return s;
}
inline Shape mesh_shape(const collision::MeshShape& mesh, const Vec3d& p = {}, const Quatd& q = {})
{
    Shape s = shape(ShapeKind::mesh, {1, 1, 1}, p, q);
    s.mesh  = &mesh;
    return s;
}

/// Contacts in table order, computed relative to the first shape as the pipeline does.
inline Manifold contacts(Shape a, Shape b, double reach = 0.2)
{
    if (!collision::in_table_order(a.kind, b.kind)) std::swap(a, b);
    const Vec3d origin = a.kind == ShapeKind::plane ? b.p : a.p;
    a.p -= origin, b.p -= origin;
    Manifold m;
    collision::collide(a, b, reach, m);
    for (int i = 0; i < m.count; ++i) {
        auto& p = m.points[static_cast<std::size_t>(i)];
        p.p0 += origin, p.p1 += origin;
    }
    return m;
}
inline double deepest(const Manifold& m)
{
    double d = kInfinity;
    for (int i = 0; i < m.count; ++i) d = std::min(d, m.points[static_cast<std::size_t>(i)].distance);
    return d;
}

}  // namespace mechane::test
