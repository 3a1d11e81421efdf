#include <algorithm>

#include "shapes.h"

using namespace mechane;
using namespace mechane::test;

namespace {

const collision::MeshShape& tiles()
{
    static const collision::MeshShape mesh = collision::make_mesh_shape(tiled_plane(10, 1), {1, 1, 1}, false);
    return mesh;
}

}  // namespace

TEST_CASE("a sphere that rolls over a tessellated plane has one vertical contact everywhere (COL-099)")
{
    const Shape ground = mesh_shape(tiles());
    Random      r(5);
    for (int i = 0; i < 2000; ++i) {
        // On a line over vertices and seams at first, then anywhere.
        const Vec3d p = i < 1000 ? Vec3d{0.0016 * i - 0.8, i < 500 ? 0.0 : 0.5 * (0.0016 * i - 0.8), 0.245}
                                 : Vec3d{r.uniform(-0.9, 0.9), r.uniform(-0.9, 0.9), r.uniform(0.2, 0.27)};
        const auto  m = contacts(ground, shape(ShapeKind::sphere, {0.25, 0, 0}, p), 0.05);
        CAPTURE(i);
        REQUIRE(m.count == 1);
        CHECK(length(cross(m.points[0].normal, Vec3d{0, 0, 1})) < 1e-3);
        CHECK(m.points[0].distance == close_to(p.z - 0.25, 2e-5));
    }
}

TEST_CASE("boxes, capsules, cylinders and hulls on a tessellated plane feel only the plane (COL-099)")
{
    const Shape ground = mesh_shape(tiles());
    for_seeds(300, [&](Random& r) {
        const ShapeKind kinds[] = {ShapeKind::box,  ShapeKind::capsule,   ShapeKind::cylinder,
                                   ShapeKind::cone, ShapeKind::ellipsoid, ShapeKind::hull};
        const ShapeKind kind    = kinds[r.below(std::size(kinds))];
        Shape s = shape(kind, {r.uniform(0.05, 0.2), r.uniform(0.05, 0.2), r.uniform(0.05, 0.2)}, {}, r.rotation());
        if (kind == ShapeKind::hull) s.hull = &cube_hull();
        if (r.below(2) == 0) s.R = to_matrix(turn('z', r.uniform(0, 360)));  // standing upright
        // Lowered until it sinks in by a known depth.
        const double depth = r.uniform(-0.01, 0.01);
        s.p                = {r.uniform(-0.3, 0.3), r.uniform(-0.3, 0.3), 0};
        s.p.z              = -collision::bounds(s).lower.z - depth;
        const auto m       = contacts(ground, s, 0.02);
        CAPTURE(static_cast<int>(kind));
        REQUIRE(m.count > 0);
        CHECK(deepest(m) == close_to(-depth, 2e-5));
        for (int i = 0; i < m.count; ++i)
            CHECK(length(cross(m.points[static_cast<std::size_t>(i)].normal, Vec3d{0, 0, 1})) < 1e-3);
    });
}

TEST_CASE("a box pushed over the edge of a solid mesh agrees with the same box over a box")
{
    // The mesh is the boundary of the box, so the deepest distance is that of the two boxes while it is shallow.
    for_seeds(300, [](Random& r) {
        Shape b =
            shape(ShapeKind::box, {r.uniform(0.1, 0.3), r.uniform(0.1, 0.3), r.uniform(0.1, 0.3)}, {}, r.rotation());
        const Vec3d d     = r.direction();
        const Shape solid = shape(ShapeKind::box, {0.5, 0.5, 0.5});
        b.p               = 2.0 * d;
        const auto apart  = collision::core_distance(solid, b);
        b.p -= (apart.distance + 0.004) * apart.normal;  // 4 mm deep along the first normal met
        const double expected = collision::core_distance(solid, b).distance;
        const auto   m        = contacts(mesh_shape(cube_surface()), b, 0.02);
        REQUIRE(m.count > 0);
        CHECK(deepest(m) == close_to(expected, 1e-3));
    });
}

