#include "mechane/collision/scene_queries.h"

#include <algorithm>

#include "mechane/model/builder.h"
#include "mechane/tasks/parallel.h"
#include "models.h"
#include "shapes.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::collision;

namespace {

Shape random_shape(Random& r, ShapeKind kind)
{
    Shape s = shape(kind, {r.uniform(0.1, 0.6), r.uniform(0.1, 0.6), r.uniform(0.1, 0.6)}, r.vec(0.5), r.rotation());
    if (kind == ShapeKind::hull) s.hull = &cube_hull();
    if (kind == ShapeKind::mesh) s.mesh = &cube_surface();
    return s;
}
constexpr ShapeKind kSolids[] = {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::ellipsoid, ShapeKind::cylinder,
                                 ShapeKind::box,    ShapeKind::cone,    ShapeKind::hull,      ShapeKind::mesh};

}  // namespace

TEST_CASE("rays meet every shape where the closed forms say (COL-139)")
{
    const double r5 = std::sqrt(5.0);
    struct {
        const char*           id;
        Shape                 s;
        Vec3d                 origin, direction;
        std::optional<double> t;
        Vec3d                 normal;
        bool                  cull = false;
    } table[] = {
        {"sphere", shape(ShapeKind::sphere, {0.5, 0, 0}), {-2, 0, 0}, {1, 0, 0}, 1.5, {-1, 0, 0}},
        {"sphere inside", shape(ShapeKind::sphere, {0.5, 0, 0}), {}, {1, 0, 0}, 0.5, {1, 0, 0}},
        {"box", shape(ShapeKind::box, {1, 0.5, 0.25}), {0, 0, 5}, {0, 0, -1}, 4.75, {0, 0, 1}},
        {"box inside", shape(ShapeKind::box, {1, 0.5, 0.25}), {}, {0, 1, 0}, 0.5, {0, 1, 0}},
        {"box missed", shape(ShapeKind::box, {1, 0.5, 0.25}), {0, 2, 5}, {0, 0, -1}, {}, {}},
        {"capsule end", shape(ShapeKind::capsule, {0.25, 0.5, 0}), {0, 0, 5}, {0, 0, -1}, 4.25, {0, 0, 1}},
        {"capsule side", shape(ShapeKind::capsule, {0.25, 0.5, 0}), {5, 0, 0}, {-1, 0, 0}, 4.75, {1, 0, 0}},
        {"cylinder side", shape(ShapeKind::cylinder, {0.5, 0.5, 0}), {5, 0, 0}, {-1, 0, 0}, 4.5, {1, 0, 0}},
        {"cylinder cap", shape(ShapeKind::cylinder, {0.5, 0.5, 0}), {0.2, 0, 5}, {0, 0, -1}, 4.5, {0, 0, 1}},
        {"cone side", shape(ShapeKind::cone, {0.5, 0.5, 0}), {5, 0, 0}, {-1, 0, 0}, 4.75, {2 / r5, 0, 1 / r5}},
        {"cone base", shape(ShapeKind::cone, {0.5, 0.5, 0}), {0.1, 0, -5}, {0, 0, 1}, 4.5, {0, 0, -1}},
        {"ellipsoid", shape(ShapeKind::ellipsoid, {0.5, 0.4, 0.3}), {0, 5, 0}, {0, -1, 0}, 4.6, {0, 1, 0}},
        {"plane", shape(ShapeKind::plane, {}), {0, 0, 2}, {0, 0, -1}, 2, {0, 0, 1}},
        {"plane away", shape(ShapeKind::plane, {}), {0, 0, 2}, {0, 0, 1}, {}, {}},
        {"plane from below", shape(ShapeKind::plane, {}), {0, 0, -2}, {0, 0, 1}, 2, {0, 0, 1}},
        {"plane culled", shape(ShapeKind::plane, {}), {0, 0, -2}, {0, 0, 1}, {}, {}, true},
        {"plane along", shape(ShapeKind::plane, {}), {0, 0, 2}, {1, 0, 0}, {}, {}},
        {"rectangle", shape(ShapeKind::rectangle, {1, 2, 0}), {0.9, 1.9, 1}, {0, 0, -1}, 1, {0, 0, 1}},
        {"rectangle missed", shape(ShapeKind::rectangle, {1, 2, 0}), {1.1, 0, 1}, {0, 0, -1}, {}, {}},
        {"mesh", mesh_shape(cube_surface()), {0.1, 0.2, 3}, {0, 0, -1}, 2.5, {0, 0, 1}},
        {"hull", hull_shape(cube_hull()), {0.1, 0.2, 3}, {0, 0, -1}, 2.5, {0, 0, 1}},
        {"no direction", shape(ShapeKind::sphere, {0.5, 0, 0}), {-2, 0, 0}, {}, {}, {}},
    };
    for (const auto& row : table) {
        CAPTURE(row.id);
        const auto hit = cast_ray(row.s, row.origin, row.direction, kInfinity, row.cull);
        REQUIRE(hit.has_value() == row.t.has_value());
        if (!hit) continue;
        CHECK(hit->t == close_to(*row.t, 1e-12));
        CHECK(distance(hit->normal, row.normal) < 1e-12);
        // Twice the direction, half the number.
        const auto longer = cast_ray(row.s, row.origin, 2.0 * row.direction, kInfinity, row.cull);
        REQUIRE(longer.has_value());
        CHECK(longer->t == close_to(*row.t / 2, 1e-12));
    }
}

