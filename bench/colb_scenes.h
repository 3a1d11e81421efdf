#pragma once
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "collide_scenes.h"
#include "mechane/geometry/heightfield.h"
#include "mechane/geometry/hull.h"
#include "mechane/model/builder.h"

/// The collision benchmark scenes COLB-01 to COLB-11 and COLB-14 as model builders. Seeds are fixed: the same scene on
/// every machine.
namespace bench {

using MeshPointer = std::shared_ptr<const geometry::Mesh>;

/// A convex mesh of at most `vertices` vertices on an ellipsoid of half a size of `size` [m].
inline MeshPointer irregular_hull(Random& r, int vertices, double size)
{
    std::vector<Vec3d> points;
    for (int i = 0; i < vertices; ++i)
        points.push_back(r.uniform(0.8, 1.0) * scale(r.direction(), size * Vec3d{0.5, 0.42, 0.35}));
    auto mesh = geometry::build_hull(points);
    return mesh ? std::make_shared<geometry::Mesh>(*std::move(mesh)) : nullptr;
}
inline void add_hull(model::ModelBuilder& b, std::int32_t body, const MeshPointer& mesh)
{ b.add_shape({.type = model::GeoType::convex_mesh, .body = body, .source = mesh, .config = b.default_shape}); }
/// One of sphere, capsule, ellipsoid, cylinder, box, cone and hull, about `size` across [m].
inline void add_convex(model::ModelBuilder& b, std::int32_t body, int kind, double size, const MeshPointer& hull)
{
    const auto& c = b.default_shape;
    switch (kind) {
        case 0:
            b.add_shape_sphere(body, {}, 0.5 * size, c);
            return;
        case 1:
            b.add_shape_capsule(body, {}, 0.25 * size, 0.25 * size, c);
            return;
        case 2:
            b.add_shape_ellipsoid(body, {}, size * Vec3d{0.5, 0.4, 0.3}, c);
            return;
        case 3:
            b.add_shape_cylinder(body, {}, 0.35 * size, 0.35 * size, c);
            return;
        case 4:
            b.add_shape_box(body, {}, size * Vec3d{0.4, 0.35, 0.3}, c);
            return;
        case 5:
            b.add_shape_cone(body, {}, 0.4 * size, 0.4 * size, c);
            return;
        default:
            add_hull(b, body, hull);
    }
}

/// COLB-01: in each world every pair of the seven convex kinds, 0.84 m from the next pair, about to touch.
inline model::ModelBuilder mixed_convex(int worlds)
{
    model::ModelBuilder one, all;
    one.rigid_gap = 0.01;
    Random r(1);
    int    place = 0;
    for (int i = 0; i < 7; ++i)
        for (int k = i; k < 7; ++k, ++place) {
            const Vec3d at{0.84 * (place % 6), 0.84 * (place / 6), 0.5};
            add_convex(one, one.add_body({at, r.rotation()}, "a"), i, 0.2, irregular_hull(r, 24, 0.2));
            add_convex(one, one.add_body({at + 0.15 * r.direction(), r.rotation()}, "b"), k, 0.2,
                       irregular_hull(r, 24, 0.2));
        }
    (void)all.replicate(one, worlds);
    return all;
}
/// COLB-01: pairs of hulls, each its own or all the same.
inline model::ModelBuilder hull_pairs(int pairs, bool duplicate)
{
    model::ModelBuilder b;
    b.rigid_gap = 0.01;
    Random            r(1);
    const MeshPointer same = irregular_hull(r, 24, 0.2);
    for (int i = 0; i < pairs; ++i) {
        const Vec3d at{0.84 * (i % 14), 0.84 * (i / 14), 0.5};
        add_hull(b, b.add_body({at, r.rotation()}, "a"), duplicate ? same : irregular_hull(r, 24, 0.2));
        add_hull(b, b.add_body({at + 0.15 * r.direction(), r.rotation()}, "b"),
                 duplicate ? same : irregular_hull(r, 24, 0.2));
    }
    return b;
}

/// COLB-02: walls of boxes in a triangle, `base` in the lowest row.
inline model::ModelBuilder pyramids(int base, int copies)
{
    model::ModelBuilder b;
    b.rigid_gap = 0.005;
    for (int c = 0; c < copies; ++c)
        for (int row = 0; row < base; ++row)
            for (int i = 0; i < base - row; ++i)
                b.add_shape_box(b.add_body({{0.21 * (i + 0.5 * row), 1.0 * c, 0.1 + 0.2 * row}, {}}, "box"), {},
                                {0.1, 0.1, 0.1}, b.default_shape);
    b.add_ground_plane();
    return b;
}
/// COLB-02: layers of squares of boxes, one box fewer along each side from layer to layer.
inline model::ModelBuilder square_pyramid(int levels)
{
    model::ModelBuilder b;
    b.rigid_gap = 0.005;
    for (int z = 0; z < levels; ++z)
        for (int y = 0; y < levels - z; ++y)
            for (int x = 0; x < levels - z; ++x)
                b.add_shape_box(b.add_body({{0.21 * (x + 0.5 * z), 0.21 * (y + 0.5 * z), 0.1 + 0.2 * z}, {}}, "box"),
                                {}, {0.1, 0.1, 0.1}, b.default_shape);
    b.add_ground_plane();
    return b;
}

/// COLB-03: mixed bodies just over a height field of `side` times `side` elevations, 0.1 m apart.
inline model::ModelBuilder heightfield_rain(int bodies, int side)
{
    std::vector<double> z;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) z.push_back(0.05 * std::sin(1.3 * x) * std::cos(0.9 * y));
    const double half = 0.05 * (side - 1);
    const auto   field =
        geometry::heightfield_mesh({.rows = side, .columns = side, .half_x = half, .half_y = half, .elevations = z});
    model::ModelBuilder b;
    b.rigid_gap = 0.01;
    if (field) b.add_shape_heightfield({}, {1, 1, 1}, std::make_shared<geometry::Mesh>(*field), b.default_shape);
    Random            r(3);
    const MeshPointer hull = irregular_hull(r, 24, 0.2);
    for (int i = 0; i < bodies; ++i) {
        const double x = r.uniform(-0.9, 0.9) * half, y = r.uniform(-0.9, 0.9) * half;
        add_convex(b, b.add_body({{x, y, 0.12}, r.rotation()}, "drop"), i % 7, 0.2, hull);
    }
    return b;
}

