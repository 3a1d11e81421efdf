#include "world.h"

using namespace mechane;
using namespace mechane::test;

namespace {
constexpr double kDt    = 1.0 / 60;
const double     kFloat = sizeof(Real) == 4 ? 1 : 0;  ///< adds a rounding allowance for Real = float
}  // namespace

TEST_CASE("a body falls by g (T-01, T-02)")
{
    model::ModelBuilder b;
    b.add_body({}, "ball", 1, {}, Mat33d::identity());
    b.bodies[0].qd.linear = {3, 0, 4};
    World w(b);
    w.state.joint_qd = {3, 0, 4, 0, 0, 0};
    w.run(1, kDt);
    // Symplectic Euler with h = 1/480 falls 4.905 h farther than the parabola.
    CHECK(w.velocity(0).z == close_to(4 - 9.81, 1e-5));
    CHECK(w.position(0).x == close_to(3, 1e-5));
    CHECK(w.position(0).z == close_to(4 - 4.905 - 4.905 / 480, 1e-4));
    CHECK(w.state.time == close_to(1, 1e-12));
}

TEST_CASE("a body with an offset centre of mass turns about it (DYN-004, DYN-005, T-03, T-04)")
{
    model::ModelBuilder b;
    b.gravity = {};
    b.add_body({}, "club", 2, {0.5, 0, 0}, Mat33d::diagonal({1, 1, 1}));
    SUBCASE("its spin leaves the centre of mass where it is")
    {
        World w(b);
        w.state.joint_qd = {0, 0, 0, 0, 0, 1};
        w.run(1, kDt);
        CHECK(distance(w.position(0), Vec3d{0.5 - 0.5 * std::cos(1.0), -0.5 * std::sin(1.0), 0}) < 1e-5);
    }
    SUBCASE("a force acts at it and does not turn the body")
    {
        World w(b);
        for (int i = 0; i < 60; ++i) {
            w.state.body_f[0] = {{1, 0, 0}, {}};
            w.step(kDt);
        }
        CHECK(distance(w.velocity(0), Vec3d{0.5, 0, 0}) < 1e-5);  // F t / m
        CHECK(length(w.spin(0)) < 1e-7);
        CHECK(w.state.body_f[0].linear.x == Real(1));  // an input, not touched (DYN-006)
    }
}

TEST_CASE("the intermediate axis flips at the times of Euler's equations (DYN-086, T-07)")
{
    model::ModelBuilder b;
    b.gravity = {};
    b.add_body({}, "handle", 1, {}, Mat33d::diagonal({1, 2, 3}));
    World w(b, 8);
    w.state.joint_qd = {0, 0, 0, Real(0.01), 5, Real(0.01)};
    const double E0 = 25.0002, L0 = 10.00005;
    double       last  = 5, crossings[4];
    int          found = 0;
    const double dt    = 8.0 / 480;
    for (int i = 0; i < static_cast<int>(20 / dt) && found < 4; ++i) {
        w.step(dt);
        // Body component along the intermediate axis.
        const double y = rotate_inverse(static_cast<Quatd>(w.state.body_q[0].q), w.spin(0)).y;
        if (last * y < 0) crossings[found++] = w.state.time - dt * y / (y - last);
        last = y;
        CHECK(dynamics::energy(w.model, w.state).kinetic == close_to(E0, 1e-3));
        CHECK(length(dynamics::angular_momentum(w.model, w.state)) == close_to(L0, 1e-4));
    }
    REQUIRE(found == 4);
    // Closed form, spacing to 0.5 %. Stored as float once a step, 5 rad/s are rounded by 2.4e-7; from the separatrix
    // the motion is only 0.01^2 away, and the spacing answers to the logarithm of that distance.
    for (int k = 0; k < 3; ++k) CHECK(crossings[k + 1] - crossings[k] == close_to(5.0259, kFloat > 0 ? 0.015 : 0.005));
}

TEST_CASE("free tops keep their momentum (T-08)")
{
    for_seeds(20, [](Random& r) {
        model::ModelBuilder b;
        b.gravity      = {};
        const double I = r.uniform(0.5, 1);
        b.add_body({}, "top", r.uniform(0.5, 2), {},
                   Mat33d::diagonal({I, I * r.uniform(0.8, 1.2), I * r.uniform(0.9, 1.1)}));
        World w(b);
        for (Real& v : w.state.joint_qd) v = static_cast<Real>(r.uniform(-3, 3));
        w.step(kDt);
        const Vec3d p = dynamics::linear_momentum(w.model, w.state), L = dynamics::angular_momentum(w.model, w.state);
        w.run(1, kDt);
        const Vec3d  L1        = dynamics::angular_momentum(w.model, w.state);
        const double tolerance = 1e-10 + kFloat * 5e-4;
        CHECK(distance(dynamics::linear_momentum(w.model, w.state), p) < tolerance * length(p));
        // Its direction is kept to the order of the integrator, h^2 w^2 a step.
        CHECK(length(L1 - L) < 0.02 * length(L));
        CHECK(std::abs(length(L1) - length(L)) < (1e-4 + tolerance) * length(L));
    });
}

