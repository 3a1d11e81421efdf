#include <cmath>
#include "hand_contacts.h"
#include "world.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::literals;

namespace {

/// A world that collides for itself.
struct Ground : World {
    collision::CollisionPipeline pipeline;
    model::Contacts              contacts;

    Ground(const model::ModelBuilder& b, bool sleeping) : World(b), pipeline(model), contacts(pipeline.make_contacts())
    {
        auto made = solvers::make_solver("softstep", model, {.sleeping = sleeping}, notices);
        REQUIRE(made);
        solver = std::move(*made);
    }
    void advance(int steps, double dt = 1.0 / 60)
    {
        for (int i = 0; i < steps; ++i) {
            pipeline.collide(state, dt, contacts);
            step(dt, &contacts);
            REQUIRE_FALSE(report.diverged);
        }
    }
};

model::ModelBuilder tower(int boxes)
{
    model::ModelBuilder b = ground(0.6);
    b.rigid_gap           = 0.01;
    for (int i = 0; i < boxes; ++i) add_box(b, {{0, 0, 0.1 + 0.2 * i}, {}}, {0.1, 0.1, 0.1}, 1);
    return b;
}

}  // namespace

TEST_CASE("a box that has landed sleeps within 1.5 s, keeps its bits, and still weighs on the ground (DYN-126, T-66)")
{
    model::ModelBuilder b = ground(0.6);
    add_box(b, {{0, 0, 0.4}, {}}, {0.1, 0.1, 0.1}, 1);
    Ground w(b, true);
    w.advance(15 + 90);  // sqrt(2 * 0.3 / 9.81) = 0.247 s of fall, then 1.5 s
    REQUIRE_FALSE(w.solver->is_awake(0));
    const model::State rest = w.state;
    w.advance(120);
    CHECK(w.report.sleeping_bodies == 1);
    CHECK(same_bits(rest.body_q, w.state.body_q));
    CHECK(same_bits(rest.joint_q, w.state.joint_q));
    CHECK(w.velocity(0) == Vec3d{});
    CHECK(w.spin(0) == Vec3d{});
    double weight = 0;
    for (std::int32_t i = 0; i < w.contacts.rigid_contact_count; ++i)
        weight += static_cast<double>(w.contacts.rigid_contact_force[i].z);
    CHECK(weight == close_to(9.81, 0.01 * 9.81));
}

TEST_CASE("whatever disturbs a sleeping tower wakes all of it within a step (DYN-127, T-66)")
{
    const struct {
        const char* name;
        void (*disturb)(Ground&);
    } triggers[] = {
        {"a force on the top box", [](Ground& w) { w.state.body_f[4].linear.x = 0.5_r; }},
        {"a velocity", [](Ground& w) { w.state.body_qd[2].linear.x = 0.01_r; }},
        {"a pose", [](Ground& w) { w.state.body_q[2].p.x += 1e-3_r; }},
        {"a joint force", [](Ground& w) { w.control.joint_f[6 * 3] = 1; }},
        {"gravity", [](Ground& w) { w.model.gravity.back().x = 0.1_r; }},
        {"a call", [](Ground& w) { w.solver->wake(0); }},
        {"the loss of the box below", [](Ground& w) { w.state.body_q[0].p.x += 5; }},
    };
    for (const auto& trigger : triggers) {
        CAPTURE(trigger.name);
        Ground w(tower(5), true);
        w.advance(150);
        for (std::int32_t i = 0; i < 5; ++i) REQUIRE_FALSE(w.solver->is_awake(i));
        trigger.disturb(w);
        w.advance(1);
        for (std::int32_t i = 1; i < 5; ++i) CHECK(w.solver->is_awake(i));
    }
}

TEST_CASE("a falling ball wakes what it hits and not what it passes (DYN-127)")
{
    model::ModelBuilder b = tower(1);
    add_ball(b, {0.25, 0, 2}, 0.1, 1);  // passes 5 cm beside the box
    Ground w(b, true);
    w.advance(60);
    CHECK_FALSE(w.solver->is_awake(0));
    CHECK(w.position(1).z < 0.2);

    model::ModelBuilder hit = tower(1);
    add_ball(hit, {0.02, 0, 5}, 0.1, 1);
    Ground v(hit, true);
    v.advance(50);
    CHECK_FALSE(v.solver->is_awake(0));
    v.advance(20);  // falls the 4.7 m in 0.98 s
    CHECK(v.solver->is_awake(0));
}

TEST_CASE(
    "a body that starts asleep hovers until it is touched; with sleeping off it falls at once, with a notice (DYN-110, "
    "T-67)")
{
    for (const bool sleeping : {true, false}) {
        CAPTURE(sleeping);
        model::ModelBuilder b                                  = ground(0.5);
        const auto          body                               = add_box(b, {{0, 0, 2}, {}}, {0.1, 0.1, 0.1}, 1);
        b.bodies[static_cast<std::size_t>(body)].starts_asleep = true;
        add_ball(b, {0, 0, 6}, 0.1, 1);
        Ground w(b, sleeping);
        CHECK(w.notices.count("SOLVER_FEATURE") > 0);  // the world's first solver sleeps never
        w.advance(30);
        CHECK(w.position(0).z == close_to(sleeping ? 2.0 : 2 - 0.5 * 9.81 * 0.25, sleeping ? 0.0 : 0.01));
        w.advance(60);  // the ball reaches the box after sqrt(2 * 3.8 / 9.81) = 0.88 s
        CHECK(w.position(0).z < 1.8);
    }
}

