#include "hand_contacts.h"
#include "mechane/geometry/heightfield.h"

using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kDt = 1.0 / 60;

/// A world without gravity whose contacts come from the collision pipeline.
struct Scene {
    /// @param velocities  of the joints' coordinates
    Scene(const model::ModelBuilder& b, const std::vector<double>& velocities)
        : world(b), pipeline(world.model, {}), contacts(pipeline.make_contacts())
    {
        model::State& state = world.state;
        REQUIRE(velocities.size() == state.joint_qd.size());
        for (std::size_t i = 0; i < velocities.size(); ++i) state.joint_qd[i] = static_cast<Real>(velocities[i]);
        REQUIRE(dynamics::eval_fk(world.model, state.joint_q, state.joint_qd, state));
    }
    void step()
    {
        static_cast<void>(pipeline.collide(world.state, kDt, contacts));
        world.step(kDt, &contacts);
        REQUIRE(!world.report.diverged);
    }
    World                        world;
    collision::CollisionPipeline pipeline;
    model::Contacts              contacts;
};

model::ModelBuilder empty_space()
{
    model::ModelBuilder b;
    b.gravity = {};
    return b;
}

}  // namespace

TEST_CASE("a ball of 1 cm at 100 m/s never crosses a wall of 1 mm (DYN-103, T-62)")
{
    // 1.67 m a step and 0.21 m a substep; the wall at every phase of a step, straight on and aslant.
    for (const double x : {0.3, 0.62, 1.35, 1.66, 2.9, 4.4})
        for (const Vec3d& v : {Vec3d{100, 0, 0}, Vec3d{80, 60, 0}}) {
            CAPTURE(x);
            auto b = empty_space();
            b.add_shape_box(-1, {{x, 0, 0}, {}}, {0.0005, 20, 20}, {}, "wall");
            add_ball(b, {0, 0.1, 0.2}, 0.01, 0.1);
            Scene scene(b, {v.x, v.y, v.z, 0, 0, 0});
            for (int i = 0; i < 10; ++i) {
                scene.step();
                CHECK(scene.world.position(0).x < x);
            }
            CHECK(scene.world.velocity(0).x < 1e-3 * length(v));
        }
}

TEST_CASE("what a fast ball does not meet does not stop it (DYN-103)")
{
    // The ball passes 5 cm above the wall's edge and 5 cm beside a post: nothing may push it.
    auto b = empty_space();
    b.add_shape_box(-1, {{1.35, 0, -1}, {}}, {0.0005, 2, 1}, {}, "wall");
    b.add_shape_sphere(-1, {{2.0, 0.07, 0.06}, {}}, 0.01, {}, "post");
    add_ball(b, {0, 0, 0.06}, 0.01, 0.1);
    Scene scene(b, {100, 0, 0, 0, 0, 0});
    for (int i = 0; i < 3; ++i) scene.step();
    CHECK(scene.world.position(0).x == close_to(3 * 100 * kDt, 1e-5));
    CHECK(length(scene.world.velocity(0) - Vec3d{100, 0, 0}) == close_to(0, 1e-10));
}

TEST_CASE("a rod of 1 m at 60 rad/s does not pass a thin post (DYN-103, T-63)")
{
    // One radian a step. The post at several angles ahead of the tip: the rod has to stay on its side of it.
    for (const double degrees : {20.0, 40.0, 55.0, 75.0, 110.0, 150.0}) {
        CAPTURE(degrees);
        const double angle = degrees * kDegrees;
        auto         b     = empty_space();
        b.add_shape_capsule(-1, {{0.4 * std::cos(angle), 0.4 * std::sin(angle), 0}, {}}, 0.002, 0.5, {}, "post");
        const auto         rod = b.add_link({}, "rod", 1, {}, Mat33d::diagonal({1e-4, 1.0 / 12, 1.0 / 12}));
        model::ShapeConfig weightless;
        weightless.density = 0;
        b.add_shape_box(rod, {}, {0.5, 0.002, 0.002}, weightless, "rod");
        const auto hinge = b.add_joint_revolute(-1, rod, {}, {}, dof({0, 0, 1}), "hinge");
        b.add_articulation({hinge}, "rod");
        Scene scene(b, {60});
        for (int i = 0; i < 20; ++i) {
            scene.step();
            CHECK(scene.world.q(0) < angle);
        }
    }
}

TEST_CASE("two fast balls meet head on and neither gets past the other (DYN-103)")
{
    auto b = empty_space();
    add_ball(b, {0, 0, 0}, 0.01, 0.1);
    add_ball(b, {1.9, 0, 0}, 0.01, 0.1);
    Scene scene(b, {60, 0, 0, 0, 0, 0, -60, 0, 0, 0, 0, 0});
    for (int i = 0; i < 5; ++i) {
        scene.step();
        CHECK(scene.world.position(0).x < scene.world.position(1).x);
    }
    CHECK(scene.world.velocity(0).x == close_to(0, 0.1));
}

