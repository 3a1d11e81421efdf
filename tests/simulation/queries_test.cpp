#include <doctest/doctest.h>

#include <cmath>

#include "mechane/collision/gjk.h"
#include "mechane/collision/narrow.h"
#include "mechane/collision/queries.h"
#include "simulation/scenes.h"

using namespace face_tests;

TEST_CASE("rays, nearest surfaces and casts find what is where, before any update and after")
{
    const Yard    y = yard();
    const Queries queries(y.model);
    // The box has its top at 0.5 + 0.3.
    const auto hit = queries.ray(kShared, {2, 0, 5}, {0, 0, -3});
    REQUIRE(hit);
    CHECK(hit->shape == y.box_shape);
    CHECK(hit->body == y.box);
    CHECK(hit->distance == doctest::Approx(4.2).epsilon(1e-6));
    CHECK(hit->normal.z == doctest::Approx(1));
    CHECK(!queries.ray(kShared, {2, 0, 5}, {0, 0, -1}, 4));
    const auto near = queries.nearest(kShared, {2, 0, 1});
    REQUIRE(near);
    CHECK(near->distance == doctest::Approx(0.2).epsilon(1e-6));
    // The box is carried down: its lowest point is 0.2 m above the ground.
    const auto cast = queries.cast(y.box_shape, {0, 0, -1});
    REQUIRE(cast);
    CHECK(cast->shape == y.ground);
    CHECK(cast->fraction == doctest::Approx(0.2).epsilon(1e-6));

    Simulation sim(y.model);
    sim.set_pose(y.box, {{3, 0, 2}});
    CHECK(!sim.queries().ray(kShared, {2, 0, 0.9}, {0, 0, -1}, 0.5));
    CHECK(sim.queries().ray(kShared, {3, 0, 5}, {0, 0, -1})->distance == doctest::Approx(2.7).epsilon(1e-6));
}

TEST_CASE("two shapes of a model have a distance, whatever their kinds")
{
    ModelBuilder  b;
    const ShapeId ground      = b.add_ground();
    const BodyId  ball        = b.add_body({.position = {0, 0, 3}});
    const ShapeId sphere      = b.add_sphere(ball, {.radius = 0.5});
    const BodyId  block       = b.add_body({.position = {4, 0, 3}});
    const ShapeId box         = b.add_box(block, {.half = {1, 1, 1}});
    const Vec3d   points[]    = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int     triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const BodyId  wedge       = b.add_body({.position = {8, 0, 3}});
    const ShapeId mesh        = b.add_mesh(wedge, {.points = points, .triangles = triangles});
    const BodyId  other       = b.add_body({.position = {8, 0, 6}});
    const ShapeId second      = b.add_mesh(other, {.points = points, .triangles = triangles});
    const Queries q(b.finalize().expect());
    CHECK(q.distance(sphere, box).expect().distance == doctest::Approx(2.5).epsilon(1e-9));
    CHECK(q.distance(box, sphere).expect().distance == doctest::Approx(2.5).epsilon(1e-9));
    CHECK(q.distance(box, sphere).expect().normal.x == doctest::Approx(-1));
    CHECK(q.distance(ground, sphere).expect().distance == doctest::Approx(2.5).epsilon(1e-9));
    CHECK(q.distance(sphere, ground).expect().on_b.z == doctest::Approx(0));
    CHECK(q.distance(ground, mesh).expect().distance == doctest::Approx(3).epsilon(1e-9));
    CHECK(q.distance(mesh, box).expect().distance == doctest::Approx(3).epsilon(1e-6));
    CHECK(q.distance(box, mesh).expect().distance == doctest::Approx(3).epsilon(1e-6));
    // The apex of the lower wedge is at z = 4, the base of the upper one at z = 6.
    CHECK(q.distance(mesh, second).expect().distance == doctest::Approx(2).epsilon(1e-6));
    CHECK(q.distance(second, mesh).expect().normal.z == doctest::Approx(-1));
    CHECK(!q.distance(ground, ground));
    CHECK(q.overlap(ground, ground));
    CHECK(q.overlap(sphere, sphere));
    CHECK(!q.overlap(sphere, box));
}

TEST_CASE(
    "what does not collide weighs, and no query sees it, whether it was built so or edited so, until an edit says "
    "otherwise")
{
    ModelBuilder  builder;
    const BodyId  body  = builder.add_body({.position = {0, 0, 3}});
    const ShapeId ghost = builder.add_box(body, {.half = {0.5, 0.5, 0.5}, .surface = {.collides = false}});
    const ShapeId wall  = builder.add_box(kWorld, {.half = {0.5, 0.5, 0.5}, .position = {0.2, 0, 3}});
    const ShapeId ball  = builder.add_sphere(kWorld, {.radius = 0.1, .position = {-3, 0, 3}});
    Simulation    sim(builder.finalize().expect(), {.dt = 1e-3});
    CHECK(sim.model()->mass(body) == doctest::Approx(1000));
    for (const bool seen : {false, true, false}) {
        CAPTURE(seen);
        sim.edit([&](ModelEdit& e) { e.set_collides(ghost, seen); }).expect();
        const Queries& q = sim.queries();
        CHECK(q.ray(kShared, {-2, 0, 3}, {1, 0, 0}).value().shape == (seen ? ghost : wall));
        CHECK(q.nearest(kShared, {-1, 0, 3}).value().shape == (seen ? ghost : wall));
        CHECK(q.overlap(ghost, wall) == seen);
        CHECK(q.overlaps(wall).size() == (seen ? 1 : 0));
        CHECK(q.overlaps(ghost).size() == (seen ? 1 : 0));
        CHECK(q.distance(ghost, ball).has_value() == seen);
        CHECK(q.cast(ball, {10, 0, 0}).value().shape == (seen ? ghost : wall));
        CHECK(failure_of([&] { (void)q.cast(ghost, {0, 0, 1}); }).empty() == seen);
    }
    // Built so, it sees none either before any edit.
    const Queries built(builder.finalize().expect());
    CHECK(built.ray(kShared, {-2, 0, 3}, {1, 0, 0}).value().shape == wall);
    CHECK(built.distance(ghost, ball).error().id == "SIM_DISTANCE");
}

TEST_CASE("collide meets kinds in any order, and says what it cannot meet")
{
    using namespace collision;
    Shape box, ball, triangle;
    box.kind      = ShapeKind::box;
    box.size      = {1, 1, 1};
    ball.kind     = ShapeKind::sphere;
    ball.size     = {0.5, 0, 0};
    ball.p        = {0, 0, 1.4};
    triangle.kind = ShapeKind::triangle;
    Manifold there, back;
    collide(ball, box, 0.1, there);
    collide(box, ball, 0.1, back);
    REQUIRE(there.count == 1);
    REQUIRE(back.count == 1);
    CHECK(there.points[0].distance == doctest::Approx(-0.1));
    CHECK(back.points[0].distance == there.points[0].distance);
    CHECK(back.points[0].normal == -there.points[0].normal);
    CHECK(back.points[0].p0 == there.points[0].p1);
    CHECK(failure_of([&] { collide(triangle, box, 0.1, back); }) == "API_ARGUMENT");
    Shape hull;
    hull.kind = ShapeKind::hull;
    CHECK(failure_of([&] { collide(box, hull, 0.1, back); }) == "API_ARGUMENT");
    Shape plane;
    plane.kind = ShapeKind::plane;
    CHECK(failure_of([&] { (void)core_distance(plane, ball); }) == "API_ARGUMENT");
    CHECK(route_of(ShapeKind::triangle, ShapeKind::box).empty());
}
