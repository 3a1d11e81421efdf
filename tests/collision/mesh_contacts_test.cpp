#include <vector>

#include "mechane/collision/narrow.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::collision;
using mechane::test::close_to;

namespace {

/// A flat square of n x n cells of `cell` metres around the origin, facing up, its diagonals alternating.
geometry::Mesh tiles(int n, double cell)
{
    geometry::Mesh mesh;
    for (int y = 0; y <= n; ++y)
        for (int x = 0; x <= n; ++x) mesh.points.push_back({(x - 0.5 * n) * cell, (y - 0.5 * n) * cell, 0});
    const auto at = [&](int x, int y) { return y * (n + 1) + x; };
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            const std::int32_t a = at(x, y), b = at(x + 1, y), c = at(x + 1, y + 1), d = at(x, y + 1);
            if ((x + y) % 2 == 0) {
                mesh.triangles.push_back({a, b, c}), mesh.triangles.push_back({a, c, d});
            } else {
                mesh.triangles.push_back({a, b, d}), mesh.triangles.push_back({b, c, d});
            }
        }
    return mesh;
}

geometry::Mesh cube(double half)
{
    geometry::Mesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.points.push_back({i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half});
    mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return mesh;
}

Shape of(const MeshShape& mesh)
{
    Shape s;
    s.kind = ShapeKind::mesh;
    s.mesh = &mesh;
    return s;
}

Shape solid(ShapeKind kind, const Vec3d& size, const Vec3d& p)
{
    Shape s;
    s.kind = kind;
    s.size = size;
    s.p    = p;
    return s;
}

Manifold touch(const Shape& a, const Shape& b, double reach)
{
    Manifold m;
    collide(a, b, reach, m);
    return m;
}

}  // namespace

TEST_CASE(
    "a sphere anywhere over a flat tessellated floor has one vertical contact of the exact depth (COL 4.6, internal "
    "edges)")
{
    const MeshShape floor = make_mesh_shape(tiles(8, 0.25), {1, 1, 1}, false);
    test::for_seeds(300, [&](Random& random) {
        const double   depth = random.uniform(-0.02, 0.05);
        const Vec3d    c{random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7), 0.3 - depth};
        const Manifold m = touch(of(floor), solid(ShapeKind::sphere, {0.3, 0, 0}, c), 0.05);
        REQUIRE(m.count == 1);
        CHECK(m.points[0].distance == close_to(-depth, 1e-9));
        CHECK(test::distance(m.points[0].normal, Vec3d{0, 0, 1}) < 1e-9);
    });
}

TEST_CASE("over corners and edges of the tiles too, where the nearest features of several triangles coincide")
{
    const MeshShape floor = make_mesh_shape(tiles(8, 0.25), {1, 1, 1}, false);
    for (const Vec3d& c :
         {Vec3d{0, 0, 0.29}, Vec3d{0.25, 0.5, 0.29}, Vec3d{0.125, 0.125, 0.29}, Vec3d{0.1, 0.25, 0.29}}) {
        const Manifold m = touch(of(floor), solid(ShapeKind::sphere, {0.3, 0, 0}, c), 0.05);
        REQUIRE(m.count == 1);
        CHECK(m.points[0].distance == close_to(-0.01, 1e-9));
        CHECK(test::distance(m.points[0].normal, Vec3d{0, 0, 1}) < 1e-9);
    }
}

TEST_CASE("flat and round shapes lie on tiles with vertical normals and their own depth")
{
    const MeshShape floor = make_mesh_shape(tiles(8, 0.25), {1, 1, 1}, false);
    struct Case {
        ShapeKind kind;
        Vec3d     size;
        Quatd     turn;
        double    height;  ///< of the origin when it just touches
        int       least;   ///< contacts at least
    };
    const Quatd lying   = from_axis_angle(Vec3d{0, 1, 0}, kPi / 2);
    const Case  cases[] = {
        {ShapeKind::box, {0.3, 0.2, 0.1}, {}, 0.1, 4},      {ShapeKind::capsule, {0.1, 0.3, 0}, lying, 0.1, 2},
        {ShapeKind::cylinder, {0.2, 0.15, 0}, {}, 0.15, 3}, {ShapeKind::cylinder, {0.2, 0.3, 0}, lying, 0.2, 2},
        {ShapeKind::cone, {0.3, 0.2, 0}, {}, 0.2, 3},       {ShapeKind::ellipsoid, {0.3, 0.2, 0.1}, {}, 0.1, 1},
    };
    test::for_seeds(20, [&](Random& random) {
        for (const Case& test : cases) {
            const Quatd yaw  = from_axis_angle(Vec3d{0, 0, 1}, random.uniform(-kPi, kPi));
            Shape       s    = solid(test.kind, test.size,
                                     {random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), test.height - 0.002});
            s.R              = to_matrix(yaw * test.turn);
            const Manifold m = touch(of(floor), s, 0.01);
            CAPTURE(static_cast<int>(test.kind));
            CHECK(m.count >= test.least);
            for (int i = 0; i < m.count; ++i) {
                const ContactPoint& p = m.points[static_cast<std::size_t>(i)];
                CHECK(p.normal.z == close_to(1, 1e-6));
                CHECK(p.distance >= -0.002 - 1e-6);
            }
            double lowest = kInfinity;
            for (int i = 0; i < m.count; ++i) lowest = std::min(lowest, m.points[static_cast<std::size_t>(i)].distance);
            CHECK(lowest == close_to(-0.002, 1e-5));
        }
    });
}

