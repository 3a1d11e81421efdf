#pragma once
#include "mechane/geometry/hull.h"
#include "reference.h"

/// Shapes and pairs that nobody has chosen: sizes from a thousandth to a thousand, thin, flat and without any extent
/// along an axis, aligned exactly, nearly or not at all, touching exactly, shallow and deep, also ten kilometres away.
namespace mechane::test {

/// Two shapes with what they are made of.
struct Encounter {
    Shape                a, b;
    collision::HullShape hulls[2];
    geometry::Mesh       meshes[2];  ///< those of the hulls
    double               size  = 0;  ///< radius of the larger shape [m]
    double               reach = 0;  ///< [m]
};

inline double power_of_ten(Random& r, double low, double high) { return std::pow(10.0, r.uniform(low, high)); }

inline Mat33d unseen_rotation(Random& r)
{
    const std::uint32_t which = r.below(6);
    if (which > 2) return to_matrix(r.rotation());
    Quatd q{};
    for (const char axis : {'x', 'y', 'z'}) q = q * turn(axis, which == 0 ? 90 * r.below(2) : 45 * r.below(8));
    if (which == 2) q = q * from_axis_angle(r.direction(), power_of_ten(r, -10, -2));
    return to_matrix(q);
}

/// Points for a hull: any, on a ball, a prism, a box with all but exact corners, all in a plane.
inline std::vector<Vec3d> unseen_cloud(Random& r)
{
    std::vector<Vec3d>  points;
    const std::uint32_t n = 4 + r.below(28);
    switch (r.below(5)) {
        case 0:
            for (std::uint32_t i = 0; i < n; ++i) points.push_back(r.vec(1));
            break;
        case 1:
            for (std::uint32_t i = 0; i < n; ++i) points.push_back(r.direction());
            break;
        case 2:
            for (std::uint32_t i = 0, corners = 3 + r.below(14); i < corners; ++i) {
                const double t = 2 * kPi * (i + (n % 2) * r.uniform(0, 0.8)) / corners;
                points.push_back({std::cos(t), std::sin(t), 1}), points.push_back({std::cos(t), std::sin(t), -1});
            }
            break;
        case 3: {
            const double off = power_of_ten(r, -12, -2);
            for (int i = 0; i < 8; ++i)
                points.push_back(Vec3d{i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0} + r.vec(off));
            break;
        }
        default:
            for (std::uint32_t i = 0; i < n; ++i) points.push_back({r.uniform(-1, 1), r.uniform(-1, 1), 0});
            break;
    }
    return points;
}

inline Shape unseen_shape(Random& r, ShapeKind kind, double unit, collision::HullShape& hull, geometry::Mesh& mesh)
{
    const auto size = [&] { return unit * power_of_ten(r, -0.7, 0); };
    Shape      s    = shape(kind, {size(), size(), size()});
    s.R             = unseen_rotation(r);
    if (r.below(6) == 0) s.size[r.below(3)] *= power_of_ten(r, -4, -1);
    if (r.below(12) == 0 && kind != ShapeKind::ellipsoid && kind != ShapeKind::hull) s.size[r.below(3)] = 0;
    if (kind == ShapeKind::hull) {
        auto made = geometry::build_hull(unseen_cloud(r));
        REQUIRE(made.has_value());
        mesh = *std::move(made);
        for (Vec3d& p : mesh.points) p = scale(s.size, p);
        hull   = collision::make_hull_shape(mesh, {1, 1, 1});
        s.hull = &hull;
        s.size = {1, 1, 1};
    }
    return s;
}

/// The second shape stands off the first along some direction by a known room: none, hardly any, much, or less than
/// none; it may be moved aside as well.
inline void unseen_encounter(Random& r, ShapeKind first, ShapeKind second, Encounter& out)
{
    const double unit  = power_of_ten(r, -3, 3),
                 other = r.below(4) == 0 ? std::clamp(unit * power_of_ten(r, -3, 3), 1e-3, 1e3) : unit;
    out.a              = unseen_shape(r, first, unit, out.hulls[0], out.meshes[0]);
    out.b              = unseen_shape(r, second, other, out.hulls[1], out.meshes[1]);
    out.a.p            = r.below(4) == 0 ? 1e4 * r.direction() : r.vec(unit);
    const double small = std::min(unit, other);
    out.size           = std::max(collision::bounding_radius(out.a), collision::bounding_radius(out.b));
    out.reach          = r.uniform(0, 0.3) * small;
    const Vec3d  u     = r.below(2) ? r.direction() : out.a.R.column(r.below(3));
    const double touch =
        extent_along(out.a, transpose_times(out.a.R, u)) + extent_along(out.b, -transpose_times(out.b.R, u));
    const std::uint32_t which = r.below(4);
    double              apart = 0;
    if (which == 1) apart = (r.below(2) ? 1 : -1) * small * power_of_ten(r, -9, -1);
    if (which == 2) apart = -touch * r.uniform();
    if (which == 3) apart = out.reach * r.uniform(0, 1.2);
    const Vec3d aside = r.below(2) ? Vec3d{} : r.vec(std::min(unit, r.below(2) ? other : unit));
    out.b.p           = out.a.p + (touch + apart) * u + (aside - dot(aside, u) * u);
}

/// The mesh with points put into its triangles, often close to their rims, and with triangles that have no area.
inline geometry::Mesh cut_at_random(Random& r, const geometry::Mesh& mesh)
{
    geometry::Mesh cut = mesh;
    cut.is_convex      = false;
    for (std::uint32_t k = r.below(20); k > 0; --k) {
        const std::size_t t  = r.below(static_cast<std::uint32_t>(cut.triangles.size()));
        const auto [x, y, z] = cut.triangles[t];
        const double u = r.below(2) ? 0.3 : power_of_ten(r, -3, -1), v = r.below(2) ? 0.3 : power_of_ten(r, -3, -1);
        const auto   p = [&](std::int32_t i) { return cut.points[static_cast<std::size_t>(i)]; };
        const auto   n = static_cast<std::int32_t>(cut.points.size());
        cut.points.push_back((1 - u - v) * p(x) + u * p(y) + v * p(z));
        cut.triangles[t] = {x, y, n};
        cut.triangles.push_back({y, z, n}), cut.triangles.push_back({z, x, n});
        if (r.below(4) == 0) cut.triangles.push_back({x, x, y}), cut.triangles.push_back({x, y, x});
    }
    return cut;
}

/// [-half, half]^2 at z = 0 cut into up to twelve by twelve irregular cells, each cut along one of its diagonals.
inline geometry::Mesh sheet_at_random(Random& r, double half)
{
    geometry::Mesh sheet;
    const int      nx = 1 + static_cast<int>(r.below(12)), ny = 1 + static_cast<int>(r.below(12));
    for (int y = 0; y <= ny; ++y)
        for (int x = 0; x <= nx; ++x) {
            const double off = x == 0 || y == 0 || x == nx || y == ny ? 0 : 0.24;  // cells stay convex
            const Vec3d  by  = r.vec(off);
            sheet.points.push_back({half * (2 * (x + by.x) / nx - 1), half * (2 * (y + by.y) / ny - 1), 0});
        }
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            const int a = y * (nx + 1) + x, b = a + 1, c = a + nx + 1, d = c + 1;
            if (r.below(2))
                sheet.triangles.push_back({a, b, d}), sheet.triangles.push_back({a, d, c});
            else
                sheet.triangles.push_back({a, b, c}), sheet.triangles.push_back({b, d, c});
        }
    return sheet;
}

}  // namespace mechane::test
