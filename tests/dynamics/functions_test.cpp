#include "mechane/dynamics/articulation_arrays.h"
#include "mechane/dynamics/forward_dynamics.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/dynamics/mass_matrix.h"
#include "random_tree.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::literals;

namespace {
const double kRound = sizeof(Real) == 4 ? 1e-5 : 1e-12;
}

TEST_CASE("the articulated body algorithm undoes inverse dynamics (DYN-041, T-89)")
{
    for_seeds(30, [](Random& r) {
        const model::Model m = random_robot(r, r.uniform() < 0.5);
        model::State       s = model::make_state(m);
        randomize(m, r, s);
        dynamics::JointSpace space(m);
        space.set_state(s);
        std::vector<double> qdd(static_cast<std::size_t>(space.forest().trees[0].dof_count()));
        for (double& a : qdd) a = r.uniform(-3, 3);
        const auto back = space.articulated_dynamics(0, space.inverse_dynamics(0, qdd));
        for (std::size_t k = 0; k < qdd.size(); ++k) CHECK(back[k] == close_to(qdd[k], 1e-9));
    });
}

TEST_CASE("responses by recursion over the links are those of the factored mass matrix")
{
    for_seeds(30, [](Random& r) {
        const model::Model m = random_robot(r, r.uniform() < 0.5);
        model::State       s = model::make_state(m);
        randomize(m, r, s);
        dynamics::JointSpace space(m);
        space.set_state(s);
        const dynamics::Forest& forest = space.forest();
        const dynamics::Tree&   tree   = forest.trees[0];
        dynamics::Motion        motion = space.motion();
        const auto              n      = static_cast<std::size_t>(tree.dof_count());
        std::vector<double>     armature(static_cast<std::size_t>(forest.dof_count));
        for (double& a : armature) a = r.uniform(0, 0.5);

        const dynamics::Paths paths = dynamics::list_paths(forest, true);
        std::vector<double>   M(paths.size()), pivots(armature.size());
        dynamics::mass_matrix(forest, tree, paths, motion, M);
        for (std::size_t k = 0; k < armature.size(); ++k)
            M[paths.diagonal(static_cast<std::int32_t>(k))] += armature[k];
        REQUIRE(dynamics::factor(tree, paths, M, pivots) == 0);
        dynamics::ArticulatedBodies articulated;
        articulated.resize(forest);
        dynamics::factor_articulated(forest, tree, armature, motion, articulated);

        std::vector<double> four(4 * n), one(n);
        for (double& x : four) x = r.uniform(-1, 1);
        for (double& x : one) x = r.uniform(-1, 1);
        std::vector<double> four_again = four, one_again = one;
        dynamics::solve_factored<4>(tree, paths, M, pivots, four.data());
        dynamics::respond_articulated(forest, tree, motion, articulated, four_again.data(), 4);
        for (std::size_t i = 0; i < four.size(); ++i) CHECK(four_again[i] == close_to(four[i], 1e-9));
        one.resize(static_cast<std::size_t>(kLanes * tree.block_count()));
        dynamics::solve_factored(tree, paths, M, pivots, one.data());
        one.resize(n);
        dynamics::respond_articulated(forest, tree, motion, articulated, one_again.data(), 1);
        for (std::size_t i = 0; i < one.size(); ++i) CHECK(one_again[i] == close_to(one[i], 1e-9));
    });
}

