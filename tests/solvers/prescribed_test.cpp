#include <algorithm>
#include <functional>

#include "world.h"

// Bodies whose motion is prescribed pull on what a joint ties to them (GAP-095), the same whether the joint is an edge of
// a tree or excluded from it. Expected motions are closed forms in the frame of the world, where nothing but the joint
// pushes.

using namespace mechane;
using namespace mechane::test;

namespace {

using Motion = std::function<Posed(double)>;

Posed along(const Vec3d& p) { return {p, {}}; }
Posed turned(double angle) { return {{}, from_axis_angle(Vec3d{0, 0, 1}, angle)}; }

struct How {
    int    substeps = 8;
    double dt       = 1.0 / 60;
    bool   excluded = false;
};
std::vector<How> every_way()
{
    std::vector<How> out;
    for (const int substeps : {1, 2, 8})
        for (const double dt : {1.0 / 60, 1.0 / 240})
            for (const bool excluded : {false, true}) out.push_back({substeps, dt, excluded});
    return out;
}

/// A kinematic body "base" and a link of mass m and inertia 1 whose joint to it `connect` adds.
model::ModelBuilder on_base(double mass, bool excluded,
                            const std::function<std::int32_t(model::ModelBuilder&, std::int32_t, std::int32_t)>& connect)
{
    model::ModelBuilder b;
    b.gravity       = {};
    const auto base = b.add_link({}, "base", 1, {}, Mat33d::identity());
    b.bodies[static_cast<std::size_t>(base)].flags = model::body_flag::kinematic;
    const auto link                                = b.add_link({}, "link", mass, {}, Mat33d::identity());
    const auto j                                   = connect(b, base, link);
    b.joints[static_cast<std::size_t>(j)].exclude_from_articulation = excluded;
    if (!excluded) b.add_articulation({j}, "carried");
    return b;
}

/// Moves every kinematic body of the world along `way`.
struct Carried : World {
    Motion way;
    double dt;

    Carried(const model::ModelBuilder& b, const How& how, Motion w, const tasks::Pool* pool = nullptr)
        : World(b, how.substeps, pool), way(std::move(w)), dt(how.dt)
    {
        control.body_target_q.assign(model.body_count(), Pose{{Real(kInfinity), 0, 0}, {}});
        for (std::size_t i = 0; i < model.body_count(); ++i)
            if (is_kinematic(i)) state.body_q[i] = static_cast<Pose>(way(0));
    }
    [[nodiscard]] bool is_kinematic(std::size_t body) const
    { return (model.body_flags[body] & model::body_flag::kinematic) != 0; }
    void advance(double seconds)
    {
        for (const double end = state.time + seconds; state.time < end - 1e-9;) {
            for (std::size_t i = 0; i < model.body_count(); ++i)
                if (is_kinematic(i)) control.body_target_q[i] = static_cast<Pose>(way(state.time + dt));
            step(dt);
            REQUIRE_FALSE(report.diverged);
        }
    }
    /// Where the link is in the frame of the base.
    [[nodiscard]] Posed relative(std::size_t body = 1) const
    { return inverse(static_cast<Posed>(state.body_q[0])) * static_cast<Posed>(state.body_q[body]); }
};

std::int32_t slider(model::ModelBuilder& b, std::int32_t base, std::int32_t link, const Vec3d& axis, double ke, double kd,
                    const Vec3d& at = {})
{
    auto d      = dof(axis);
    d.target_ke = ke;
    d.target_kd = kd;
    b.bodies[static_cast<std::size_t>(link)].q = {at, {}};
    return b.add_joint_prismatic(base, link, {at, {}}, {}, d, "slide");
}

}  // namespace

TEST_CASE("a weight on a spring under an accelerating lift stays behind by m a / k (GAP-095)")
{
    constexpr double kMass = 10, kStiffness = 100, kAcceleration = 2;
    for (const How& how : every_way()) {
        CAPTURE(how.substeps);
        CAPTURE(how.dt);
        CAPTURE(how.excluded);
        Carried w(on_base(kMass, how.excluded,
                          [&](auto& b, auto base, auto link) { return slider(b, base, link, {0, 0, 1}, kStiffness, 60); }),
                  how, [](double t) { return along({0, 0, 5 + 0.5 * kAcceleration * t * t}); });
        w.advance(10);
        // Within a step the lift moves with one velocity: it is off the parabola by up to a dt^2 / 8 in between.
        CHECK(w.relative().p.z == close_to(-kMass * kAcceleration / kStiffness, kAcceleration * how.dt * how.dt));
    }
}

