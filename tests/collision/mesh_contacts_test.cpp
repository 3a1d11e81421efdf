#include <vector>

#include "mechane/collision/narrow.h"
#include "mechane/collision/pipeline.h"
#include "mechane/geometry/hull.h"
#include "mechane/model/builder.h"
#include "models.h"
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
    "without reduction every vertex of a mesh that is in reach of an infinite plane has a contact, with it only those "
    "that carry, the deepest among them (COL-103)")
{
    Random r(103);
    for (int i = 0; i < 60; ++i) {
        CAPTURE(i);
        // A star of 32 corners above and 32 below, drawn out along z: not convex, deep in the plane or touching it.
        auto           mesh = std::make_shared<geometry::Mesh>();
        constexpr auto kStar = 32;
        for (const double z : {-0.2, 0.2})
            for (int k = 0; k < kStar; ++k) {
                const double t = 2 * kPi * k / kStar, rho = k % 2 ? 0.5 : r.uniform(0.2, 0.4);
                mesh->points.push_back({rho * std::cos(t), rho * std::sin(t), z});
            }
        for (int k = 0; k < kStar; ++k) {
            const int a = k, b = (k + 1) % kStar;
            mesh->triangles.push_back({a, b, b + kStar});
            mesh->triangles.push_back({a, b + kStar, a + kStar});
        }
        const Vec3d         scale = {r.uniform(0.1, 3), r.uniform(0.1, 3), r.uniform(0.1, 3)};
        const Posed         ground{r.vec(1), i % 3 ? r.rotation() : Quatd{}};
        const Posed         above{ground * Vec3d{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-0.1, 0.3) * scale.z},
                          i % 2 ? ground.q : r.rotation()};
        model::ModelBuilder b;
        b.add_shape_plane(-1, ground, 0, 0, {.margin = 0.001, .gap = 0.002});
        b.add_shape_mesh(b.add_body(above, "star"), {}, scale, mesh, {.margin = 0.001, .gap = 0.002});
        const model::Model m     = test::frozen(b);
        const model::State state = model::make_state(m);

        const Vec3d n     = rotate(ground.q, Vec3d{0, 0, 1});
        int         near  = 0;
        double      least = kInfinity, unsure = 0;
        for (const Vec3d& p : mesh->points) {
            const double d = dot(n, above * mechane::scale(scale, p) - ground.p) - 0.002;
            near += d <= 0.004 ? 1 : 0;
            unsure += std::abs(d - 0.004) < 1e-5 ? 1 : 0;
            least = std::min(least, d);
        }
        if (unsure > 0) continue;
        for (const bool all : {true, false}) {
            PipelineOptions options;
            options.reduce_contacts = !all;
            options.speculative_max = 0;
            CollisionPipeline pipeline(m, options);
            model::Contacts   contacts = pipeline.make_contacts();
            pipeline.collide(state, 0, contacts);
            if (all)
                CHECK(contacts.rigid_contact_count == near);
            else
                CHECK(contacts.rigid_contact_count <= std::min(near, 5));
            double deepest = kInfinity;
            for (std::int32_t k = 0; k < contacts.rigid_contact_count; ++k) {
                deepest = std::min(deepest, static_cast<double>(contacts.rigid_contact_distance[k]));
                CHECK(test::distance(static_cast<Vec3d>(contacts.rigid_contact_normal[k]), -n) < 1e-6);
            }
            if (near > 0) CHECK(deepest == close_to(least, 3e-6));
        }
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

TEST_CASE("a needle and a foil of triangles have the contact of their hull, at their tips too (COL-091)")
{
    // Corners of slivers: which of their triangles has the contact is beyond the accuracy of their angles. The hull, an
    // exact polyhedron, says how near they are.
    struct Case {
        Vec3d size;
        Vec3d partner;
    };
    for (const Case& c : {Case{{1e-6, 1, 5e-7}, {0.3, 0.2, 0.4}}, Case{{1, 1, 1e-7}, {0.3, 0.2, 0.4}}})
        test::for_seeds(300, [&](Random& random) {
            geometry::Mesh sliver = cube(0.5);
            for (Vec3d& p : sliver.points) p = scale(c.size, p + 0.3 * random.vec(1));
            const auto hulled = geometry::build_hull(sliver.points);
            REQUIRE(hulled);
            MeshShape triangles = make_mesh_shape(*hulled, {1, 1, 1}, false);
            triangles.hull.reset();
            const HullShape hull = make_hull_shape(*hulled, {1, 1, 1});
            Shape           exact;
            exact.kind = ShapeKind::hull;
            exact.hull = &hull;
            Shape box  = solid(ShapeKind::box, c.partner, 1.2 * random.direction());
            box.R      = to_matrix(random.rotation());
            Manifold of_hull;
            collide(box, exact, 1, of_hull);
            const Manifold m = touch(of(triangles), box, 1);
            if (of_hull.count == 0 || of_hull.points[0].distance < 1e-3) return;
            double nearest = kInfinity, expected = kInfinity;
            for (int i = 0; i < m.count; ++i)
                nearest = std::min(nearest, m.points[static_cast<std::size_t>(i)].distance);
            for (int i = 0; i < of_hull.count; ++i)
                expected = std::min(expected, of_hull.points[static_cast<std::size_t>(i)].distance);
            CHECK(nearest == close_to(expected, 1e-5));
        });
}

TEST_CASE("level boxes that overlap a part of a hollow mesh are as deep as the least of six ways out (COL-101)")
{
    // Two cubes in one mesh are no convex one, so each triangle is asked. Of level boxes the least way out is along one
    // of the six faces: the least of the overlaps along x, y and z.
    geometry::Mesh two = cube(0.5), far = cube(0.5);
    for (const Vec3d& p : far.points) two.points.push_back(p + Vec3d{10, 0, 0});
    for (auto t : far.triangles) {
        for (std::int32_t& v : t) v += 8;
        two.triangles.push_back(t);
    }
    const MeshShape hollow = make_mesh_shape(two, {1, 1, 1}, true);
    REQUIRE(hollow.closed);
    REQUIRE_FALSE(hollow.hull);
    test::for_seeds(500, [&](Random& random) {
        const Vec3d half{random.uniform(0.02, 0.4), random.uniform(0.02, 0.4), random.uniform(0.02, 0.4)};
        Vec3d       p;
        double      least = kInfinity;
        for (std::size_t i = 0; i < 3; ++i) {
            const double overlap = random.uniform(0.001, 2 * half[i]);
            p[i]                 = (random.below(2) ? 1 : -1) * (0.5 + half[i] - overlap);
            least                = std::min(least, overlap);
        }
        const Manifold m = touch(of(hollow), solid(ShapeKind::box, half, p), 0.01);
        REQUIRE(m.count > 0);
        double deepest = kInfinity;
        for (int i = 0; i < m.count; ++i) deepest = std::min(deepest, m.points[static_cast<std::size_t>(i)].distance);
        CHECK(deepest == close_to(-least, 1e-4 * length(half)));
    });
}

TEST_CASE("a convex mesh of many points meets another mesh with every one of them")
{
    // A ball of 18 by 36 faces, and a cube of triangles whose face lies across each corner of it, 1 cm off.
    constexpr int  kRings = 18;
    geometry::Mesh ball;
    for (int i = 0; i <= kRings; ++i)
        for (int j = 0; j < (i % kRings == 0 ? 1 : 2 * kRings); ++j) {
            const double a = kPi * i / kRings, b = kPi * j / kRings;
            ball.points.push_back({std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)});
        }
    const auto hull = geometry::build_hull(ball.points, {.max_vertices = 1000});
    REQUIRE(hull);
    REQUIRE(hull->points.size() == ball.points.size());
    geometry::Mesh surface = *hull;
    surface.is_convex      = false;  // found out from its triangles
    const MeshShape mesh   = make_mesh_shape(surface, {1, 1, 1}, true),
                    other  = make_mesh_shape(cube(0.5), {1, 1, 1}, true);
    REQUIRE(mesh.hull);
    CHECK(mesh.hull->vertices.size() == ball.points.size());
    for (const Vec3d& p : ball.points) {
        Shape box        = of(other);
        box.p            = 1.51 * p;
        box.R            = to_matrix(rotation_between(Vec3d{0, 0, 1}, p));
        const Manifold m = touch(of(mesh), box, 0.02);
        REQUIRE(m.count > 0);
        double nearest = kInfinity;
        for (int i = 0; i < m.count; ++i) nearest = std::min(nearest, m.points[static_cast<std::size_t>(i)].distance);
        CHECK(nearest == close_to(0.01, 1e-9));
    }
}