TEST_CASE("a box of triangles over an infinite plane stands on its four corners, mesh first (COL 4.1)")
{
    const MeshShape mesh = make_mesh_shape(cube(0.5), {1, 1, 1}, true);
    CHECK(mesh.closed);
    Shape box   = of(mesh);
    box.p       = {0.3, 0.1, 0.49};
    Shape plane = solid(ShapeKind::plane, {}, {});
    CHECK(in_table_order(ShapeKind::mesh, ShapeKind::plane));
    const Manifold m = touch(box, plane, 0.02);
    CHECK(m.count == 4);
    for (int i = 0; i < m.count; ++i) {
        const ContactPoint& p = m.points[static_cast<std::size_t>(i)];
        CHECK(p.distance == close_to(-0.01, 1e-12));
        CHECK(test::distance(p.normal, Vec3d{0, 0, -1}) < 1e-12);
        CHECK(std::abs(p.p0.x - 0.3) == close_to(0.5, 1e-12));
    }
}

TEST_CASE(
    "two stacked cubes of triangles hold each other at corners that span the face, with vertical normals (COL 4.6)")
{
    const MeshShape mesh  = make_mesh_shape(cube(0.5), {1, 1, 1}, true);
    const Shape     below = of(mesh);
    for (const Vec3d& p : {Vec3d{0, 0, 0.99}, Vec3d{0.02, -0.03, 0.995}}) {
        Shape above      = of(mesh);
        above.p          = p;
        const Manifold m = touch(below, above, 0.02);
        Vec3d          low{kInfinity, kInfinity, 0}, high{-kInfinity, -kInfinity, 0};
        int            deep = 0;
        for (int i = 0; i < m.count; ++i) {
            const ContactPoint& c = m.points[static_cast<std::size_t>(i)];
            if (c.distance > p.z - 1 + 1e-6) continue;
            CHECK(c.normal.z == close_to(1, 1e-6));
            low  = min(low, c.p0);
            high = max(high, c.p0);
            ++deep;
        }
        CHECK(deep >= 4);
        CHECK(high.x - low.x > 0.9);
        CHECK(high.y - low.y > 0.9);
    }
}

TEST_CASE("a sphere whose centre has sunk into a closed mesh is pushed out through the nearest face")
{
    const MeshShape mesh = make_mesh_shape(cube(0.5), {1, 1, 1}, false);
    const Manifold  m    = touch(of(mesh), solid(ShapeKind::sphere, {0.2, 0, 0}, {0.1, 0.05, 0.45}), 0.02);
    REQUIRE(m.count >= 1);
    CHECK(m.points[0].normal.z == close_to(1, 1e-9));
    CHECK(m.points[0].distance == close_to(-0.25, 1e-9));
}

TEST_CASE("a sphere at the rim of a closed mesh has the normal of the edge region, as over a box")
{
    const MeshShape mesh = make_mesh_shape(cube(0.5), {1, 1, 1}, false);
    const Shape     box  = solid(ShapeKind::box, {0.5, 0.5, 0.5}, {});
    test::for_seeds(200, [&](Random& random) {
        const Vec3d c      = 0.9 * random.direction();
        const Shape sphere = solid(ShapeKind::sphere, {0.3, 0, 0}, c);
        Manifold    on_box;
        collide(sphere, box, 0.2, on_box);
        const Manifold m = touch(of(mesh), sphere, 0.2);
        REQUIRE(on_box.count == 1);
        REQUIRE(m.count == 1);
        CHECK(m.points[0].distance == close_to(on_box.points[0].distance, 1e-9));
        CHECK(test::distance(m.points[0].normal, -on_box.points[0].normal) < 1e-6);
    });
}