TEST_CASE("what slides freely on a shaken body stays where it is in the world (GAP-095)")
{
    for (const How& how : every_way()) {
        CAPTURE(how.substeps);
        CAPTURE(how.dt);
        CAPTURE(how.excluded);
        Carried w(on_base(3, how.excluded,
                          [&](auto& b, auto base, auto link) { return slider(b, base, link, {1, 0, 0}, 0, 0); }),
                  how, [](double t) { return along({0.1 * std::sin(7 * t), 0, 0}); });
        for (int i = 0; i < 8; ++i) {
            w.advance(0.25);
            // Poses and rates are rounded to Real once a step.
            CHECK(w.position(1).x == close_to(0, 2e-4));
            CHECK(w.velocity(1).x == close_to(0, 2e-4));
        }
    }
}

TEST_CASE("what turns freely about an axle does not follow a body that spins up about it (GAP-095, Euler's force)")
{
    for (const How& how : every_way()) {
        CAPTURE(how.substeps);
        CAPTURE(how.dt);
        CAPTURE(how.excluded);
        Carried w(on_base(2, how.excluded,
                          [&](auto& b, auto base, auto link) {
                              b.bodies[1].q = {{0.3, 0, 0}, {}};
                              return b.add_joint_revolute(base, link, {{0.3, 0, 0}, {}}, {}, dof({0, 0, 1}), "axle");
                          }),
                  how, [](double t) { return turned(0.5 * 1.5 * t * t); });
        w.advance(1.5);
        CHECK(w.spin(1).z == close_to(0, 1e-3));
        CHECK(std::abs(dot(static_cast<Posed>(w.state.body_q[1]).q, Quatd{})) == close_to(1, 1e-5));
        // Its centre rides on the axle.
        CHECK(length(w.position(1)) == close_to(0.3, 1e-4));
    }
}

TEST_CASE("a bead on a turning rod flies outwards as r0 cosh(w t) (GAP-095, centrifugal and Coriolis forces)")
{
    constexpr double kTurn = 2;
    for (const bool from_rest : {false, true}) {
        for (const How& how : every_way()) {
            CAPTURE(how.substeps);
            CAPTURE(how.dt);
            CAPTURE(how.excluded);
            CAPTURE(from_rest);
            Carried w(on_base(1, how.excluded,
                              [&](auto& b, auto base, auto link) {
                                  return slider(b, base, link, {1, 0, 0}, 0, 0, {0.2, 0, 0});
                              }),
                      how, [](double t) { return turned(kTurn * t); });
            // A rod that turns already, or that starts within no time: the bead has no radial speed in either.
            if (!from_rest) {
                w.state.body_qd[0].angular = {0, 0, Real(kTurn)};
                w.state.body_qd[1]         = {{0, Real(0.2 * kTurn), 0}, {0, 0, Real(kTurn)}};
            }
            w.advance(1);
            const double h = how.excluded ? how.dt : how.dt / how.substeps;
            // First order in h: the rate of growth is off by w^2 h at most.
            const double r = 0.2 * std::cosh(kTurn);
            CHECK(length(w.position(1)) == close_to(r, 2.5 * kTurn * kTurn * h * r));
        }
    }
}

TEST_CASE("a pivot that jumps to a speed gives a rod the impulse of its joint (GAP-095)")
{
    // m v = J, I w = J L about y at the rod's upper end: J = V / (1/m + L^2/I).
    constexpr double kMass = 2, kLength = 0.5, kSpeed = 3;
    const double     impulse = kSpeed / (1 / kMass + kLength * kLength);
    for (const bool ball : {false, true})
        for (const bool excluded : {false, true}) {
            CAPTURE(ball);
            CAPTURE(excluded);
            const Posed at{{0, 0, kLength}, {}};
            Carried     w(on_base(kMass, excluded,
                                  [&](auto& b, auto base, auto link) {
                                  b.bodies[1].q = {{0, 0, -kLength}, {}};
                                  return ball ? b.add_joint_ball(base, link, {}, at, "joint")
                                                  : b.add_joint_revolute(base, link, {}, at, dof({0, 1, 0}), "joint");
                                  }),
                          {.substeps = 4, .dt = 1e-4}, [](double t) { return along({kSpeed * t, 0, 0}); });
            w.advance(1e-4);
            CHECK(w.velocity(1).x == close_to(impulse / kMass, 1e-3));
            CHECK(w.spin(1).y == close_to(impulse * kLength, 1e-3));
        }
}