/// COLB-04 and COLB-05: `columns` squared shapes over a terrain of 2 n^2 triangles.
inline model::ModelBuilder over_terrain(int n, int columns, bool boxes_only)
{
    model::ModelBuilder b;
    b.rigid_gap = 0.01;
    b.add_shape_mesh(-1, {}, {1, 1, 1}, std::make_shared<geometry::Mesh>(terrain(n)), b.default_shape);
    Random            r(4);
    const MeshPointer hull     = irregular_hull(r, 32, 0.2);
    const double      pitch    = (0.1 * n - 1) / columns;
    constexpr int     kKinds[] = {4, 0, 1, 6};
    for (int i = 0; i < columns * columns; ++i) {
        const Vec3d at{0.5 + pitch * (i % columns), 0.5 + pitch * (i / columns), 0.12};
        add_convex(b, b.add_body({at, r.rotation()}, "body"), boxes_only ? 4 : kKinds[i % 4], 0.2, hull);
    }
    return b;
}

/// A body of revolution whose radius turns with a thread: `outer` and, where there is a hole, `inner` by height and
/// angle [m].
inline geometry::Mesh threaded(double half, int rows, int around, const std::function<double(double, double)>& outer,
                               const std::function<double(double, double)>& inner)
{
    geometry::Mesh m;
    const auto     sheet = [&](const std::function<double(double, double)>& radius) {
        for (int k = 0; k <= rows; ++k)
            for (int i = 0; i < around; ++i) {
                const double z = half * (2.0 * k / rows - 1), a = 2 * kPi * i / around, l = radius(z, a);
                m.points.push_back({l * std::cos(a), l * std::sin(a), z});
            }
    };
    const auto quad = [&](int a, int b, int c, int d) {
        m.triangles.push_back({a, b, c});
        m.triangles.push_back({a, c, d});
    };
    const int other = (rows + 1) * around;
    sheet(outer);
    if (inner) sheet(inner);
    for (int k = 0; k < rows; ++k)
        for (int i = 0; i < around; ++i) {
            const int p = k * around + i, q = k * around + (i + 1) % around;
            quad(p, q, q + around, p + around);
            if (inner) quad(other + q, other + p, other + p + around, other + q + around);
        }
    if (inner) {
        for (int i = 0; i < around; ++i) {
            const int j = (i + 1) % around, top = rows * around;
            quad(other + i, other + j, j, i);
            quad(top + i, top + j, other + top + j, other + top + i);
        }
        return m;
    }
    const auto lid = [&](int row, bool up) {
        const auto middle = static_cast<std::int32_t>(m.points.size());
        m.points.push_back({0, 0, m.points[static_cast<std::size_t>(row * around)].z});
        for (int i = 0; i < around; ++i) {
            const std::int32_t p = row * around + i, q = row * around + (i + 1) % around;
            m.triangles.push_back(up ? std::array{middle, p, q} : std::array{middle, q, p});
        }
    };
    lid(0, false), lid(rows, true);
    return m;
}
/// COLB-06: a nut on a bolt in each world, thread to thread.
inline model::ModelBuilder nut_and_bolt(int worlds, bool hydroelastic, int resolution)
{
    const auto thread = [](double root, double z, double a) {  // 8 mm pitch, a triangle of 4 mm
        const double turn = z / 0.008 - a / (2 * kPi), f = turn - std::floor(turn);
        return root + 0.008 * std::min(f, 1 - f);
    };
    const auto bolt = std::make_shared<geometry::Mesh>(
        threaded(0.05, 100, 64, [&](double z, double a) { return thread(0.020, z, a); }, nullptr));
    const auto          nut = std::make_shared<geometry::Mesh>(threaded(
        0.012, 24, 64, [](double, double) { return 0.04; }, [&](double z, double a) { return thread(0.0202, z, a); }));
    model::ModelBuilder one, all;
    one.rigid_gap          = 0.001;
    auto config            = one.default_shape;
    config.sdf             = model::SdfConfig{.force_sdf             = true,
                                              .sdf_max_resolution    = resolution,
                                              .sdf_narrow_band_inner = -0.005,
                                              .sdf_narrow_band_outer = 0.005};
    config.is_hydroelastic = hydroelastic;
    one.add_shape_mesh(one.add_body({{0, 0, 0.1}, {}}, "bolt"), {}, {1, 1, 1}, bolt, config);
    one.add_shape_mesh(one.add_body({{0.0002, 0, 0.1}, {}}, "nut"), {}, {1, 1, 1}, nut, config);
    (void)all.replicate(one, worlds);
    return all;
}

