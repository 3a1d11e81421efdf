#include <cmath>

#include "hand_contacts.h"
#include "world.h"

using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kDt = 1.0 / 60;

/// A world that collides for itself.
struct Belt : World {
    collision::CollisionPipeline pipeline;
    model::Contacts              contacts;

    explicit Belt(const model::ModelBuilder& b, bool sleeping = false)
        : World(b), pipeline(model), contacts(pipeline.make_contacts())
    {
        auto made = solvers::make_solver("softstep", model, {.sleeping = sleeping}, notices);
        REQUIRE(made);
        solver = std::move(*made);
    }
    void advance(int steps)
    {
        for (int i = 0; i < steps; ++i) {
            pipeline.collide(state, kDt, contacts);
            step(kDt, &contacts);
            REQUIRE_FALSE(report.diverged);
        }
    }
};

/// A long belt whose top is at z = 0, its surface moving; returns the builder with a box of 1 kg lying on it, mu 0.5.
model::ModelBuilder conveyor(const model::ShapeConfig& surface, const Quatd& turn, bool kinematic)
{
    model::ModelBuilder b;
    b.rigid_gap             = 0.01;
    b.default_shape.mu      = 0.5;
    std::int32_t       body = model::kWorldBody;
    model::ShapeConfig belt = surface;
    belt.mu                 = 0.5;
    const Posed place{{0, 0, -0.1}, turn};
    if (kinematic) {
        body                                           = b.add_body(place, "belt");
        b.bodies[static_cast<std::size_t>(body)].flags = model::body_flag::kinematic;
    }
    // The belt is as long along either axis, so that a turned one carries as far.
    b.add_shape_box(body, kinematic ? Posed{} : place, {5, 5, 0.1}, belt);
    add_box(b, {{0, 0, 0.1}, {}}, {0.1, 0.1, 0.1}, 1);
    return b;
}

}  // namespace

TEST_CASE("a box laid on a belt is carried along after the slip that friction needs (DYN-091, T-33)")
{
    // mu g = 4.905 m/s^2 brings the box to 1 m/s after 0.20387 s; by then the belt is 0.10194 m ahead.
    const Quatd quarter = from_axis_angle(Vec3d{0, 0, 1}, 0.5 * kPi);
    struct {
        const char* what;
        Vec3d       linear;
        bool        world;
        Quatd       turn;
        bool        kinematic;
    } table[] = {
        {"a static belt", {1, 0, 0}, false, {}, false},
        {"a kinematic body that stands", {1, 0, 0}, false, {}, true},
        {"a turned belt, its own axes", {0, -1, 0}, false, quarter, false},
        {"a turned belt, world axes", {1, 0, 0}, true, quarter, true},
        {"what points out of the surface reaches nothing", {1, 0, 3}, false, {}, false},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        model::ShapeConfig surface;
        surface.surface_velocity.linear = row.linear;
        surface.surface_in_world        = row.world;
        Belt              w(conveyor(surface, row.turn, row.kinematic));
        const std::size_t box     = row.kinematic ? 1 : 0;
        double            matched = 0, time = 0;
        for (int i = 0; i < 60; ++i) {
            const double before = w.velocity(box).x;
            w.advance(1);
            time += kDt;
            const double now = w.velocity(box).x;
            // Steps are far apart: the moment lies between two of them, on the straight line that the speed follows.
            if (matched == 0 && now > 0.99) matched = time - kDt + (1 - before) / (0.5 * 9.81);
        }
        CHECK(matched == close_to(0.20387, 0.02 * 0.20387));
        CHECK(time - w.position(box).x == close_to(0.10194, 0.02 * 0.10194));
        CHECK(w.velocity(box).x == close_to(1, 1e-3));
        CHECK(std::abs(w.position(box).y) < 1e-3);
        CHECK(w.position(box).z == close_to(0.1, 1e-3));
        if (row.kinematic) CHECK(w.position(0) == Vec3d{0, 0, static_cast<double>(Real(-0.1))});
    }
}

TEST_CASE("a turntable's surface carries a box around its shape's origin and turns it")
{
    // 0.5 rad/s at 0.4 m needs 0.1 m/s^2 towards the middle, a fiftieth of what friction gives.
    model::ShapeConfig surface;
    surface.surface_velocity.angular = {0, 0, 0.5};
    model::ModelBuilder b            = conveyor(surface, {}, false);
    b.bodies.back().q.p              = {0.4, 0, 0.1};
    Belt w(b);
    w.advance(240);
    const double at = std::atan2(w.position(0).y, w.position(0).x);
    CHECK(w.spin(0).z == close_to(0.5, 0.01));
    CHECK(std::hypot(w.position(0).x, w.position(0).y) == close_to(0.4, 0.01));
    // It starts from rest: 0.2 m/s are reached after 0.041 s, half a millimetre for each of which is lost.
    CHECK(at == close_to(0.5 * (4 - 0.5 * 0.041), 0.02));
}

TEST_CASE("a box blocked on a running belt rests against the wall with the friction that the belt spends on it")
{
    model::ShapeConfig surface;
    surface.surface_velocity.linear = {1, 0, 0};
    model::ModelBuilder b           = conveyor(surface, {}, false);
    model::ShapeConfig  smooth;
    smooth.mu             = 0;  // of the wall and the box, so that the wall only pushes; of belt and box 0.5 is left
    b.shapes[0].config.mu = 1;
    b.shapes[1].config.mu = 0;
    b.add_shape_box(model::kWorldBody, {{0.35, 0, 0.5}, {}}, {0.05, 1, 0.5}, smooth);
    Belt w(b);
    w.advance(180);
    CHECK(length(w.velocity(0)) < 1e-3);
    double pushed = 0;
    for (int i = 0; i < w.contacts.rigid_contact_count; ++i) {
        const std::int32_t s0 = w.contacts.rigid_contact_shape0[i], s1 = w.contacts.rigid_contact_shape1[i];
        if (s0 == 2 || s1 == 2) pushed += static_cast<double>(w.contacts.rigid_contact_force[i].x) * (s0 == 2 ? 1 : -1);
    }
    CHECK(std::abs(pushed) == close_to(0.5 * 9.81, 0.02 * 0.5 * 9.81));  // mu m g
}

TEST_CASE("what lies on a slow belt does not fall asleep")
{
    // 0.03 m/s is below the speed of sleep, 0.05 m/s.
    model::ShapeConfig surface;
    surface.surface_velocity.linear = {0.03, 0, 0};
    Belt w(conveyor(surface, {}, false), true);
    w.advance(300);
    CHECK(w.solver->is_awake(0));
    CHECK(w.position(0).x == close_to(0.03 * 5, 0.002));
}