namespace {

std::shared_ptr<geometry::Mesh> hills(double height)
{
    return std::make_shared<geometry::Mesh>(geometry::grid_mesh(
        12, 12, geometry::GridOrder::y_fastest,
        [&](int i, int j) {
            return Vec3d{0.3 * (i - 6), 0.3 * (j - 6), height * std::cos(1.1 * i) * std::sin(0.9 * j)};
        },
        [](int, int) { return geometry::Diagonal::falling; }));
}

}  // namespace

TEST_CASE("a fast ball that skims the floor of a mesh is stopped by a wall of the same mesh (DYN-103)")
{
    // The floor is nearest all the way, and the ball does not come any nearer to it.
    auto room       = std::make_shared<geometry::Mesh>();
    room->points    = {{-5, -5, 0}, {3, -5, 0}, {3, 5, 0}, {-5, 5, 0}, {3, -5, 2}, {3, 5, 2}};
    room->triangles = {{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}};
    for (const double x : {-0.2, 0.05, 0.31, 0.77, 1.1, 1.36}) {
        CAPTURE(x);
        auto b = empty_space();
        b.add_shape_mesh(-1, {}, {1, 1, 1}, room, {}, "room");
        add_ball(b, {x, 0, 0.02}, 0.01, 0.1);
        Scene scene(b, {60, 0, 0, 0, 0, 0});
        for (int i = 0; i < 6; ++i) {
            scene.step();
            CHECK(scene.world.position(0).x < 3);
        }
    }
}

TEST_CASE("what meets a surface on its way has contacts, what does not has none (DYN-103)")
{
    // The way looked at in small steps says which of both it is.
    constexpr int    kLooks = 500;
    constexpr double kSure  = 2e-3;
    int              met = 0, passed = 0;
    for_seeds(600, [&](Random& r) {
        const Vec3d v{r.uniform(-15, 15), r.uniform(-15, 15), r.uniform(-20, 4)};
        if (length(v) * kDt < 0.12) return;
        const Vec3d w = r.uniform(0, 25) * r.direction();
        const Posed start{{r.uniform(-0.7, 0.7), r.uniform(-0.7, 0.7), r.uniform(0.25, 0.6)}, r.rotation()};
        auto        b       = empty_space();
        const auto  surface = hills(r.uniform(0, 0.15));
        if (r.below(4) == 0)
            b.add_shape_box(-1, {{0, 0, -0.2}, r.rotation()}, {0.6, 0.4, 0.2}, {}, "block");
        else
            b.add_shape_mesh(-1, {}, {1, 1, 1}, surface, {}, "hills");
        const auto  body = b.add_body(start, "body");
        const Vec3d size{r.uniform(0.02, 0.15), r.uniform(0.02, 0.15), r.uniform(0.02, 0.15)};
        const Posed off{r.below(2) == 0 ? Vec3d{} : r.uniform(0, 0.1) * r.direction(), r.rotation()};
        switch (r.below(5)) {
            case 0:
                b.add_shape_sphere(body, off, size.x, {});
                break;
            case 1:
                b.add_shape_capsule(body, off, 0.5 * size.x, size.y, {});
                break;
            case 2:
                b.add_shape_cylinder(body, off, size.x, size.y, {});
                break;
            case 3:
                b.add_shape_box(body, off, size, {});
                break;
            default:
                b.add_shape_ellipsoid(body, off, size, {});
        }
        Scene  scene(b, {v.x, v.y, v.z, w.x, w.y, w.z});
        double nearest = 1;
        static_cast<void>(scene.pipeline.collide(scene.world.state, kDt, scene.contacts));
        const auto found = scene.contacts.rigid_contact_count;
        // Without a time to look ahead contacts are those of the place alone.
        const Posed X0    = static_cast<Posed>(scene.world.state.body_q[0]);
        const Vec3d com   = X0 * static_cast<Vec3d>(scene.world.model.body_com[0]);
        const Vec3d moves = static_cast<Vec3d>(scene.world.state.body_qd[0].linear);
        for (int k = 0; k <= kLooks; ++k) {
            const double t    = kDt * k / kLooks;
            const Quatd  turn = from_rotation_vector(t * w);
            const Posed  X{com + t * moves + rotate(turn, X0.p - com), normalized(turn * X0.q)};
            scene.world.state.body_q[0]  = static_cast<PoseT<Real>>(X);
            scene.world.state.body_qd[0] = {};
            static_cast<void>(scene.pipeline.collide(scene.world.state, 0, scene.contacts));
            for (std::int32_t i = 0; i < scene.contacts.rigid_contact_count; ++i)
                nearest = std::min<double>(nearest, scene.contacts.rigid_contact_distance[i]);
        }
        CAPTURE(nearest);
        if (nearest < -kSure) {
            ++met;
            CHECK(found > 0);
        } else if (nearest > kSure) {
            ++passed;
            CHECK(found == 0);
        }
    });
    CHECK(met > 50);
    CHECK(passed > 50);
}