TEST_CASE("an open mesh is one-sided, a closed one pushes out what has sunk in (COL-101)")
{
    const Shape below = shape(ShapeKind::sphere, {0.1, 0, 0}, {0.13, 0.07, -0.05});
    CHECK(contacts(mesh_shape(tiles()), below).count == 0);
    for (const double depth : {0.01, 0.05, 0.09}) {
        const auto m =
            contacts(mesh_shape(cube_surface()), shape(ShapeKind::sphere, {0.1, 0, 0}, {0.13, 0.5 - depth, 0.07}));
        REQUIRE(m.count == 1);
        CHECK(distance(m.points[0].normal, Vec3d{0, 1, 0}) < 1e-9);
        CHECK(m.points[0].distance == close_to(-depth - 0.1, 1e-9));
    }
}

TEST_CASE("a mesh wound inwards, mirrored, or split at its seams is the same solid (COL-082)")
{
    const Shape ball     = shape(ShapeKind::sphere, {0.2, 0, 0}, {0.1, 0.2, 0.65});
    const auto  expected = contacts(mesh_shape(cube_surface()), ball);
    REQUIRE(expected.count == 1);
    geometry::Mesh inward = cube_mesh(0.5), split, plain = cube_mesh(0.5);
    for (auto& t : inward.triangles) std::swap(t[0], t[1]);
    for (const auto& t : plain.triangles) {
        const auto first = static_cast<std::int32_t>(split.points.size());
        for (const auto v : t) split.points.push_back(plain.points[static_cast<std::size_t>(v)]);
        split.triangles.push_back({first, first + 1, first + 2});
    }
    struct {
        const geometry::Mesh* mesh;
        Vec3d                 scale;
    } rows[] = {{&inward, {1, 1, 1}}, {&plain, {-1, 1, 1}}, {&plain, {1, -1, -1}}, {&split, {1, 1, 1}}};
    for (const auto& row : rows) {
        const auto mesh = collision::make_mesh_shape(*row.mesh, row.scale, false);
        CHECK(mesh.closed);
        const auto m = contacts(mesh_shape(mesh), ball);
        REQUIRE(m.count == 1);
        CHECK(m.points[0].distance == close_to(expected.points[0].distance, 1e-12));
        CHECK(distance(m.points[0].normal, expected.points[0].normal) < 1e-12);
    }
}

TEST_CASE("a mesh of no triangles, or of slivers only, is harmless (COL-157)")
{
    geometry::Mesh empty, slivers{.points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, .triangles = {{0, 1, 2}, {0, 0, 1}}};
    for (const geometry::Mesh* source : {&empty, &slivers}) {
        const auto mesh = collision::make_mesh_shape(*source, {1, 1, 1}, true);
        CHECK(contacts(mesh_shape(mesh), shape(ShapeKind::sphere, {1, 0, 0})).count == 0);
        CHECK(contacts(mesh_shape(mesh), mesh_shape(cube_surface())).count == 0);
    }
}

TEST_CASE("two solids in one mesh leave the room between them free, and a point of no triangle is no part of it")
{
    geometry::Mesh two;
    for (const double x : {-1.0, 1.0}) {
        const auto first = static_cast<std::int32_t>(two.points.size());
        for (const Vec3d& p : cube_mesh(0.5).points) two.points.push_back(p + Vec3d{x, 0, 0});
        for (const auto& t : cube_mesh(0.5).triangles)
            two.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    }
    two.points.push_back({0, 0, 3});
    geometry::Mesh one = cube_mesh(0.5);
    one.points.push_back({0, 0, 3});
    for (const bool with_hull : {false, true}) {
        CAPTURE(with_hull);
        const auto  pair  = collision::make_mesh_shape(two, {1, 1, 1}, with_hull),
                    alone = collision::make_mesh_shape(one, {1, 1, 1}, with_hull),
                    small = collision::make_mesh_shape(cube_mesh(0.2), {1, 1, 1}, with_hull);
        const Shape ball  = shape(ShapeKind::sphere, {0.3, 0, 0}),
                    above = shape(ShapeKind::sphere, {0.3, 0, 0}, {0, 0, 2});
        CHECK(contacts(mesh_shape(pair), ball, 0.1).count == 0);  // 0.2 m to either side
        CHECK(contacts(mesh_shape(pair), mesh_shape(small), 0.1).count == 0);
        CHECK(deepest(contacts(mesh_shape(pair), ball, 0.3)) == close_to(0.2, 1e-9));
        CHECK(contacts(mesh_shape(alone), above, 0.1).count == 0);
        CHECK(contacts(mesh_shape(alone), mesh_shape(small, {0, 0, 2}), 0.1).count == 0);
    }
}
