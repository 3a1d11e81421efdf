#include <cstring>
#include <limits>
#include <thread>

#include "hand_contacts.h"

// Worlds of one model that go wrong, are reset, or are stepped beside others: nothing of it reaches their neighbours.

using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kDt = 1.0 / 60;

/// A pendulum with a limit and a box on the ground, once a world.
model::ModelBuilder worlds(int count)
{
    auto one = ground(0.5);
    add_box(one, {{2, 0, 0.11}, {}}, {0.1, 0.1, 0.1}, 1);
    const auto link = one.add_link({}, "link", 1, {0, 0, -0.5}, 0.01 * Mat33d::identity());
    auto       d    = dof({0, 1, 0});
    d.limit_lower   = -0.2;
    d.limit_upper   = 2;
    one.add_articulation({one.add_joint_revolute(-1, link, {{0, 0, 3}, {}}, {}, d, "hinge")}, "pendulum");
    model::ModelBuilder all;
    REQUIRE(all.replicate(one, count));
    return all;
}

/// The worlds with the contacts of their boxes.
struct Copies {
    World        w;
    HandContacts c;

    explicit Copies(int count) : w(worlds(count))
    {
        for (std::size_t j = 0; j < w.model.joint_count(); ++j)
            if (w.model.joint_type[j] == model::JointType::revolute) w.state.joint_q[w.model.joint_q_start[j]] = 1;
        dynamics::project_to_joints(w.model, w.state);
    }
    void step()
    {
        c.clear();
        std::int32_t plane = -1;
        for (std::int32_t s = 0; s < static_cast<std::int32_t>(w.model.shape_count()); ++s) {
            if (w.model.shape_type[s] == model::GeoType::plane) plane = s;
            if (w.model.shape_type[s] == model::GeoType::box) c.box_plane(w, plane, s, {0.1, 0.1, 0.1});
        }
        w.step(kDt, &c.contacts);
    }
};

/// Whether a world has the same bits in both states.
bool same_world(const model::Model& m, const model::State& a, const model::State& b, std::int32_t world)
{
    for (std::size_t i = 0; i < m.body_count(); ++i)
        if (m.body_world[i] == world && (std::memcmp(&a.body_q[i], &b.body_q[i], sizeof(Pose)) != 0 ||
                                         std::memcmp(&a.body_qd[i], &b.body_qd[i], sizeof(Spatial)) != 0))
            return false;
    for (std::size_t j = 0; j < m.joint_count(); ++j)
        for (auto k = m.joint_q_start[j]; m.joint_world[j] == world && k < m.joint_q_start[j + 1]; ++k)
            if (std::memcmp(&a.joint_q[k], &b.joint_q[k], sizeof(Real)) != 0) return false;
    return true;
}

}  // namespace

TEST_CASE("a world whose state is not finite stays behind alone, the others keep their bits (DYN-134, T-102)")
{
    Copies good(5), bad(5);
    for (int i = 0; i < 20; ++i) {
        good.step();
        bad.step();
    }
    for (std::size_t b = 0; b < bad.w.model.body_count(); ++b)
        if (bad.w.model.body_world[b] == 3) bad.w.state.body_q[b].p.x = std::numeric_limits<Real>::quiet_NaN();
    for (std::size_t j = 0; j < bad.w.model.joint_count(); ++j)
        if (bad.w.model.joint_world[j] == 3)
            bad.w.state.joint_q[bad.w.model.joint_q_start[j]] = std::numeric_limits<Real>::quiet_NaN();
    for (int i = 0; i < 40; ++i) {
        good.step();
        bad.step();
        CHECK_FALSE(bad.w.report.diverged);
        CHECK(bad.w.report.diverged_worlds == std::vector<std::int32_t>{3});
        CHECK(bad.w.report.culprit.find("is not finite") != std::string::npos);
    }
    for (const std::int32_t world : {0, 1, 2, 4}) CHECK(same_world(good.w.model, good.w.state, bad.w.state, world));
    CHECK_FALSE(same_world(good.w.model, good.w.state, bad.w.state, 3));
    // A world that is set right goes on.
    const std::uint8_t only_3[] = {0, 0, 0, 1, 0};
    model::reset_worlds(bad.w.state, bad.w.model, only_3);
    bad.w.solver->reset_worlds(only_3);
    bad.step();
    CHECK(bad.w.report.diverged_worlds.empty());
    good.step();
    for (const std::int32_t world : {0, 1, 2, 4}) CHECK(same_world(good.w.model, good.w.state, bad.w.state, world));
}