/// COLB-08: balls in a box in which they fill a hundredth.
inline model::ModelBuilder sphere_gas(int count)
{
    model::ModelBuilder b;
    b.rigid_gap       = 0;
    const double side = std::cbrt(count * 4.0 / 3.0 * kPi * 0.05 * 0.05 * 0.05 / 0.01);
    Random       r(8);
    for (int i = 0; i < count; ++i)
        b.add_shape_sphere(b.add_body({{r.uniform(0, side), r.uniform(0, side), r.uniform(0, side)}, {}}, "ball"), {},
                           0.05, b.default_shape);
    return b;
}

/// COLB-09: a walker of 17 shapes (torso, four legs of four) over a plane of its own in each world.
inline model::ModelBuilder walkers(int worlds)
{
    model::ModelBuilder one, all;
    one.rigid_gap = 0.01;
    one.add_shape_box(one.add_body({{0, 0, 0.5}, {}}, "torso"), {}, {0.3, 0.15, 0.08}, one.default_shape);
    for (int leg = 0; leg < 4; ++leg) {
        const double x = leg & 1 ? 0.25 : -0.25, y = leg & 2 ? 0.2 : -0.2;
        for (int part = 0; part < 3; ++part)
            one.add_shape_capsule(one.add_body({{x, y, 0.42 - 0.14 * part}, {}}, "part"), {}, 0.03, 0.05,
                                  one.default_shape);
        one.add_shape_sphere(one.add_body({{x, y, 0.035}, {}}, "foot"), {}, 0.04, one.default_shape);
    }
    one.add_ground_plane();
    (void)all.replicate(one, worlds);
    return all;
}

/// COLB-10: hulls of 8 to 64 vertices heaped on a plane.
inline model::ModelBuilder hull_pile(int count)
{
    model::ModelBuilder b;
    b.rigid_gap = 0.005;
    Random                   r(10);
    std::vector<MeshPointer> hulls;
    for (int i = 0; i < 57; ++i) hulls.push_back(irregular_hull(r, 8 + i, 0.2));
    const double side = std::cbrt(count * 0.17 * 0.17 * 0.17);
    for (int i = 0; i < count; ++i)
        add_hull(b,
                 b.add_body({{r.uniform(0, side), r.uniform(0, side), r.uniform(0.05, side)}, r.rotation()}, "stone"),
                 hulls[static_cast<std::size_t>(i) % hulls.size()]);
    b.add_ground_plane();
    return b;
}