TEST_CASE("Jacobians in the model's layout give body velocities, unselected articulations are zero (DYN-036, DYN-042)")
{
    for_seeds(10, [](Random& r) {
        model::ModelBuilder b;
        using enum model::JointType;
        for (int a = 0; a < 3; ++a) {
            std::vector<std::int32_t> joints;
            std::int32_t              parent = -1;
            for (int k = 0; k < 2 + a; ++k) {
                const auto link = add_random_link(b, r);
                // A free joint below a body that moves: its rates are relative to that body.
                const bool floats = k == 0 ? a == 1 : k == a + 1 && a < 2;
                const auto type   = floats ? free : k == 0 ? revolute : k == 1 ? ball : prismatic;
                auto       j    = random_joint(r, type, parent, link);
                if (type == revolute) j.angular_axes[0].armature = 0.3;
                joints.push_back(b.add_joint(j));
                parent = link;
            }
            b.add_articulation(joints, fmt::format("r{}", a));
        }
        const model::Model m = finalized(b);
        model::State       s = model::make_state(m);
        randomize(m, r, s);
        REQUIRE(dynamics::eval_fk(m, s.joint_q, s.joint_qd, s));
        const std::vector<std::uint8_t> mask{1, 1, 0};
        const auto                      J = dynamics::eval_jacobian(m, s, mask);
        const auto                      M = dynamics::eval_mass_matrix(m, s, mask);
        REQUIRE(J);
        REQUIRE(M);
        CHECK(J->rows == 6 * 4);
        double kinetic = 0, from_matrix = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            const auto j0 = m.articulation_start[a], j1 = m.articulation_end[a];
            const auto d0 = m.joint_qd_start[j0], d1 = m.joint_qd_start[j1];
            for (std::size_t row = 0; row < J->rows; ++row) {
                double sum = 0, size = 0;
                for (std::size_t k = 0; k < J->columns; ++k) {
                    const double rate =
                        static_cast<std::int32_t>(k) < d1 - d0 ? static_cast<double>(s.joint_qd[d0 + k]) : 0;
                    sum += J->at(a, row, k) * rate;
                    size += std::abs(J->at(a, row, k));
                }
                const auto joint = j0 + static_cast<std::int32_t>(row / 6);
                if (a == 2 || joint >= j1) {
                    CHECK(size == 0);
                    continue;
                }
                const auto twist = static_cast<Spatiald>(s.body_qd[m.joint_child[joint]]);
                CHECK(sum == close_to(row % 6 < 3 ? twist.linear[row % 3] : twist.angular[row % 3], 10 * kRound));
            }
            for (std::size_t i = 0; i < M->rows; ++i)
                for (std::size_t k = 0; k < M->columns; ++k) {
                    if (a == 2) CHECK(M->at(a, i, k) == 0);
                    if (static_cast<std::int32_t>(std::max(i, k)) >= d1 - d0) continue;
                    from_matrix += 0.5 * static_cast<double>(s.joint_qd[d0 + i]) * M->at(a, i, k) *
                                   static_cast<double>(s.joint_qd[d0 + k]);
                }
            if (a == 2) continue;
            for (auto j = j0; j < j1; ++j) {
                const auto  body = m.joint_child[j];
                const auto  t    = static_cast<Spatiald>(s.body_qd[body]);
                const Vec3d w    = rotate_inverse(static_cast<Posed>(s.body_q[body]).q, t.angular);
                kinetic += 0.5 * static_cast<double>(m.body_mass[body]) * dot(t.linear, t.linear) +
                           0.5 * dot(w, static_cast<Mat33d>(m.body_inertia[body]) * w);
                if (m.joint_type[j] == revolute)
                    kinetic += 0.5 * 0.3 * std::pow(static_cast<double>(s.joint_qd[m.joint_qd_start[j]]), 2);
            }
        }
        CHECK(from_matrix == close_to(kinetic, 100 * kRound));
        CHECK(dynamics::eval_jacobian(m, s, std::vector<std::uint8_t>{1}).error().id == "DYN_SELECTION");
    });
}

TEST_CASE("Jacobians and mass matrices are those of the bodies' poses, whatever coordinates the state holds")
{
    for_seeds(10, [](Random& r) {
        model::ModelBuilder b;
        using enum model::JointType;
        std::vector<std::int32_t> joints;
        std::int32_t              parent = -1;
        // One axis each: no axis is carried by another dof of its joint, so the coordinates tell nothing more.
        for (const auto type : {free, revolute, ball, prismatic, revolute}) {
            const auto link = add_random_link(b, r);
            joints.push_back(b.add_joint(random_joint(r, type, parent, link)));
            parent = link;
        }
        b.add_articulation(joints, "r");
        const model::Model m = finalized(b);
        model::State       s = model::make_state(m), posed = model::make_state(m);
        randomize(m, r, s);
        REQUIRE(dynamics::eval_fk(m, s.joint_q, s.joint_qd, s));
        REQUIRE(dynamics::eval_fk(m, s.joint_q, s.joint_qd, posed));
        REQUIRE(posed.joint_q != s.joint_q);
        CHECK(dynamics::eval_jacobian(m, posed)->values == dynamics::eval_jacobian(m, s)->values);
        CHECK(dynamics::eval_mass_matrix(m, posed)->values == dynamics::eval_mass_matrix(m, s)->values);
        // The other way round: bodies that stay where they were keep the Jacobian of that place.
        model::State moved = s;
        for (Real& q : moved.joint_q) q += Real(0.1);
        CHECK(dynamics::eval_jacobian(m, moved)->values == dynamics::eval_jacobian(m, s)->values);
    });
}

