#include <algorithm>

#include "mechane/dynamics/energy.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/dynamics/mass_matrix.h"
#include "random_tree.h"

using namespace mechane;
using namespace mechane::test;

namespace {

/// Joint space computes in double whatever Real is; only what passes through the state is rounded to Real.
const double kRound = sizeof(Real) == 4 ? 1e-5 : 1e-12;

}  // namespace

TEST_CASE("forward dynamics undoes inverse dynamics (DYN-041, T-89)")
{
    for_seeds(30, [](Random& r) {
        const model::Model m = random_robot(r, r.uniform() < 0.5);
        model::State       s = model::make_state(m);
        randomize(m, r, s);
        dynamics::JointSpace space(m);
        space.set_state(s);
        std::vector<double> qdd(static_cast<std::size_t>(space.forest().trees[0].dof_count()));
        for (double& a : qdd) a = r.uniform(-3, 3);
        const auto tau  = space.inverse_dynamics(0, qdd);
        const auto back = space.forward_dynamics(0, tau);
        for (std::size_t k = 0; k < qdd.size(); ++k) CHECK(back[k] == close_to(qdd[k], 1e-9));
    });
}

TEST_CASE(
    "the Jacobian times the rates is the velocity of every link, and M gives the kinetic energy (DYN-036, DYN-037, "
    "T-86, T-88)")
{
    for_seeds(20, [](Random& r) {
        const model::Model m = random_robot(r, r.uniform() < 0.5);
        model::State       s = model::make_state(m);
        randomize(m, r, s);
        dynamics::project_to_joints(m, s);
        dynamics::JointSpace space(m);
        space.set_state(s);
        const auto& tree = space.forest().trees[0];
        const auto  n    = static_cast<std::size_t>(tree.dof_count());
        const auto& v    = space.motion().v;
        for (std::size_t l = 0; l < space.forest().links.size(); ++l) {
            const auto     J     = space.jacobian(static_cast<std::int32_t>(l));
            const Spatiald twist = static_cast<Spatiald>(s.body_qd[space.forest().links[l].body]);
            for (std::size_t i = 0; i < 6; ++i) {
                double sum = 0;
                for (std::size_t k = 0; k < n; ++k) sum += J[i * n + k] * v[k];
                CHECK(sum == close_to(i < 3 ? twist.linear[i] : twist.angular[i - 3], kRound));
            }
        }
        const auto M       = space.mass_matrix(0, false);
        double     kinetic = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < n; ++k) {
                kinetic += 0.5 * v[i] * M[i * n + k] * v[k];
                CHECK(M[i * n + k] == M[k * n + i]);
            }
        CHECK(kinetic == close_to(dynamics::energy(m, s).kinetic, kRound));
    });
}

TEST_CASE("the gravity force is the gradient of the potential energy (DYN-039, T-90)")
{
    for_seeds(10, [](Random& r) {
        const model::Model m = random_robot(r, false);
        model::State       s = model::make_state(m);
        randomize(m, r, s);
        dynamics::JointSpace space(m);
        space.set_state(s);
        const auto g         = space.gravity_force(0);
        const auto potential = [&] {
            space.update();
            double sum = 0;
            for (std::size_t l = 0; l < space.forest().links.size(); ++l)
                sum += space.forest().links[l].mass * 9.81 * space.motion().com_W[l].z;
            return sum;
        };
        for (std::size_t k = 0; k < g.size(); ++k) {
            const auto& link = space.forest().links[space.forest().dof_link[k]];
            if (link.axes.type == model::JointType::ball) continue;  // three rates, four coordinates
            double&      q  = space.motion().q[link.coord + static_cast<std::int32_t>(k) - link.dof];
            const double at = q, h = 1e-5;
            q                = at + h;
            const double up  = potential();
            q                = at - h;
            const double low = potential();
            q                = at;
            CHECK(g[k] == close_to((up - low) / (2 * h), 1e-6));  // central difference: error h^2
        }
    });
}

TEST_CASE("a free body that flies and spins has no Coriolis force, only the gyroscopic torque (DYN-040, T-94)")
{
    model::ModelBuilder b;
    const Mat33d        I = Mat33d::diagonal({1, 2, 3});
    b.add_body({}, "top", 2, {0.3, -0.1, 0.2}, I);
    const model::Model m = finalized(b);
    model::State       s = model::make_state(m);
    s.joint_qd           = {1, 2, 3, Real(0.5), -2, 1};
    dynamics::JointSpace space(m);
    space.set_state(s);
    const auto  c = space.coriolis_force(0);
    const Vec3d w{0.5, -2, 1}, expected = cross(w, I * w);
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(std::abs(c[k]) < 1e-12);
        CHECK(c[3 + k] == close_to(expected[k], 1e-6));  // the joint rates pass through Real
    }
}