namespace {

/// A four-bar of 0.3, 0.6, 0.5 and 0.6 m on a kinematic base, its crank upright, with a hand that slides on the coupler.
model::ModelBuilder robot(const Vec3d& gravity, bool loop, bool excluded)
{
    model::ModelBuilder b;
    b.gravity         = gravity;
    const auto base   = b.add_link({}, "base", 1, {}, Mat33d::identity());
    b.bodies[0].flags = model::body_flag::kinematic;
    const auto bar    = [&](const char* name, double length) {
        return b.add_link({}, name, 1 + length, {length / 2, 0, 0},
                          Mat33d::diagonal({0.01, 0.1 * length, 0.1 * length}));
    };
    const auto crank = bar("crank", 0.3), coupler = bar("coupler", 0.6), rocker = bar("rocker", 0.5),
               hand  = bar("hand", 0.2);
    auto hinge       = dof({0, 0, 1});
    hinge.damping    = 0.05;
    hinge.armature   = excluded ? 0 : 0.02;  // joints that close something have none
    auto slide       = dof({1, 0, 0});
    slide.target_ke  = 50;
    slide.target_kd  = 5;
    const auto j0    = b.add_joint_revolute(base, crank, {{0.1, 0, 0}, {}}, {}, hinge, "a");
    const auto j1    = b.add_joint_revolute(crank, coupler, {{0.3, 0, 0}, {}}, {}, hinge, "b");
    const auto j2    = b.add_joint_revolute(base, rocker, {{0.7, 0, 0}, {}}, {}, hinge, "c");
    b.add_joint_prismatic(coupler, hand, {{0.6, 0, 0}, {}}, {}, slide, "d");
    // Where coupler and rocker meet: on circles about B and D.
    const Vec3d  B{0.1, 0.3, 0}, D{0.7, 0, 0}, BD = D - B;
    const double d = length(BD), along_BD = (0.36 - 0.25 + d * d) / (2 * d), off = std::sqrt(0.36 - square(along_BD));
    const Vec3d  u = BD / d, C = B + along_BD * u + off * Vec3d{-u.y, u.x, 0};
    const auto   angle = [](const Vec3d& v) { return std::atan2(v.y, v.x); };
    const auto   start = [&](std::int32_t j, double q) { b.joints[static_cast<std::size_t>(j)].q = {q}; };
    start(j0, kPi / 2);
    start(j1, angle(C - B) - kPi / 2);
    start(j2, angle(C - D));
    if (loop) {
        const auto close = b.add_joint_revolute(coupler, rocker, {{0.6, 0, 0}, {}}, {{0.5, 0, 0}, {}}, hinge, "e");
        b.joints[static_cast<std::size_t>(close)].exclude_from_articulation = true;
    }
    if (excluded) {  // then the bodies say where it starts
        const model::Model m     = finalized(b);
        model::State       state = model::make_state(m);
        dynamics::project_to_joints(m, state);
        for (std::size_t i = 0; i < m.body_count(); ++i) b.bodies[i].q = static_cast<Posed>(state.body_q[i]);
        b.joints[static_cast<std::size_t>(j0)].exclude_from_articulation = true;
    }
    return b;
}

}  // namespace

