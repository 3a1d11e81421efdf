#include "world.h"

using namespace mechane;
using namespace mechane::test;

namespace {
constexpr double kDt = 1.0 / 60;
}

TEST_CASE("a position drive is implicit Euler to a thousandth (DYN-080, T-50)")
{
    auto d      = dof({0, 0, 1});
    d.target_ke = 100;
    d.target_kd = 4;
    d.target_q  = 1;
    World w(unit_hinge(d));
    // Implicit Euler with h = 1/480: figures of the reference experiment.
    const double figures[][2] = {{0.1, 0.4082}, {0.2, 1.1195}, {0.3, 1.4979}, {0.5, 1.0128}, {1.0, 1.1246}};
    for (const auto& [t, q] : figures) {
        while (w.state.time < t - 1e-9) w.step(kDt);
        CHECK(w.q(0) == close_to(q, 1e-3));
    }
}

TEST_CASE("a drive of any gain is stable (DYN-081, T-68a)")
{
    for (const double ke : {0.0, 1.0, 1e4, 1e8, 1e12}) {
        CAPTURE(ke);
        auto d      = dof({0, 0, 1});
        d.target_ke = ke;
        d.target_kd = 1e4;
        d.target_q  = 1;
        World w(unit_hinge(d));
        w.run(1, kDt);
        if (ke >= 1e8) CHECK(w.q(0) == close_to(1, 1e-3));
        CHECK(std::abs(w.q(0)) < 1.01);
    }
}

TEST_CASE("a velocity drive approaches its speed exponentially (T-52)")
{
    auto d      = dof({0, 0, 1});
    d.target_kd = 2;
    d.target_qd = 5;
    World w(unit_hinge(d));
    w.run(0.5, kDt);
    CHECK(w.qd(0) == close_to(5 * (1 - std::exp(-1.0)), 0.01));  // 3.1606
    w.run(0.5, kDt);
    CHECK(w.qd(0) == close_to(5 * (1 - std::exp(-2.0)), 0.01));  // 4.3233
}

TEST_CASE("an acceleration drive moves every inertia alike (DYN-083, T-53)")
{
    for (const double inertia : {0.1, 1.0, 10.0}) {
        CAPTURE(inertia);
        auto d              = dof({0, 0, 1});
        d.target_ke         = 100;
        d.target_kd         = 20;
        d.target_q          = 1;
        d.drive_type        = model::DriveType::acceleration;
        auto b              = unit_hinge(d);
        b.bodies[0].inertia = inertia * Mat33d::identity();
        World w(b);
        // Critically damped at 10 rad/s: q = 1 - (1 + 10 t) exp(-10 t).
        w.run(0.1, kDt);
        CHECK(w.q(0) == close_to(0.2642, 0.02 * 0.2642 + 4e-3));
        w.run(0.2, kDt);
        CHECK(w.q(0) == close_to(0.8009, 0.016));
    }
}

TEST_CASE("a drive never gives more than its effort limit (DYN-082, T-54)")
{
    auto d         = dof({0, 0, 1});
    d.target_ke    = 1e4;
    d.target_kd    = 10;
    d.target_q     = 100;
    d.effort_limit = 1;
    World w(unit_hinge(d));
    w.run(1, kDt);
    CHECK(w.q(0) == close_to(0.5, 0.01));  // half of 1 N m / 1 kg m^2 times 1 s^2
    SUBCASE("an external load beyond it wins by the difference")
    {
        World loaded(unit_hinge(d));
        loaded.control.joint_f[0] = -50;
        loaded.run(0.2, kDt);
        CHECK(loaded.qd(0) == close_to(-49 * 0.2, 0.01));
    }
}

TEST_CASE("dry friction stops a link and holds it (DYN-085, T-56)")
{
    auto d     = dof({0, 0, 1});
    d.friction = 0.2;
    World w(unit_hinge(d));
    w.state.joint_qd[0] = 2;
    w.run(5, kDt);
    CHECK(w.qd(0) == close_to(1, 0.01));  // 2 - 0.2 * 5
    w.run(6, kDt);
    CHECK(std::abs(w.qd(0)) < 1e-6);
    CHECK(w.q(0) == close_to(10, 0.01));  // v0^2 / (2 * 0.2)
    w.control.joint_f[0] = Real(0.19);
    const double held    = w.q(0);
    w.run(1, kDt);
    CHECK(w.q(0) == close_to(held, 1e-5));
}

TEST_CASE("damping and springs have their closed forms (T-57)")
{
    auto d    = dof({0, 0, 1});
    d.damping = 0.5;
    World w(unit_hinge(d));
    w.state.joint_qd[0] = 2;
    w.run(2, kDt);
    CHECK(w.qd(0) == close_to(2 * std::exp(-1.0), 0.01));  // 0.73576
}

