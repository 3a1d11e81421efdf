#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "mechane/dynamics/goal_ik.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/dynamics/mass_matrix.h"
#include "mechane/model/model.h"
#include "simulation/scenes.h"
#include "support/allocations.h"

using namespace face_tests;

TEST_CASE("the Jacobian takes rates of the model's dofs to velocities of a point")
{
    const Yard y = yard();
    Dynamics   dynamics(y.model);
    const auto dofs = y.model->dofs();
    REQUIRE(dofs.size() == 8);
    // At the start the arm lies along +x; the tip is 1 m from the shoulder and 0.5 m from the elbow, both turn about
    // +y: v = w x r = (0, 1, 0) x (r, 0, 0) = (0, 0, -r).
    const auto J = dynamics.jacobian(y.lower, {0.25, 0, 0}).expect();
    REQUIRE(J.rows == 6);
    REQUIRE(J.columns == 8);
    CHECK(J(2, 0) == doctest::Approx(-1).epsilon(1e-6));
    CHECK(J(2, 1) == doctest::Approx(-0.5).epsilon(1e-6));
    CHECK(J(4, 0) == doctest::Approx(1));
    CHECK(J(4, 1) == doctest::Approx(1));
    for (std::size_t k = 2; k < 8; ++k) CHECK(J(2, k) == 0);
    // A free body: velocity of the centre of mass, angular velocity.
    const auto F = dynamics.jacobian(y.box, {0, 0, 0.3}).expect();
    for (std::size_t i = 0; i < 3; ++i) CHECK(F(i, 2 + i) == doctest::Approx(1));
    CHECK(F(0, 2 + 4) == doctest::Approx(0.3));  // turning about y moves the top along x
    CHECK(dynamics.jacobian(kWorld).expect().columns == 8);
}

TEST_CASE("mass matrix, inverse and forward dynamics agree with each other and with free fall")
{
    const Yard y = yard();
    State      state(y.model);
    state.set_position(y.model->find_dof("elbow").expect(), Real(0.7));
    state.set_velocity(y.model->find_dof("shoulder").expect(), Real(1.3));
    state.set_velocity(y.box, {1, 2, 3}, {Real(0.1), Real(0.2), Real(0.3)});
    state.settle();
    Dynamics dynamics(y.model);
    dynamics.at(state);
    const std::size_t   n = y.model->dofs().size();
    std::vector<double> a(n), tau, hold;
    for (std::size_t i = 0; i < n; ++i) a[i] = 0.1 * static_cast<double>(i) - 0.3;
    const auto zero = dynamics.inverse_dynamics().expect();
    hold.assign(zero.begin(), zero.end());
    const auto full = dynamics.inverse_dynamics(a).expect();
    tau.assign(full.begin(), full.end());
    const auto M = dynamics.mass_matrix().expect();
    for (std::size_t i = 0; i < n; ++i) {
        double sum = hold[i];
        for (std::size_t k = 0; k < n; ++k) {
            sum += M(i, k) * a[k];
            CHECK(M(i, k) == doctest::Approx(M(k, i)));
        }
        CHECK(sum == doctest::Approx(tau[i]).epsilon(1e-9));
    }
    CHECK(M(2, 2) == doctest::Approx(48).epsilon(1e-6));  // the box
    const auto back = dynamics.forward_dynamics(tau).expect();
    for (std::size_t i = 0; i < n; ++i) CHECK(back[i] == doctest::Approx(a[i]).epsilon(1e-9));
    const std::vector<double> none(n, 0.0);
    CHECK(dynamics.forward_dynamics(none).expect()[4] == doctest::Approx(-9.81).epsilon(1e-6));

    const auto count = test::allocations();
    dynamics.at(state);
    (void)dynamics.jacobian(y.lower);
    (void)dynamics.mass_matrix();
    (void)dynamics.inverse_dynamics(a);
    (void)dynamics.forward_dynamics(tau);
    CHECK(test::allocations() == count);
}

TEST_CASE("each world has its dofs, in the order of the model")
{
    Yard         y;
    ModelBuilder one, all;
    fill(one, y, false);
    const Replicas copies = all.replicate(one, 3);
    const auto     model  = all.finalize().expect();
    Dynamics       dynamics(model);
    const auto     J = dynamics.jacobian(copies.body(WorldId{2}, y.lower)).expect();
    CHECK(J.columns == 8);
    CHECK(model->dofs(WorldId{2}).front().value == 16);
    CHECK(J(4, 1) == doctest::Approx(1));
    CHECK(dynamics.mass_matrix(WorldId{1}).expect().rows == 8);
    CHECK(dynamics.mass_matrix(kShared).expect().rows == 0);
}