TEST_CASE("what a drive holds does not sleep (DYN-128)")
{
    model::JointDofConfig d;
    d.axis                = {0, 0, 1};
    d.target_ke           = 10;
    d.target_kd           = 1;
    d.actuator_mode       = model::TargetMode::position;
    model::ModelBuilder b = unit_hinge(d);
    Ground              w(b, true);
    w.advance(120);
    CHECK(w.solver->is_awake(0));
    d.target_ke = d.target_kd = 0;
    d.actuator_mode           = model::TargetMode::none;
    Ground idle(unit_hinge(d), true);
    idle.advance(120);
    CHECK_FALSE(idle.solver->is_awake(0));
}

TEST_CASE("nothing sleeps unless it is asked for (DYN-129)")
{
    Ground w(tower(2), false);
    w.advance(150);
    CHECK(w.report.sleeping_bodies == 0);
    CHECK(w.solver->is_awake(0));
}

TEST_CASE("a kinematic body goes to its target pose, with the velocity that takes it there (DYN-107, T-74)")
{
    model::ModelBuilder b                              = ground(0.5);
    model::ShapeConfig  config                         = b.default_shape;
    config.density                                     = 1000;
    const auto platform                                = b.add_link({{0, 0, 0.5}, {}}, "platform");
    b.bodies[static_cast<std::size_t>(platform)].flags = model::body_flag::kinematic;
    b.add_shape_box(platform, {}, {2, 2, 0.1}, config);
    add_box(b, {{0, 0, 0.7}, {}}, {0.1, 0.1, 0.1}, 1);
    for (const double a : {2.0, 6.0}) {
        CAPTURE(a);
        Ground w(b, true);
        w.advance(60);
        const double dt = 1.0 / 120, x0 = w.position(1).x;
        w.control.body_target_q = w.state.body_q;
        for (int i = 1; i <= 60; ++i) {
            const double t                 = dt * i;
            w.control.body_target_q[0].p.x = static_cast<Real>(0.5 * a * t * t);
            w.advance(1, dt);
            CHECK(static_cast<double>(w.state.body_q[0].p.x) == close_to(0.5 * a * t * t, 1e-6));
        }
        // The mean velocity over the last step; the platform stands still before its first.
        CHECK(static_cast<double>(w.state.body_qd[0].linear.x) == close_to(a * (0.5 - dt / 2), 1e-4));
        const double t = 0.5;
        // Friction gives the box at most mu g = 4.905 m/s^2 (2 %).
        const double own = std::min(a, 4.905);
        CHECK(w.velocity(1).x == close_to(own * t, 0.02 * own * t + a * dt));
        CHECK(w.position(1).x - x0 == close_to(0.5 * own * t * t, 0.03 * own * t * t));
    }
}

TEST_CASE(
    "a ball that spins is stopped by torsional friction, one that rolls by rolling friction (DYN-090, T-34, T-35)")
{
    for (const double mu_torsional : {0.005, 0.02}) {
        CAPTURE(mu_torsional);
        model::ModelBuilder b           = ground(0.5);
        b.shapes[0].config.mu_torsional = mu_torsional;
        b.default_shape.mu_torsional    = mu_torsional;
        b.default_shape.mu_rolling      = 0;
        add_ball(b, {0, 0, 0.1}, 0.1, 1);
        b.bodies[0].qd.angular = {0, 0, 10};
        Ground w(b, false);
        w.state.joint_qd[5] = 10;
        double stopped      = 0;
        for (int i = 0; i < 120 && stopped == 0; ++i) {
            w.advance(1, 1.0 / 120);
            if (w.spin(0).z < 0.01) stopped = w.state.time;
        }
        // I w / (mu_t m g) with I = 2/5 m r^2: 0.04 / 9.81 / mu_t = 0.8155 and 0.2039 s; a step of 8 ms
        CHECK(stopped == close_to(0.04 / 9.81 / mu_torsional, 0.05 * 0.04 / 9.81 / mu_torsional + 1.0 / 120));
    }
    model::ModelBuilder b         = ground(0.5);
    b.shapes[0].config.mu_rolling = 0.001;
    b.default_shape.mu_rolling    = 0.001;
    add_ball(b, {0, 0, 0.1}, 0.1, 1);
    Ground w(b, false);
    w.state.joint_qd[0] = 1;
    w.state.joint_qd[4] = 10;
    w.advance(180);
    // Rolling without slip: a = -mu_r g / r / (1 + 2/5) = -0.07007 m/s^2.
    CHECK(w.position(0).x == close_to(2.68468, 0.01 * 2.68468));
    CHECK(w.velocity(0).x == close_to(0.78979, 0.01 * 0.78979));
}