TEST_CASE("a result that is not finite leaves its world at the state before the step (DYN-134, T-103)")
{
    Copies good(3), bad(3);
    for (int i = 0; i < 10; ++i) {
        good.step();
        bad.step();
    }
    const model::State before = bad.w.state;
    for (std::size_t b = 0; b < bad.w.model.body_count(); ++b)
        if (bad.w.model.body_world[b] == 1) bad.w.state.body_f[b].linear = Vec3{Real(1e30), 0, 0};
    good.step();
    bad.step();
    CHECK_FALSE(bad.w.report.diverged);
    CHECK(bad.w.report.diverged_worlds == std::vector<std::int32_t>{1});
    CHECK(same_world(bad.w.model, before, bad.w.state, 1));
    for (const std::int32_t world : {0, 2}) CHECK(same_world(good.w.model, good.w.state, bad.w.state, world));
    // When no world can go on, the step is undone as a whole.
    for (Spatial& f : bad.w.state.body_f) f.linear = Vec3{Real(1e30), 0, 0};
    bad.step();
    CHECK(bad.w.report.diverged);
}

TEST_CASE("a reset of some worlds leaves the bits of the others, and those start as new ones do (DYN-135)")
{
    Copies alone(4), reset(4), fresh(4);
    for (int i = 0; i < 30; ++i) {
        alone.step();
        reset.step();
    }
    const std::uint8_t chosen[] = {0, 1, 0, 1};
    model::reset_worlds(reset.w.state, reset.w.model, chosen);
    for (std::size_t j = 0; j < reset.w.model.joint_count(); ++j)  // the start of Copies
        if (reset.w.model.joint_type[j] == model::JointType::revolute && chosen[reset.w.model.joint_world[j]])
            reset.w.state.joint_q[reset.w.model.joint_q_start[j]] = 1;
    dynamics::project_to_joints(reset.w.model, reset.w.state);
    reset.w.solver->reset_worlds(chosen);
    for (int i = 0; i < 30; ++i) {
        alone.step();
        reset.step();
        fresh.step();
        for (const std::int32_t world : {0, 2}) CHECK(same_world(alone.w.model, alone.w.state, reset.w.state, world));
        for (const std::int32_t world : {1, 3}) CHECK(same_world(fresh.w.model, fresh.w.state, reset.w.state, world));
    }
}

TEST_CASE("a teleported body forgets what it rested on (DYN-101)")
{
    // Lifted by less than the reach of contacts, a box with the remembered force of its old place would be thrown up:
    // m g h / m = 20 mm/s a substep. It has to fall like one that was never down.
    Copies rested(1);
    for (int i = 0; i < 60; ++i) rested.step();
    std::size_t box = 0;
    while (rested.w.model.body_label[box].find("box") == std::string::npos) ++box;
    const auto j =
        static_cast<std::size_t>(std::find(rested.w.model.joint_child.begin(), rested.w.model.joint_child.end(),
                                           static_cast<std::int32_t>(box)) -
                                 rested.w.model.joint_child.begin());
    REQUIRE(j < rested.w.model.joint_count());
    rested.w.state.joint_q[rested.w.model.joint_q_start[j] + 2] = Real(0.15);
    rested.w.state.body_q[box].p.z                              = Real(0.15);
    rested.step();
    // One step of free fall: 8 substeps of symplectic Euler leave g dt (dt + h) / 2 = 1.53 mm.
    CHECK(rested.w.position(box).z == doctest::Approx(0.15 - 9.81 * kDt * (kDt + kDt / 8) / 2).epsilon(1e-5));
}

TEST_CASE("gravity is each world's own and may change at any time (DYN-022)")
{
    Copies c(3);
    c.w.model.gravity[1] = {0, 0, Real(-1.62)};
    c.w.solver->notify(solvers::change::model_properties);
    std::vector<double> before;
    for (std::size_t b = 0; b < c.w.model.body_count(); ++b)
        if (c.w.model.body_label[b].find("box") != std::string::npos) {
            c.w.state.body_q[b].p.z = 2;
            for (std::size_t j = 0; j < c.w.model.joint_count(); ++j)
                if (c.w.model.joint_child[j] == static_cast<std::int32_t>(b))
                    c.w.state.joint_q[c.w.model.joint_q_start[j] + 2] = 2;
        }
    for (int i = 0; i < 6; ++i) c.step();
    for (std::size_t b = 0; b < c.w.model.body_count(); ++b)
        if (c.w.model.body_label[b].find("box") != std::string::npos) {
            const double g = c.w.model.body_world[b] == 1 ? 1.62 : 9.81;
            CHECK(c.w.velocity(b).z == doctest::Approx(-g * 6 * kDt).epsilon(1e-4));
        }
}