TEST_CASE("a robot on an accelerating base moves in it as on a standing one under gravity less the acceleration (GAP-095)")
{
    const Vec3d acceleration{1.5, -0.7, 0}, gravity{0, -9.81, 0};
    for (const bool loop : {false, true})
        for (const bool excluded : {false, true}) {
            CAPTURE(loop);
            CAPTURE(excluded);
            // What closes by rows alone loses more to a step than what is a tree.
            const How how{.substeps = 4, .dt = loop && excluded ? 1.0 / 3840 : 1.0 / 480};
            Carried   moved(robot(gravity, loop, excluded), how,
                            [&](double t) { return along((0.5 * t * t) * acceleration); });
            Carried   still(robot(gravity - acceleration, loop, excluded), how, [](double) { return Posed{}; });
            for (int i = 0; i < 5; ++i) {
                moved.advance(0.1);
                still.advance(0.1);
                // Both are first order in the step; so is their difference.
                for (std::size_t body = 1; body < moved.model.body_count(); ++body) {
                    CHECK(distance(moved.relative(body).p, still.relative(body).p) <= 4e-3);
                    CHECK(std::abs(dot(moved.relative(body).q, still.relative(body).q)) >= 1 - 1e-5);
                }
            }
        }
}

TEST_CASE("a chain of a hundred links on a moving base is pulled as one of ten is (GAP-095)")
{
    // Weightless surroundings: the last link learns of the base through all others. Excluding the first joint says what
    // should come.
    for (const int links : {10, 100}) {
        CAPTURE(links);
        const auto chain = [&](bool excluded) {
            model::ModelBuilder b;
            b.gravity         = {};
            std::int32_t last = b.add_link({}, "base", 1, {}, Mat33d::identity());
            b.bodies[0].flags = model::body_flag::kinematic;
            std::vector<std::int32_t> joints;
            for (int i = 0; i < links; ++i) {
                const auto link = b.add_link({}, fmt::format("l{}", i), 1, {0, 0, -0.05}, 0.01 * Mat33d::identity());
                joints.push_back(b.add_joint_revolute(last, link, {{0, 0, i == 0 ? 0.0 : -0.1}, {}}, {},
                                                      dof({0, 1, 0}), fmt::format("j{}", i)));
                last = link;
            }
            b.joints[static_cast<std::size_t>(joints[0])].exclude_from_articulation = excluded;
            return b;
        };
        const Motion way = [](double t) { return along({0.2 * std::sin(5 * t), 0, 0}); };
        const How    how{.substeps = 4, .dt = 1.0 / 240};
        Carried      tree(chain(false), how, way), loop(chain(true), how, way);
        tree.advance(0.5);
        loop.advance(0.5);
        for (std::size_t body = 1; body < tree.model.body_count(); ++body)
            CHECK(distance(tree.position(body), loop.position(body)) <= 2e-3);
    }
}

TEST_CASE("what hangs on a moving body touches, holds and is held with the velocity of both (GAP-095)")
{
    // A finger of 1 kg slides upright on a base that moves at 0.5 m/s, and presses on a box with friction: it carries the
    // box along, and so does a finger that is bolted on.
    for (const bool bolted : {false, true}) {
        CAPTURE(bolted);
        auto b    = on_base(1, false, [&](auto& builder, auto base, auto link) {
            if (bolted) return builder.add_joint_fixed(base, link, {}, {}, "bolt");
            return slider(builder, base, link, {0, 0, 1}, 0, 0);
        });
        b.gravity = {0, 0, -9.81};
        model::ShapeConfig rough;
        rough.mu = 1;
        const auto plate = b.add_shape_box(1, {}, {0.5, 0.5, 0.05}, rough);
        static_cast<void>(plate);
        const auto box = b.add_body({{0, 0, 0.1 + 0.05}, {}}, "box");
        b.add_shape_box(box, {}, {0.1, 0.1, 0.1}, rough);
        if (!bolted) b.add_ground_plane(-0.05);  // carries the plate, which slides over it
        if (!bolted) b.shapes.back().config.mu = 0;
        Carried                      w(b, {}, [](double t) { return along({0.5 * t, 0, 0}); });
        collision::CollisionPipeline pipeline(w.model);
        model::Contacts              contacts = pipeline.make_contacts();
        for (int i = 0; i < 120; ++i) {
            w.control.body_target_q[0] = static_cast<Pose>(w.way(w.state.time + w.dt));
            pipeline.collide(w.state, w.dt, contacts);
            w.step(w.dt, &contacts);
        }
        // Friction of 1 brings the box to 0.5 m/s within 0.06 s.
        CHECK(w.velocity(static_cast<std::size_t>(box)).x == close_to(0.5, 1e-3));
        CHECK(w.position(static_cast<std::size_t>(box)).x == close_to(1 - 0.5 * 0.5 / (2 * 9.81), 0.01));
    }
}