TEST_CASE("each joint of a hanging chain carries the weight below it; in free fall none carries anything")
{
    model::ModelBuilder       b;
    std::vector<std::int32_t> joints;
    std::int32_t              parent = -1;
    for (int k = 0; k < 5; ++k) {
        const auto link = b.add_link({}, fmt::format("link{}", k), 1 + k, {0, 0, -0.2}, Mat33d::identity());
        joints.push_back(b.add_joint_revolute(parent, link, {{0, 0, k == 0 ? 3.0 : -0.4}, {}}, {}, dof({0, 1, 0})));
        parent = link;
    }
    b.add_articulation(joints, "chain");
    const model::Model   m = finalized(b);
    dynamics::JointSpace space(m);
    space.set_state(model::make_state(m));
    const auto wrenches = space.joint_wrenches(0, {});
    for (std::size_t k = 0; k < 5; ++k) {
        double below = 0;
        for (std::size_t i = k; i < 5; ++i) below += 1 + static_cast<double>(i);
        CHECK(wrenches[k].linear.z == close_to(9.81 * below, 1e-5));
        CHECK(length(wrenches[k].angular) < 1e-5);  // straight down: no lever
    }
    // A wrench that carries the last link takes its weight off every joint.
    std::vector<Spatiald> lift(5);
    lift[4].linear = {0, 0, 5 * 9.81};
    CHECK(space.joint_wrenches(0, {}, lift)[0].linear.z == close_to(9.81 * 10, 1e-5));

    model::ModelBuilder fall;
    fall.add_body({}, "stone", 2, {0.1, 0, 0}, Mat33d::identity());
    const model::Model   stone = finalized(fall);
    dynamics::JointSpace falling(stone);
    falling.set_state(model::make_state(stone));
    const auto qdd = falling.articulated_dynamics(0, std::vector<double>(6, 0.0));
    CHECK(falling.accelerations(0, qdd)[0].linear.z == close_to(-9.81, 1e-6));
    CHECK(length(falling.joint_wrenches(0, qdd)[0].linear) < 1e-6);
}

TEST_CASE("rates of a ball joint are in the axes of its parent anchor (DYN-009)")
{
    model::ModelBuilder b;
    const auto          body = b.add_link({}, "bob", 1, {}, Mat33d::identity());
    // The anchor is turned by 90 degrees about x: its y axis is the world's z axis. The ball itself is turned as well.
    const Quatd quarter = from_axis_angle(Vec3d{1, 0, 0}, kPi / 2);
    b.add_articulation({b.add_joint_ball(-1, body, {{}, quarter}, {})}, "a");
    const model::Model m = finalized(b);
    model::State       s = model::make_state(m);
    s.joint_q            = {0.5_r, 0.5_r, 0.5_r, 0.5_r};
    s.joint_qd           = {0, 2, 0};
    REQUIRE(dynamics::eval_fk(m, s.joint_q, s.joint_qd, s));
    const Vec3d w = static_cast<Vec3d>(s.body_qd[0].angular);
    CHECK(distance(w, Vec3d{0, 0, 2}) < 1e-6);
}

TEST_CASE("a three-angle D6 in gimbal lock has finite rates (DYN-034)")
{
    model::ModelBuilder b;
    const auto          body = b.add_link({}, "body", 1, {}, Mat33d::identity());
    b.add_articulation({b.add_joint_d6(-1, body, {}, {}, {}, {dof({1, 0, 0}), dof({0, 1, 0}), dof({0, 0, 1})})}, "a");
    const model::Model m = finalized(b);
    model::State       s = model::make_state(m);
    s.body_q[0]          = static_cast<Pose>(Posed{{}, from_axis_angle(Vec3d{0, 1, 0}, kPi / 2)});
    s.body_qd[0]         = {{}, {1, 2, 3}};
    std::vector<Real> q(3), qd(3);
    REQUIRE(dynamics::eval_ik(m, s, q, qd));
    // The determinant is held at 1e-4, so a rate is at most 1e4 times the spin of sqrt(14) rad/s.
    for (const Real rate : qd) CHECK(std::abs(rate) < 4e4_r);
    CHECK(static_cast<double>(q[1]) == close_to(kPi / 2, 1e-3));
}

TEST_CASE("a wrench shifted to another point keeps its moment about any third one (DYN-003)")
{
    for_seeds(20, [](Random& r) {
        const Vec3d    P = r.vec(1), O = r.vec(1), f = r.vec(5);
        const Spatiald at_P{f, {}};
        const Spatiald at_O = shift_wrench(at_P, O - P);
        CHECK(distance(at_O.angular, cross(P - O, f)) < 1e-12);
        CHECK(at_O.linear == f);
        // Its power on a rigid motion does not depend on the point either.
        const Spatiald v_P{r.vec(1), r.vec(1)};
        CHECK(dot(at_O, shift_twist(v_P, O - P)) == close_to(dot(at_P, v_P), 1e-12));
    });
}