TEST_CASE("a ray hits first where its points first reach the shape, and the hit lies on the surface")
{
    for (const ShapeKind kind : kSolids)
        for_seeds(100, [&](Random& r) {
            CAPTURE(static_cast<int>(kind));
            const Shape  s = random_shape(r, kind);
            const Vec3d  o = s.p + 2.0 * r.direction(), d = normalized(s.p + r.vec(0.5) - o);
            const auto   hit = cast_ray(s, o, d);
            const double end = hit ? hit->t : 4;
            for (double t = 0; t < end - 1e-6;
                 t += 0.02) {  // nothing of the shape before the hit, or anywhere on a miss
                const auto q = nearest_point(s, o + t * d);
                REQUIRE(q.has_value());
                CHECK(q->distance > -1e-9);
            }
            if (!hit) return;
            const auto at = nearest_point(s, o + hit->t * d);
            CHECK(std::abs(at->distance) < 1e-8);
            CHECK(dot(hit->normal, d) < 1e-9);
            CHECK(length(hit->normal) == close_to(1, 1e-12));
        });
}

TEST_CASE("the nearest point lies on the surface, its normal leads to the point, and no other is nearer")
{
    for (const ShapeKind kind : kSolids)
        for_seeds(150, [&](Random& r) {
            CAPTURE(static_cast<int>(kind));
            const Shape s = random_shape(r, kind);
            const Vec3d p = s.p + r.vec(0.7);
            const auto  q = nearest_point(s, p);
            REQUIRE(q.has_value());
            CHECK(distance(q->point + q->distance * q->normal, p) < 1e-7);
            CHECK(std::abs(nearest_point(s, q->point)->distance) < 1e-7);
            // A sphere about p with a smaller radius stays clear: rays of its length reach nothing.
            for (int i = 0; i < 20; ++i) {
                const auto hit = cast_ray(s, p, r.direction());
                if (hit) CHECK(hit->t > std::abs(q->distance) - 1e-9);
                if (q->distance < 0) CHECK(hit.has_value());
            }
            CHECK(!nearest_point(s, p, q->distance - 1e-6).has_value());
        });
}

TEST_CASE("a shape that is carried along touches first where contacts begin")
{
    const ShapeKind convex[] = {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::ellipsoid, ShapeKind::cylinder,
                                ShapeKind::box,    ShapeKind::cone,    ShapeKind::hull};
    for (const ShapeKind kind : kSolids)
        for_seeds(40, [&](Random& r) {
            CAPTURE(static_cast<int>(kind));
            const Shape still  = random_shape(r, kind);
            Shape       moving = random_shape(r, convex[r.below(std::size(convex))]);
            moving.p           = still.p + 3.0 * r.direction();
            const Vec3d travel = 1.5 * (still.p + r.vec(0.4) - moving.p);
            const auto  hit    = cast_shape(moving, travel, still);
            for (double t = 0; t <= 1; t += 0.02) {
                if (hit && t > hit->fraction - 1e-6) break;
                Shape now = moving;
                now.p += t * travel;
                CHECK(!overlap(now, still));
            }
            if (!hit) return;
            Shape touching = moving;
            touching.p += (hit->fraction + 1e-5) * travel;
            CHECK(overlap(touching, still));
            CHECK(dot(hit->normal, travel) < 1e-9);
        });
    // A ball that falls 2 m onto a plane 1 m below its lowest point.
    const auto hit =
        cast_shape(shape(ShapeKind::sphere, {0.5, 0, 0}, {0, 0, 1.5}), {0, 0, -2}, shape(ShapeKind::plane, {}));
    REQUIRE(hit.has_value());
    CHECK(hit->fraction == close_to(0.5, 1e-12));
    CHECK(distance(hit->point, Vec3d{}) < 1e-12);
}

TEST_CASE("overlap agrees with the contacts of the pair, and a closed mesh holds what is inside")
{
    for_seeds(400, [](Random& r) {
        const Shape  a = random_shape(r, kSolids[r.below(7)]), b = random_shape(r, kSolids[r.below(7)]);
        const auto   m = contacts(a, b, 0.01);
        const double d = m.count > 0 ? deepest(m) : 1;
        if (std::abs(d) > 1e-6) CHECK(overlap(a, b) == (d < 0));
        CHECK(overlap(a, b) == overlap(b, a));
    });
    const Shape inside = shape(ShapeKind::sphere, {0.1, 0, 0}, {0.1, 0.1, 0});
    CHECK(overlap(mesh_shape(cube_surface()), inside));
    CHECK(overlap(inside, mesh_shape(cube_surface())));
    CHECK(!overlap(mesh_shape(cube_surface()), shape(ShapeKind::sphere, {0.1, 0, 0}, {0.7, 0, 0})));
}