TEST_CASE("each bit of a notice counts, narrow ones without the broad one too (DYN-023)")
{
    using namespace solvers::change;
    // A hinge of 1 kg m^2 driven by 1 N m for a second; what is written to the model before has to show.
    const auto speed = [](auto&& write, std::uint32_t bits) {
        auto  d = dof({0, 0, 1});
        World w(unit_hinge(d));
        w.step(1e-3);
        write(w.model);
        w.solver->notify(bits);
        w.control.joint_f[0] = 1;
        for (int i = 0; i < 100; ++i) w.step(1e-2);
        return w.qd(0);
    };
    CHECK(speed([](model::Model&) {}, all) == doctest::Approx(1).epsilon(1e-6));
    const auto heavy = [](model::Model& m) { m.body_inertia[0] = Real(2) * m.body_inertia[0]; };
    CHECK(speed(heavy, body_inertial_properties) == doctest::Approx(0.5).epsilon(1e-6));
    const auto armed = [](model::Model& m) { m.joint_armature[0] = 3; };
    CHECK(speed(armed, joint_dof_inertial_properties) == doctest::Approx(0.25).epsilon(1e-6));
    CHECK(speed(armed, joint_dof_properties) == doctest::Approx(0.25).epsilon(1e-6));
    // Damping c: v = (1 - exp(-c t)) / c with c = 1; implicit Euler of 1.25 ms is within 0.1 %.
    const auto damped = [](model::Model& m) { m.joint_damping[0] = 1; };
    CHECK(speed(damped, joint_dof_force_properties) == doctest::Approx(1 - std::exp(-1.0)).epsilon(1e-3));
    // About x instead of z, where the link has twice the inertia.
    const auto turned = [](model::Model& m) {
        m.body_inertia[0].r0.x = 2;
        m.joint_axis[0]        = {1, 0, 0};
    };
    CHECK(speed(turned, joint_reference_pose_properties) == doctest::Approx(0.5).epsilon(1e-6));
}

TEST_CASE("solvers of different models step side by side (DYN-139)")
{
    const auto run = [](int count) {
        Copies c(count);
        for (int i = 0; i < 40; ++i) c.step();
        return c.w.state;
    };
    const model::State alone2 = run(2), alone3 = run(3);
    model::State       beside2, beside3;
    std::thread        other([&] { beside2 = run(2); });
    beside3 = run(3);
    other.join();
    CHECK(std::memcmp(alone2.body_q.data(), beside2.body_q.data(), alone2.body_q.size() * sizeof(Pose)) == 0);
    CHECK(std::memcmp(alone3.body_q.data(), beside3.body_q.data(), alone3.body_q.size() * sizeof(Pose)) == 0);
}

TEST_CASE("a robot moves alike whether copies are worked on beside it or not (DYN-132)")
{
    // On a free base and turning, with drives of which one is too weak, a ball and a slider.
    model::ModelBuilder one;
    const Mat33d        inertia = 0.02 * Mat33d::identity();
    const auto          base    = one.add_link({}, "base", 4, {0.01, 0, 0.02}, inertia);
    const auto          arm     = one.add_link({}, "arm", 1, {0, 0, -0.2}, inertia);
    const auto          hand    = one.add_link({}, "hand", 0.5, {0.1, 0, 0}, inertia);
    const auto          tail    = one.add_link({}, "tail", 0.7, {0, 0.1, 0}, inertia);
    auto                hinge = dof({0, 1, 0}), slide = dof({1, 0, 0});
    hinge.target_ke    = 300;
    hinge.target_kd    = 3;
    hinge.effort_limit = 5;
    hinge.target_q     = 0.8;
    slide.limit_lower  = -0.05;
    slide.limit_upper  = 0.05;
    one.add_articulation({one.add_joint_free(base), one.add_joint_revolute(base, arm, {{0, 0, -0.1}, {}}, {}, hinge),
                          one.add_joint_prismatic(arm, hand, {{0, 0, -0.4}, {}}, {}, slide),
                          one.add_joint_ball(base, tail, {{0, 0.2, 0}, {}}, {})},
                         "robot");
    model::ModelBuilder all;
    REQUIRE(all.replicate(one, 6));
    Random            r(3);
    World             together(all, 2);
    const std::size_t coords = together.model.joint_coord_count() / 6, dofs = together.model.joint_dof_count() / 6;
    for (Real& rate : together.state.joint_qd) rate = static_cast<Real>(r.uniform(-2, 2));
    dynamics::project_to_joints(together.model, together.state);
    const model::State start = together.state;
    together.run(1, 0.005);
    for (std::size_t w = 0; w < 6; ++w) {
        CAPTURE(w);
        World alone(one, 2);
        std::copy_n(start.joint_qd.begin() + static_cast<std::ptrdiff_t>(w * dofs), dofs, alone.state.joint_qd.begin());
        dynamics::project_to_joints(alone.model, alone.state);
        alone.run(1, 0.005);
        CHECK(std::equal(alone.state.joint_q.begin(), alone.state.joint_q.end(),
                         together.state.joint_q.begin() + static_cast<std::ptrdiff_t>(w * coords)));
        CHECK(std::equal(alone.state.joint_qd.begin(), alone.state.joint_qd.end(),
                         together.state.joint_qd.begin() + static_cast<std::ptrdiff_t>(w * dofs)));
    }
}