TEST_CASE("small pendulums have their periods, whatever joint holds them (T-10, T-12, T-18)")
{
    // A point mass (radius of gyration zero but for 1e-9) on a rod of 1 m: T(90 deg) = 2.36784 s. The period is read
    // from zero crossings.
    using enum model::JointType;
    for (const int kind : {0, 1, 2, 3}) {
        CAPTURE(kind);
        model::ModelBuilder b;
        const auto          bob = b.add_link({}, "bob", 1, {0, 0, -1}, Mat33d::diagonal({1e-9, 1e-9, 1e-9}));
        model::BuilderJoint j;
        j.child = bob;
        j.type  = kind == 0 ? revolute : kind == 1 ? d6 : kind == 2 ? ball : d6;
        if (kind < 2) j.angular_axes = {dof({0, 1, 0})};
        if (kind >= 2) j.angular_axes = {dof({1, 0, 0}), dof({0, 1, 0}), dof({0, 0, 1})};
        b.add_articulation({b.add_joint(j)}, "pendulum");
        World        w(b, 16);
        const double a = 90 * kDegrees;
        if (kind < 2) w.state.joint_q[0] = static_cast<Real>(a);
        if (kind == 2) w.state.joint_q = {0, static_cast<Real>(std::sin(a / 2)), 0, static_cast<Real>(std::cos(a / 2))};
        if (kind == 3) w.state.joint_q[1] = static_cast<Real>(a);
        dynamics::project_to_joints(w.model, w.state);
        std::vector<double> zeros;
        double              last = 1;
        while (zeros.size() < 3 && w.state.time < 10) {
            w.step(1.0 / 240);
            const Vec3d  bob_W = rotate(static_cast<Quatd>(w.state.body_q[0].q), Vec3d{0, 0, -1});
            const double x     = std::atan2(-bob_W.x, -bob_W.z);
            if (last * x < 0 && w.state.time > 0.01) zeros.push_back(w.state.time - 1.0 / 240 * x / (x - last));
            last = x;
        }
        REQUIRE(zeros.size() == 3);
        CHECK(zeros[2] - zeros[0] == close_to(2.36784, 1e-3));
    }
}

TEST_CASE("a double pendulum of rods follows the high-order solution and keeps its energy (T-13, T-15)")
{
    // Two uniform rods (1 m, 1 kg), both horizontal at rest. Reference: theta at 1 s = -1.20772, -0.81439 (from down).
    model::ModelBuilder b;
    const Mat33d        rod   = Mat33d::diagonal({1.0 / 12, 1.0 / 12, 1e-9});
    const auto          upper = b.add_link({}, "upper", 1, {0, 0, -0.5}, rod),
                        lower = b.add_link({}, "lower", 1, {0, 0, -0.5}, rod);
    const auto          j0    = b.add_joint_revolute(-1, upper, {}, {}, dof({0, 1, 0})),
                        j1    = b.add_joint_revolute(upper, lower, {{0, 0, -1}, {}}, {}, dof({0, 1, 0}));
    b.add_articulation({j0, j1}, "double");
    World w(b, 8);
    w.state.joint_q = {static_cast<Real>(-kPi / 2), 0};
    dynamics::project_to_joints(w.model, w.state);
    const double E0    = dynamics::energy(w.model, w.state).total();
    const double dt    = 8 * 5e-4;
    double       worst = 0;
    for (int i = 0; i < 250; ++i) {
        w.step(dt);
        worst = std::max(worst, std::abs(dynamics::energy(w.model, w.state).total() - E0));
    }
    // Angles from down about the axis that lifts +x: mirror of the figure's sign.
    const double t1 = -w.q(0), t2 = -(w.q(0) + w.q(1));
    CHECK(std::remainder(t1 + 1.20772, 2 * kPi) == close_to(0, 1.2e-2));
    CHECK(std::remainder(t2 + 0.81439, 2 * kPi) == close_to(0, 1.2e-2));
    CHECK(worst < 0.22);                                                 // symplectic Euler at h = 0.5 ms
    CHECK(dynamics::project_to_joints(w.model, w.state).linear < 1e-6);  // no joint error (DYN-075)
}
