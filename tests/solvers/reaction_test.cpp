#include <cmath>

#include "world.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::literals;

namespace {

/// A weight of 10 kg that hangs on the world by one joint; as a tree joint or as a loop joint of a free body.
model::ModelBuilder hanger(bool loop, double break_force)
{
    model::ModelBuilder b;
    const auto          body = b.add_link({{0, 0, 1}, {}}, "weight", 10, {0, 0, -0.2}, Mat33d::identity());
    model::BuilderJoint j;
    j.type                      = model::JointType::fixed;
    j.child                     = body;
    j.parent_xform.p            = {0, 0, 1};
    j.label                     = "hook";
    j.break_force               = break_force;
    j.exclude_from_articulation = loop;
    if (loop) b.add_articulation({b.add_joint_free(body, "root")}, "free");
    const auto joint = b.add_joint(j);
    if (!loop) b.add_articulation({joint}, "hung");
    return b;
}

model::ModelBuilder chain(double break_force_of_third)
{
    model::ModelBuilder       b;
    std::vector<std::int32_t> joints;
    std::int32_t              parent = -1;
    for (int k = 0; k < 5; ++k) {
        const auto link =
            b.add_link({}, fmt::format("link{}", k), 1 + 0.5 * k, {0, 0, -0.2}, 0.02 * Mat33d::identity());
        auto j         = model::BuilderJoint{};
        j.type         = model::JointType::revolute;
        j.parent       = parent;
        j.child        = link;
        j.parent_xform = {{0, 0, k == 0 ? 3.0 : -0.4}, {}};
        j.angular_axes = {dof({0, 1, 0})};
        j.label        = fmt::format("j{}", k);
        if (k == 2) j.break_force = break_force_of_third;
        joints.push_back(b.add_joint(j));
        parent = link;
    }
    b.add_articulation(joints, "chain");
    return b;
}

}  // namespace

TEST_CASE("a fixed joint holds 98.1 N if it may and breaks within three steps if not (DYN-114, T-64)")
{
    for (const bool loop : {false, true}) {
        CAPTURE(loop);
        World strong(hanger(loop, 100));
        for (int i = 0; i < 120; ++i) {
            strong.step(1.0 / 60);
            REQUIRE(strong.report.broken.empty());
        }
        CHECK(strong.position(0).z == close_to(1.0, 1e-4));

        World                     weak(hanger(loop, 95));
        std::vector<std::int32_t> broke;
        for (int i = 0; i < 60; ++i) {
            weak.step(1.0 / 60);
            for (const auto& event : weak.report.broken) {
                broke.push_back(i);
                CHECK(weak.model.joint_label[event.joint] == "hook");
                CHECK(event.force == close_to(98.1, 0.981));
            }
        }
        REQUIRE(broke.size() == 1);
        CHECK(broke[0] < 3);
        const double t = (59 - broke[0]) / 60.0;
        CHECK(weak.position(0).z == close_to(1 - 0.5 * 9.81 * t * t, 0.02));
        weak.solver->reset();  // mended: it hangs where it is pulled to
        weak.state = model::make_state(weak.model);
        weak.step(1.0 / 60);
        CHECK(weak.position(0).z == close_to(1.0, 1e-3));
    }
}

TEST_CASE("a chain that breaks in the middle of its swing keeps its momentum (DYN-114, T-65)")
{
    World w(chain(40));
    for (std::size_t k = 0; k < 5; ++k) w.state.joint_q[k] = 0.2_r;
    dynamics::project_to_joints(w.model, w.state);
    bool broke = false;
    for (int i = 0; i < 300 && !broke; ++i) {
        w.step(1.0 / 120);
        broke = !w.report.broken.empty();
    }
    REQUIRE(broke);
    // Three links of 6 + 0.75 + ... hang on the third joint: 2 + 2.5 + 3 = 7.5 kg, 73.6 N at rest.
    const auto   p0 = dynamics::linear_momentum(w.model, w.state);
    const auto   L0 = dynamics::angular_momentum(w.model, w.state);
    const double dt = 1e-6;
    w.step(dt);  // across the event: only external forces act, gravity and the hook in the ceiling
    const auto p1 = dynamics::linear_momentum(w.model, w.state);
    const auto L1 = dynamics::angular_momentum(w.model, w.state);
    CHECK(distance(p0, p1) < 1e-5 * (1 + length(p0)) + 400 * dt);  // 400 N bounds weight and ceiling together
    CHECK(distance(L0, L1) < 1e-5 * (1 + length(L0)) + 1200 * dt);
    w.run(0.5, 1.0 / 120);
    CHECK(w.velocity(4).z < -3);  // the lower part falls freely
}

TEST_CASE("each link of a chain reports the weight it carries, at rest and in motion (DYN-105, T-85)")
{
    World                w(chain(1e30));
    solvers::Observables seen;
    w.solver->observe(&seen);
    w.step(1.0 / 60);
    for (std::size_t k = 0; k < 5; ++k) {
        double below = 0;
        for (std::size_t i = k; i < 5; ++i) below += 1 + 0.5 * static_cast<double>(i);
        CHECK(static_cast<double>(seen.body_parent_f[k].linear.z) == close_to(9.81 * below, 1e-3 * 9.81 * below));
    }
    // Swinging: the top joint's force is the rate of change of the chain's momentum plus its weight.
    for (std::size_t k = 0; k < 5; ++k) w.state.joint_q[k] = 0.3_r;
    dynamics::project_to_joints(w.model, w.state);
    w.run(0.3, 1.0 / 240);
    for (int i = 0; i < 20; ++i) {
        const auto   before = dynamics::linear_momentum(w.model, w.state);
        const double dt     = 1.0 / 240;
        w.step(dt);
        const auto force = (1 / dt) * (dynamics::linear_momentum(w.model, w.state) - before) - Vec3d{0, 0, -9.81 * 10};
        CHECK(distance(static_cast<Vec3d>(seen.body_parent_f[0].linear), force) < 0.01 * length(force));
    }
}

TEST_CASE("accelerations read -g in free fall, drives read the force they give")
{
    model::ModelBuilder b;
    b.add_body({{0, 0, 5}, {}}, "stone", 1, {}, Mat33d::identity());
    World                w(b);
    solvers::Observables seen;
    w.solver->observe(&seen);
    w.step(1.0 / 60);
    CHECK(static_cast<double>(seen.body_qdd[0].linear.z) == close_to(-9.81, 1e-4));
    CHECK(length(static_cast<Vec3d>(seen.body_parent_f[0].linear)) == 0);

    auto d          = dof({0, 0, 1});
    d.target_ke     = 10;
    d.target_q      = 0.5;
    d.effort_limit  = 2;
    d.actuator_mode = model::TargetMode::position;
    World hinge(unit_hinge(d));
    hinge.solver->observe(&seen);
    hinge.step(1.0 / 60);
    CHECK(static_cast<double>(seen.joint_drive_f[0]) == close_to(2.0, 1e-6));  // 5 N m wanted, 2 allowed
}