/// COLB-11: 30 bodies of five hulls each, five fingers about an object with a distance field.
inline model::ModelBuilder hand()
{
    model::ModelBuilder b;
    b.rigid_gap = 0.002;
    Random r(11);
    for (int finger = 0; finger < 5; ++finger)
        for (int part = 0; part < 6; ++part) {
            const double a = 2 * kPi * finger / 5, z = 0.02 + 0.028 * part, l = 0.07 - 0.004 * part;
            const auto   body =
                b.add_body({{l * std::cos(a), l * std::sin(a), z}, from_axis_angle(Vec3d{0, 0, 1}, a)}, "link");
            for (int i = 0; i < 5; ++i) {
                const MeshPointer hull = irregular_hull(r, 16, 0.024);
                b.add_shape({.type   = model::GeoType::convex_mesh,
                             .body   = body,
                             .xform  = {{0, 0.008 * (i - 2), 0}, r.rotation()},
                             .source = hull,
                             .config = b.default_shape});
            }
        }
    auto config = b.default_shape;
    config.sdf  = model::SdfConfig{
        .force_sdf = true, .sdf_max_resolution = 64, .sdf_narrow_band_inner = -0.02, .sdf_narrow_band_outer = 0.02};
    const auto jar = std::make_shared<geometry::Mesh>(
        threaded(0.08, 32, 48, [](double z, double) { return 0.05 - 0.1 * z * z; }, nullptr));
    b.add_shape_mesh(b.add_body({{0, 0, 0.09}, {}}, "object"), {}, {1, 1, 1}, jar, config);
    return b;
}

/// COLB-14: 10,000 boxes in 200 groups with 50,000 pairs that never collide.
inline model::ModelBuilder filtered(int shapes, int groups, int pairs)
{
    model::ModelBuilder b;
    Random              r(14);
    const double        side   = 0.4 * std::cbrt(shapes);
    auto                config = b.default_shape;
    for (int i = 0; i < shapes; ++i) {
        config.collision_group = 1 + i % groups;
        b.add_shape_box(b.add_body({{r.uniform(0, side), r.uniform(0, side), r.uniform(0, side)}, {}}, "box"), {},
                        {0.1, 0.1, 0.1}, config);
    }
    for (int i = 0; i < pairs; ++i) {
        const auto any = [&] { return static_cast<std::int32_t>(r.below(static_cast<std::uint32_t>(shapes))); };
        const auto a = any(), c = any();
        if (a != c) b.add_shape_collision_filter_pair(a, c);
    }
    return b;
}

/// A ball of 20 * 4^divisions triangles, radius 0.5 m.
inline geometry::Mesh icosphere(int divisions)
{
    const double   g = 0.5 * (1 + std::sqrt(5.0));
    geometry::Mesh m;
    for (const double s : {-1.0, 1.0})
        for (const double t : {-g, g}) {
            m.points.push_back({0, s, t});
            m.points.push_back({s, t, 0});
            m.points.push_back({t, 0, s});
        }
    // The faces of the icosahedron: three corners two apart each, turned outwards.
    for (std::int32_t i = 0; i < 12; ++i)
        for (std::int32_t k = i + 1; k < 12; ++k)
            for (std::int32_t l = k + 1; l < 12; ++l) {
                const auto& p    = m.points;
                const auto  near = [&](std::int32_t a, std::int32_t c) {
                    return length(p[static_cast<std::size_t>(a)] - p[static_cast<std::size_t>(c)]) < 2.1;
                };
                if (!near(i, k) || !near(k, l) || !near(l, i)) continue;
                const Vec3d &a = p[static_cast<std::size_t>(i)], &c = p[static_cast<std::size_t>(k)],
                            &e = p[static_cast<std::size_t>(l)];
                m.triangles.push_back(dot(a, cross(c, e)) > 0 ? std::array{i, k, l} : std::array{i, l, k});
            }
    for (int d = 0; d < divisions; ++d) {
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middle;
        const auto                                                    between = [&](std::int32_t a, std::int32_t c) {
            const auto [at, made] =
                middle.try_emplace({std::min(a, c), std::max(a, c)}, static_cast<std::int32_t>(m.points.size()));
            if (made)
                m.points.push_back(0.5 *
                                   (m.points[static_cast<std::size_t>(a)] + m.points[static_cast<std::size_t>(c)]));
            return at->second;
        };
        std::vector<std::array<std::int32_t, 3>> finer;
        for (const auto& [a, c, e] : m.triangles) {
            const std::int32_t x = between(a, c), y = between(c, e), z = between(e, a);
            finer.insert(finer.end(),
                         {std::array{a, x, z}, std::array{x, c, y}, std::array{z, y, e}, std::array{x, y, z}});
        }
        m.triangles = std::move(finer);
    }
    for (Vec3d& p : m.points) p = 0.5 * normalized(p);
    return m;
}

}  // namespace bench