TEST_CASE("what starts inside a closed mesh is in contact at the start of its cast, as overlap has it")
{
    const Shape cube  = mesh_shape(cube_surface());
    Shape       small = shape(ShapeKind::sphere, {0.1, 0, 0}, {0.1, 0.1, 0});
    for (const Vec3d& travel : {Vec3d{0, 0, 0.01}, Vec3d{0, 0, 5}, Vec3d{}}) {
        REQUIRE(overlap(cube, small));
        const auto hit = cast_shape(small, travel, cube);
        REQUIRE(hit.has_value());
        CHECK(hit->fraction == 0);
        CHECK(length(hit->normal) == close_to(1, 1e-12));
    }
    // From outside the way up to the surface counts as before.
    small.p        = {0.1, 0.1, 2.6};
    const auto hit = cast_shape(small, {0, 0, -4}, cube);
    REQUIRE(hit.has_value());
    CHECK(hit->fraction == close_to((2.6 - 0.1 - 0.5) / 4, 1e-9));
}

TEST_CASE("a scene's rays see their own world and the shared one, equal hits name the smaller shape (COL-140, COL-141)")
{
    model::ModelBuilder env;
    env.add_shape_sphere(env.add_body({{0, 0, 2}, {}}, "ball"), {}, 0.5, env.default_shape);
    model::ModelBuilder b;
    const auto          ground = b.add_ground_plane();
    const auto          box    = b.add_shape_box(-1, {{5, 0, 0.5}, {}}, {0.5, 0.5, 0.5}, b.default_shape);
    const auto          twin   = b.add_shape_box(-1, {{5, 0, 0.5}, {}}, {0.5, 0.5, 0.5}, b.default_shape);
    REQUIRE(b.replicate(env, 2));
    const auto   m = frozen(b);
    SceneQueries scene(m);
    auto         state  = model::make_state(m);
    state.body_q[1].p.z = 3;  // the ball of the second world is higher
    scene.update(state);
    const Vec3d up{0, 0, 10}, down{0, 0, -1};
    CHECK(scene.cast_ray(up, down, 0).shape == 3);
    CHECK(scene.cast_ray(up, down, 0).distance == close_to(7.5, 1e-6));
    CHECK(scene.cast_ray(up, down, 1).distance == close_to(6.5, 1e-6));
    CHECK(scene.cast_ray(up, down, -1).shape == ground);
    CHECK(scene.cast_ray(up, down, 0, {.with_global = false}).shape == 3);
    CHECK(scene.cast_ray({5, 0, 10}, down, 0).shape == std::min(box, twin));
    CHECK(scene.cast_ray({5, 0, 10}, down, 0, {.max_distance = 8}).shape == -1);
    const auto miss = scene.cast_ray(up, {0, 0, 1}, 0);
    CHECK(miss.distance == -1);
    CHECK(miss.shape == -1);
    CHECK(miss.normal == Vec3d{});
    CHECK(scene.any_hit(up, down, 0));
    CHECK(!scene.any_hit(up, {0, 0, 1}, 0));
    CHECK(scene.overlaps(shape(ShapeKind::box, {6, 6, 0.2}, {0, 0, 0.1}), 0) ==
          std::vector<std::int32_t>{ground, box, twin});
    CHECK(scene.nearest({0, 0, 2.9}, 0).shape == 3);
    CHECK(scene.nearest({0, 0, 2.9}, 0).point.distance == close_to(0.4, 1e-6));
    const auto cast = scene.cast(shape(ShapeKind::sphere, {0.5, 0, 0}, {0, 0, 10}), {0, 0, -10}, 0);
    CHECK(cast.shape == 3);
    CHECK(cast.hit.fraction == close_to(0.7, 1e-6));

    // Many rays: a loop over all shapes gives the same hits, and so does any number of threads.
    Random             r(3);
    std::vector<Vec3d> origins, directions;
    for (int i = 0; i < 3000; ++i) origins.push_back(r.vec(6)), directions.push_back(r.direction());
    const std::vector<std::int32_t> worlds(origins.size(), 1);
    std::vector<RayHit>             one(origins.size()), many(origins.size());
    scene.cast_rays(origins, directions, worlds, one);
    for (const int threads : {2, 5}) {
        const tasks::Pool pool(threads);
        scene.cast_rays(origins, directions, worlds, many, {}, &pool);
        for (std::size_t i = 0; i < one.size(); ++i) {
            CHECK(many[i].shape == one[i].shape);
            CHECK(many[i].distance == one[i].distance);
        }
    }
}