TEST_CASE("a limit without gains of its own stops a link and does not throw it back (T-62a)")
{
    auto d        = dof({0, 0, 1});
    d.limit_upper = 0.5;
    World w(unit_hinge(d));
    w.state.joint_qd[0] = 1;
    double highest = 0, rebound = 0;
    for (int i = 0; i < 120; ++i) {
        w.step(kDt);
        highest = std::max(highest, w.q(0));
        if (w.state.time > 0.6) rebound = std::max(rebound, -w.qd(0));
    }
    CHECK(highest < 0.5 + 1e-3);
    CHECK(highest > 0.499);
    CHECK(rebound < 0.02);
}

TEST_CASE("an authored limit is a spring: one kilogram sinks by m g / ke (T-61)")
{
    model::ModelBuilder b;
    const auto          body = b.add_link({}, "slider", 1, {}, Mat33d::identity());
    auto                d    = dof({0, 0, 1});
    d.limit_lower            = 0;
    d.limit_ke               = 1e4;
    d.limit_kd               = 200;
    d.limit_authored         = true;  // it is Newton's default too, which nobody means as a spring
    b.add_articulation({b.add_joint_prismatic(-1, body, {}, {}, d)}, "stage");
    World w(b);
    w.run(2, kDt);
    CHECK(w.q(0) == close_to(-9.81 / 1e4, 0.02 * 9.81e-4));
}

TEST_CASE("angles wind: a target of two turns is reached, a limit of one and a half stops (DYN-098, T-63a)")
{
    for (const bool limited : {false, true}) {
        auto d      = dof({0, 0, 1});
        d.target_ke = 100;
        d.target_kd = 20;
        d.target_q  = 4 * kPi;
        if (limited) d.limit_upper = 3 * kPi;
        World w(unit_hinge(d));
        w.control.joint_target_q[0] = static_cast<Real>(4 * kPi);
        w.run(4, kDt);
        CHECK(w.q(0) == close_to(limited ? 3 * kPi : 4 * kPi, 1e-3));
    }
}

TEST_CASE("a mimic pair shares its inertia and keeps its ratio (DYN-096, T-58)")
{
    model::ModelBuilder b;
    b.gravity     = {};
    const auto a  = b.add_link({}, "leader", 1, {}, Mat33d::identity()),
               c  = b.add_link({}, "follower", 1, {}, 0.5 * Mat33d::identity());
    const auto j0 = b.add_joint_revolute(-1, a, {}, {}, dof({0, 0, 1})),
               j1 = b.add_joint_revolute(-1, c, {}, {}, dof({0, 0, 1}));
    b.add_articulation({j0, j1}, "gear");
    b.joints[1].mimic_joint  = j0;
    b.joints[1].mimic_coeffs = {0.3, 2};
    World w(b);
    w.state.joint_q[1]   = Real(0.3);
    w.control.joint_f[0] = 1;
    w.run(1, kDt);
    CHECK(w.qd(0) == close_to(1.0 / (1 + 4 * 0.5), 1e-4));  // I + c1^2 I_follower
    CHECK(w.q(1) == close_to(0.3 + 2 * w.q(0), 1e-5));
}

TEST_CASE("a velocity limit holds within a hundredth (DYN-084)")
{
    auto d           = dof({0, 0, 1});
    d.velocity_limit = 2;
    World w(unit_hinge(d));
    w.control.joint_f[0] = 10;
    w.run(2, kDt);
    CHECK(w.qd(0) == close_to(2, 0.01));
}

TEST_CASE("a planar D6 answers forces in its plane and none across (T-64a)")
{
    model::ModelBuilder b;
    b.gravity                = {};
    const auto          body = b.add_link({}, "puck", 2, {}, 0.5 * Mat33d::identity());
    model::BuilderJoint j;
    j.type         = model::JointType::d6;
    j.child        = body;
    j.linear_axes  = {dof({1, 0, 0}), dof({0, 1, 0})};
    j.angular_axes = {dof({0, 0, 1})};
    b.add_articulation({b.add_joint(j)}, "plane");
    World w(b);
    for (int i = 0; i < 60; ++i) {
        w.state.body_f[0] = {{1, 2, 5}, {0, 0, 3}};
        w.step(kDt);
    }
    CHECK(w.qd(0) == close_to(0.5, 1e-4));
    CHECK(w.qd(1) == close_to(1, 1e-4));
    CHECK(w.qd(2) == close_to(6, 1e-4));
    CHECK(std::abs(w.position(0).z) < 1e-6);
}