TEST_CASE("what moves without a joint to the world has no dynamics in numbered dofs: a chain and a ring of two bodies")
{
    // A ring floats as a chain does: its first joint is in the tree, the other one closes it.
    for (const bool ring : {false, true}) {
        ModelBuilder builder;
        const BodyId a = builder.add_link({.label = "a"}), b = builder.add_link({.position = {1, 0, 0}, .label = "b"});
        builder.add_box(a, {.half = {0.1, 0.1, 0.1}});
        builder.add_box(b, {.half = {0.1, 0.1, 0.1}});
        builder.add_revolute(a, b, {.child_anchor = {-1, 0, 0}});
        if (ring) builder.add_revolute(b, a, {.parent_anchor = {-1, 0, 0}});
        const auto   model = builder.finalize().expect();
        Dynamics     dynamics(model);
        const double one[] = {1, 1};
        const auto   some  = std::span(one).first(model->dofs().size());
        CHECK(dynamics.mass_matrix().error().id == "SIM_DYNAMICS");
        CHECK(dynamics.inverse_dynamics(some).error().id == "SIM_DYNAMICS");
        CHECK(dynamics.forward_dynamics(some).error().id == "SIM_DYNAMICS");
        CHECK(dynamics.jacobian(b).error().id == "SIM_DYNAMICS");
        CHECK(dynamics.mass_matrix().error().site.prim == "a");
    }
    // A loose body without a joint has no dof, and is in nobody's way.
    Yard         y;
    ModelBuilder builder;
    fill(builder, y);
    builder.add_sphere(builder.add_link({.position = {5, 0, 1}}), {.radius = 0.1});
    CHECK(Dynamics(builder.finalize().expect()).mass_matrix().expect().rows == 8);
}

TEST_CASE("without a world the dofs are those of the whole model, and its dynamics ask for a world")
{
    ModelBuilder one, all;
    Yard         y;
    fill(one, y, false);
    all.replicate(one, 3);
    const auto model = all.finalize().expect();
    CHECK(model->dofs().size() == 24);
    CHECK(model->dofs().back() == model->dofs(WorldId{2}).back());
    CHECK(model->dofs(kShared).empty());
    Dynamics dynamics(model);
    CHECK(failure_of([&] { (void)dynamics.mass_matrix(); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)dynamics.inverse_dynamics(); }) == "API_ARGUMENT");
    CHECK(dynamics.inverse_dynamics({}, WorldId{1}).expect().size() == 8);
}

TEST_CASE("inverse kinematics refuses what makes no sense, and does not call a fixed body solved")
{
    const Yard y = yard();
    Dynamics   dynamics(y.model);
    const Goal reach[] = {{.body = y.lower, .point = {0.25, 0, 0}, .position = Vec3d{0.5, 0, 0.6}}};
    const auto found   = dynamics.inverse_kinematics(State(y.model), reach).expect();
    CHECK(found.solved);
    const Vec3 tip = found.state.pose(y.lower) * Vec3{Real(0.25), 0, 0};
    CHECK(double(length(tip - Vec3{Real(0.5), 0, Real(0.6)})) < 2e-4);
    for (const Goal& bad : {Goal{.body = kWorld, .position = Vec3d{}}, Goal{.body = BodyId{99}, .position = Vec3d{}},
                            Goal{.body = y.lower, .position = Vec3d{std::nan(""), 0, 0}},
                            Goal{.body = y.lower, .position = Vec3d{}, .position_weight = -1}}) {
        const auto refused = dynamics.inverse_kinematics(State(y.model), std::span(&bad, 1));
        REQUIRE(!refused);
        CHECK(refused.error().id == "DYN_GOAL");
    }
    const auto& m = y.model->arrays();
    CHECK(dynamics::solve_ik(m, model::State{}, {}).refused->id == "DYN_SIZE");
    ModelBuilder           b;
    const BodyId           still  = b.add_body({.label = "still", .mass = 1, .kinematic = true});
    const auto             fixed  = b.finalize().expect();
    const dynamics::IkGoal far[]  = {{.body = still.value, .position = Vec3d{0, 0, 2}}};
    const auto             result = dynamics::solve_ik(fixed->arrays(), model::make_state(fixed->arrays()), far);
    CHECK(!result.refused);
    CHECK(!result.solved);
    CHECK(result.position_error == doctest::Approx(2));
}

TEST_CASE("building blocks of dynamics refuse trees, links and spans that the model does not have")
{
    const Yard           y = yard();
    const auto&          m = y.model->arrays();
    dynamics::JointSpace space(m);
    std::vector<double>  three(3);
    CHECK(failure_of([&] { (void)space.mass_matrix(99); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)space.mass_matrix(-1); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)space.inverse_dynamics(0, three); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)space.forward_dynamics(0, three); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)space.jacobian(-1); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)space.jacobian(99, {}); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { space.set_state({}); }) == "API_ARGUMENT");
    model::State      state = model::make_state(m);
    std::vector<Real> shorter(1), q = m.joint_q, qd = m.joint_qd;
    CHECK(dynamics::eval_fk(m, shorter, qd, state).error().id == "DYN_SIZE");
    CHECK(dynamics::eval_ik(m, state, q, shorter).error().id == "DYN_SIZE");
    model::State none;
    CHECK(dynamics::eval_fk(m, q, qd, none).error().id == "DYN_SIZE");
    CHECK(failure_of([&] { (void)dynamics::project_to_joints(m, none); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { dynamics::eval_mimic(m, shorter, qd); }) == "API_ARGUMENT");
}