TEST_CASE("a three-angle D6 moves and weighs as three stacked hinges do (DYN-033, T-92)")
{
    for_seeds(10, [](Random& r) {
        const Mat33d R    = to_matrix(r.rotation());
        const Vec3d  a[3] = {R.column(0), R.column(1), (r.uniform() < 0.5 ? -1.0 : 1.0) * R.column(2)};
        const Posed  X_P = random_pose(r, 0.5), X_C = random_pose(r, 0.3);
        const double mass = 1.5;
        const Mat33d I    = random_inertia(r, mass);
        const Vec3d  com  = r.vec(0.2);

        model::ModelBuilder one, three;
        const auto          body = one.add_link({}, "body", mass, com, I);
        model::BuilderJoint j;
        j.type         = model::JointType::d6;
        j.child        = body;
        j.parent_xform = X_P;
        j.child_xform  = X_C;
        for (const Vec3d& axis : a) j.angular_axes.push_back(dof(axis));
        one.add_articulation({one.add_joint(j)}, "d6");

        // Massless carriers; each hinge turns about the axis that the former ones carry.
        std::vector<std::int32_t> joints;
        std::int32_t              parent = -1;
        for (int k = 0; k < 3; ++k) {
            const bool last = k == 2;
            const auto child =
                last ? three.add_link({}, "body", mass, com, I) : three.add_link({}, fmt::format("carrier{}", k), 0);
            joints.push_back(three.add_joint_revolute(parent, child, k == 0 ? X_P : Posed{}, last ? X_C : Posed{},
                                                      dof(a[k]), fmt::format("h{}", k)));
            parent = child;
        }
        three.add_articulation(joints, "stack");
        const model::Model m1 = finalized(one), m3 = finalized(three);
        model::State       s1 = model::make_state(m1), s3 = model::make_state(m3);
        for (std::size_t k = 0; k < 3; ++k) {
            s1.joint_q[k] = s3.joint_q[k] = static_cast<Real>(r.uniform(-1, 1));
            s1.joint_qd[k] = s3.joint_qd[k] = static_cast<Real>(r.uniform(-3, 3));
        }
        dynamics::JointSpace d6(m1), stack(m3);
        d6.set_state(s1);
        stack.set_state(s3);
        CHECK(distance(d6.motion().X_WB[0].p, stack.motion().X_WB[2].p) < 1e-6);  // anchors pass through Real
        CHECK(angle_between(d6.motion().X_WB[0].q, stack.motion().X_WB[2].q) < 1e-6);
        const std::vector<double> qdd{0.3, -0.7, 1.1};
        const auto                M1 = d6.mass_matrix(0), M3 = stack.mass_matrix(0), t1 = d6.inverse_dynamics(0, qdd),
                                  t3 = stack.inverse_dynamics(0, qdd);
        for (std::size_t k = 0; k < 9; ++k) CHECK(M1[k] == close_to(M3[k], 1e-6));
        for (std::size_t k = 0; k < 3; ++k) CHECK(t1[k] == close_to(t3[k], 1e-5));
    });
}

TEST_CASE("the mass matrix of a free body is its mass and its inertia in world axes (DYN-037)")
{
    model::ModelBuilder b;
    const auto          body = b.add_link({}, "top", 2, {}, Mat33d::diagonal(Vec3d{1, 2, 3}));
    b.add_articulation({b.add_joint_free(body)}, "a");
    const model::Model m = finalized(b);
    model::State       s = model::make_state(m);
    // A quarter turn about z: the axes x and y change places.
    const Quatd turn = from_axis_angle(Vec3d{0, 0, 1}, 0.5 * kPi);
    s.joint_q[5] = static_cast<Real>(turn.z), s.joint_q[6] = static_cast<Real>(turn.w);
    dynamics::JointSpace space(m);
    space.set_state(s);
    const auto   M = space.mass_matrix(0);
    const double expected[6]{2, 2, 2, 2, 1, 3};
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t k = 0; k < 6; ++k) CHECK(M[6 * i + k] == close_to(i == k ? expected[i] : 0, 1e-6));
}

TEST_CASE("armature adds to the diagonal of the mass matrix once (DYN-038)")
{
    model::ModelBuilder   b;
    const auto            body = b.add_link({}, "wheel", 1, {}, Mat33d::identity());
    model::JointDofConfig d    = dof({0, 0, 1});
    d.armature                 = 0.5;
    b.add_articulation({b.add_joint_revolute(-1, body, {}, {}, d)}, "a");
    const model::Model   m = finalized(b);
    dynamics::JointSpace space(m);
    space.set_state(model::make_state(m));
    CHECK(space.mass_matrix(0)[0] == close_to(1.5, 1e-7));
    CHECK(space.mass_matrix(0, false)[0] == close_to(1.0, 1e-7));
    const std::vector<double> tau{1};
    CHECK(space.forward_dynamics(0, tau)[0] == close_to(1 / 1.5, 1e-7));  // T-55
}

TEST_CASE("a forest roots every body once and leaves what closes a loop (DYN-115)")
{
    model::ModelBuilder       b;
    std::vector<std::int32_t> bars;
    for (int k = 0; k < 4; ++k) bars.push_back(b.add_link({}, fmt::format("bar{}", k), 1, {}, Mat33d::identity()));
    std::vector<std::int32_t> tree;
    for (int k = 0; k < 3; ++k) tree.push_back(b.add_joint_revolute(bars[k], bars[k + 1], {}, {}, dof({0, 0, 1})));
    b.add_joint_revolute(bars[3], bars[0], {}, {}, dof({0, 0, 1}), "closing");
    const model::Model     m = finalized(b);
    const dynamics::Forest f = dynamics::build_forest(m);
    REQUIRE(f.trees.size() == 1);
    CHECK(f.dof_count == 6 + 3);  // an implicit free root and three hinges
    REQUIRE(f.loops.size() == 1);
    CHECK(m.joint_label[f.loops[0]] == "closing");
}