TEST_CASE("velocities that the caller writes into the state pull as targets do, and a rewritten state is taken as it is (GAP-095)")
{
    const auto build = [](auto& b, auto base, auto link) { return slider(b, base, link, {1, 0, 0}, 0, 0); };
    World      w(on_base(1, false, build));
    for (int i = 0; i < 60; ++i) {
        w.state.body_qd[0].linear = {Real(0.02 * i), 0, 0};
        w.step(1.0 / 60);
    }
    CHECK(w.velocity(1).x == close_to(0, 1e-5));
    CHECK(w.position(1).x == close_to(0, 1e-5));
    // Base and slider at rest, wherever they are: nothing pulls.
    w.state.body_qd[0] = {};
    w.state.joint_qd[0] = 0;
    w.step(1.0 / 60);
    CHECK(w.velocity(1).x == 0);
}

TEST_CASE("what carries a weight up at 2 m/s^2 bears its mass times 2 + 9.81 (GAP-095)")
{
    auto b    = on_base(5, false, [](auto& builder, auto base, auto link) {
        return builder.add_joint_fixed(base, link, {}, {}, "bolt");
    });
    b.gravity = {0, 0, -9.81};
    Carried              w(b, {}, [](double t) { return along({0, 0, t * t}); });
    solvers::Observables seen;
    w.solver->observe(&seen);
    w.advance(0.5);
    CHECK(static_cast<double>(seen.body_parent_f[1].linear.z) == close_to(5 * (9.81 + 2), 0.05));
    CHECK(static_cast<double>(seen.body_qdd[1].linear.z) == close_to(2, 0.01));
}

TEST_CASE("worlds side by side are carried alike, with the same bits for any number of threads (GAP-095, DYN-131)")
{
    const auto one = on_base(3, false, [](auto& b, auto base, auto link) { return slider(b, base, link, {0, 0, 1}, 100, 3); });
    const auto other = on_base(3, true, [](auto& b, auto base, auto link) { return slider(b, base, link, {0, 0, 1}, 100, 3); });
    model::ModelBuilder many;
    many.gravity = {};
    for (int i = 0; i < 6; ++i) {
        many.begin_world();
        REQUIRE(many.add_builder(i % 2 == 0 ? one : other));
        many.end_world();
    }
    const Motion way = [](double t) { return along({0, 0, 0.3 * std::sin(4 * t)}); };
    Carried      alone(one, {}, way), together(many, {}, way);
    alone.advance(1);
    together.advance(1);
    for (std::size_t i = 1; i < together.model.body_count(); i += 4)
        CHECK(together.position(i) == alone.position(1));
    for (std::size_t i = 3; i < together.model.body_count(); i += 4)
        CHECK(distance(together.position(i), alone.position(1)) <= 2e-3);
    for (const int threads : {2, 5}) {
        const tasks::Pool pool(threads);
        Carried           shared(many, {}, way, &pool);
        shared.advance(1);
        CHECK(shared.state.body_q == together.state.body_q);
        CHECK(shared.state.joint_qd == together.state.joint_qd);
    }
}

TEST_CASE("what sleeps on a lift wakes when the lift starts, however slowly it goes (GAP-095)")
{
    for (const bool excluded : {false, true}) {
        CAPTURE(excluded);
        auto b = on_base(3, excluded, [](auto& builder, auto base, auto link) {
            return builder.add_joint_revolute(base, link, {}, {}, dof({0, 0, 1}), "hinge");
        });
        Carried w(b, {}, [](double t) { return along({0, 0, t < 2 ? 0 : 5e-3 * (t - 2)}); });
        auto    made = solvers::make_solver("softstep", w.model, {.substeps = 8, .sleeping = true}, w.notices);
        REQUIRE(made);
        w.solver = std::move(*made);
        w.advance(2);
        CHECK(w.report.sleeping_bodies == 1);
        w.advance(4);
        CHECK(w.position(1).z == close_to(0.02, 1e-4));
    }
}
