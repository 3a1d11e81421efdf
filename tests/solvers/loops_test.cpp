#include <algorithm>

#include "hand_contacts.h"

using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kDt = 1.0 / 60;

model::JointDofConfig motor(double rate)
{
    auto d      = dof({0, 0, 1});
    d.target_kd = 1e6;
    d.target_qd = rate;
    return d;
}

/// A link from its frame's origin along +x, its mass in the middle.
std::int32_t add_bar(model::ModelBuilder& b, double length, const std::string& label)
{
    return b.add_link({}, label, 1, {length / 2, 0, 0},
                      Mat33d::diagonal({1e-3, 1.0 / 12 * length * length, 1.0 / 12 * length * length}));
}

/// Anchor distance of a joint from published poses [m].
double gap(const World& w, std::size_t j)
{
    const auto anchor = [&](std::int32_t body, const Pose& X) {
        return body < 0 ? static_cast<Posed>(X) : static_cast<Posed>(w.state.body_q[body]) * static_cast<Posed>(X);
    };
    return distance(anchor(w.model.joint_parent[j], w.model.joint_X_p[j]).p,
                    anchor(w.model.joint_child[j], w.model.joint_X_c[j]).p);
}

}  // namespace

TEST_CASE("a four-bar driven at one turn a second follows its closed form and stays closed (T-20, T-24, T-77)")
{
    // Crank 0.2, coupler 0.6, rocker 0.5, ground 0.6 m. Rocker angle from the triangle B C D, C above BD.
    const auto rocker_angle = [](double crank) {
        const Vec3d  B{0.2 * std::cos(crank), 0.2 * std::sin(crank), 0}, D{0.6, 0, 0}, DB = B - D;
        const double d = length(DB), a = (0.5 * 0.5 - 0.6 * 0.6 + d * d) / (2 * d), h = std::sqrt(0.25 - a * a);
        const Vec3d  u = DB / d, C = D + a * u + h * Vec3d{u.y, -u.x, 0};
        return std::atan2(C.y - D.y, C.x - D.x);
    };
    CHECK(rocker_angle(0) / kDegrees == close_to(97.1808, 1e-4));
    CHECK(rocker_angle(kPi / 2) / kDegrees == close_to(98.8574, 1e-4));
    using enum model::JointType;
    for (const auto type : {revolute, ball}) {
        model::ModelBuilder b;
        b.gravity        = {};
        const auto crank = add_bar(b, 0.2, "crank"), coupler = add_bar(b, 0.6, "coupler"),
                   rocker = add_bar(b, 0.5, "rocker");
        const auto j0     = b.add_joint_revolute(-1, crank, {}, {}, motor(2 * kPi), "motor");
        const auto j1     = b.add_joint_revolute(crank, coupler, {{0.2, 0, 0}, {}}, {}, dof({0, 0, 1}), "b");
        const auto j2     = b.add_joint_revolute(-1, rocker, {{0.6, 0, 0}, {}}, {}, dof({0, 0, 1}), "d");
        b.add_articulation({j0, j1, j2}, "four-bar");
        const auto loop =
            type == revolute
                ? b.add_joint_revolute(coupler, rocker, {{0.6, 0, 0}, {}}, {{0.5, 0, 0}, {}}, dof({0, 0, 1}), "c")
                : b.add_joint_ball(coupler, rocker, {{0.6, 0, 0}, {}}, {{0.5, 0, 0}, {}}, "c");
        b.joints[static_cast<std::size_t>(loop)].articulation = -1;
        World        w(b);
        const double phi   = rocker_angle(0);
        w.state.joint_q[1] = static_cast<Real>(std::atan2(0.5 * std::sin(phi), 0.4 + 0.5 * std::cos(phi)));
        w.state.joint_q[2] = static_cast<Real>(phi);
        dynamics::project_to_joints(w.model, w.state);
        double worst = 0, open = 0, reported = 0;
        for (int i = 0; i < 180; ++i) {
            w.step(kDt);
            REQUIRE(!w.report.diverged);
            if (i < 2) continue;  // the motor takes the mechanism along from rest
            worst    = std::max(worst, std::abs(std::remainder(w.q(2) - rocker_angle(w.q(0)), 2 * kPi)));
            open     = std::max(open, gap(w, static_cast<std::size_t>(loop)));
            reported = std::max(reported, w.report.joint_error_linear);
        }
        CHECK(w.report.loop_rows == (type == revolute ? 5 : 3));
        CHECK(w.q(0) == close_to(2 * kPi * 3, 0.2));
        CHECK(worst / kDegrees < 0.001);
        CHECK(open < 1e-5);
        CHECK(reported < 1e-6);
        CHECK(std::abs(w.position(1).z) < 1e-6);
    }
}

TEST_CASE("an open loop is pulled along its gap, however the joint's frames are turned (DYN-117)")
{
    // A bar that turns about z from x, and a ball 1 m off that holds its end: only the part of the gap along the
    // circle can close, and where the bar ends it points to the ball.
    for (const Quatd& q : {Quatd{}, from_axis_angle(normalized(Vec3d{1, 2, -0.5}), 2.1),
                           from_axis_angle(normalized(Vec3d{-1, 0.3, 1}), -1.3)}) {
        model::ModelBuilder b;
        b.gravity       = {};
        const auto bar  = add_bar(b, 0.5, "bar");
        const auto turn = b.add_joint_revolute(-1, bar, {}, {}, dof({0, 0, 1}), "turn");
        b.add_articulation({turn}, "arm");
        const auto hold = b.add_joint_ball(-1, bar, {{0.2, 0.3, 1}, q}, {{0.5, 0, 0}, q}, "hold");
        b.joints[static_cast<std::size_t>(hold)].articulation = -1;
        World  w(b);
        double before = 0;
        for (int i = 0; i < 240; ++i) {
            w.step(kDt);
            REQUIRE(!w.report.diverged);
            CHECK(w.q(0) > before - 1e-6);
            before = w.q(0);
        }
        CHECK(w.q(0) == close_to(std::atan2(0.3, 0.2), 1e-3));
    }
}

TEST_CASE("a free body fixed to another by a loop joint hangs on it without a gap (T-23, T-69a)")
{
    // A chain of five links held by FIXED joints that are no articulation, the tip a hundred times heavier.
    model::ModelBuilder b;
    std::int32_t        before = -1;
    for (int k = 0; k < 5; ++k) {
        const double m = k == 4 ? 100 : 1;
        const auto   body =
            b.add_link({{0, 0, -0.5 * k}, {}}, fmt::format("l{}", k), m, {0, 0, -0.25}, (m / 48) * Mat33d::identity());
        model::BuilderJoint j;
        j.type   = k == 0 ? model::JointType::ball : model::JointType::fixed;
        j.parent = before;
        j.child  = body;
        if (k > 0) j.parent_xform.p = {0, 0, -0.5};
        j.exclude_from_articulation = true;
        j.label                     = fmt::format("j{}", k);
        if (k == 0)
            for (int a = 0; a < 3; ++a) j.angular_axes.push_back(dof(axis_vector<double>(a)));
        b.add_joint(j);
        before = body;
    }
    World w(b);
    w.run(3, kDt);
    CHECK(w.position(4).z == close_to(-2, 1e-5));
    for (std::size_t j = 0; j < 5; ++j) CHECK(gap(w, j) < 1e-5);
}

TEST_CASE("a mechanism that starts open is pulled together and not torn (DYN-117)")
{
    model::ModelBuilder b;
    b.gravity       = {};
    const auto body = b.add_link({{0.2, 0, 0}, {}}, "far", 1, {}, 0.1 * Mat33d::identity());
    b.add_joint_fixed(-1, body, {}, {}, "weld");
    b.joints[0].exclude_from_articulation = true;
    World w(b);
    w.step(kDt);
    CHECK(w.position(0).x > 0.2 - 3.1 * 0.05);  // 3 m/s for one step
    CHECK(w.position(0).x < 0.2 - 1e-3);
    w.run(1, kDt);
    CHECK(std::abs(w.position(0).x) < 1e-6);
    CHECK(length(w.velocity(0)) < 1e-6);
}

TEST_CASE("a distance joint is a string: its length holds and it swings with its period (DYN-048, DYN-097, T-66a)")
{
    model::ModelBuilder b;
    const auto          body = b.add_link({{0.5, 0, 0}, {}}, "bob", 1, {}, 1e-4 * Mat33d::identity());
    model::BuilderJoint j;
    j.type  = model::JointType::distance;
    j.child = body;
    for (int a = 0; a < 3; ++a) {
        j.linear_axes.push_back(dof(axis_vector<double>(a)));
        j.angular_axes.push_back(dof(axis_vector<double>(a)));
    }
    j.linear_axes[0].limit_lower = -1;
    j.linear_axes[0].limit_upper = 0.5;
    const double start           = 5 * kDegrees;
    b.bodies[0].q.p              = {0.5 * std::sin(start), 0, -0.5 * std::cos(start)};
    j.q                          = {b.bodies[0].q.p.x, 0, b.bodies[0].q.p.z, 0, 0, 0, 1};
    b.add_articulation({b.add_joint(j)}, "string");
    World               w(b);
    std::vector<double> zeros;
    double              last = 1, longest = 0;
    while (zeros.size() < 3 && w.state.time < 5) {
        w.step(kDt);
        const double x = w.position(0).x;
        longest        = std::max(longest, length(w.position(0)));
        if (last * x < 0) zeros.push_back(w.state.time - kDt * x / (x - last));
        last = x;
    }
    REQUIRE(zeros.size() == 3);
    CHECK(longest < 0.5 * 1.005);
    CHECK(zeros[2] - zeros[0] == close_to(1.41850 * (1 + start * start / 16), 0.01));
}

TEST_CASE("a ball joint with a cone of 30 degrees swings no farther (DYN-097, T-67a)")
{
    for (const int way : {0, 1, 2}) {
        model::ModelBuilder b;
        b.gravity       = way == 0 ? Vec3d{0, 9.81, 0} : way == 1 ? Vec3d{0, 0, 9.81} : Vec3d{0, 7, -7};
        const auto body = b.add_link({}, "stick", 1, {1, 0, 0}, 0.01 * Mat33d::identity());
        b.add_articulation({b.add_joint_ball(-1, body, {}, {}, "shoulder")}, "arm");
        b.joints[0].cone_limit = {30 * kDegrees, 30 * kDegrees};
        World  w(b);
        double most = 0;
        for (int i = 0; i < 180; ++i) {
            w.step(kDt);
            const Vec3d a = rotate(static_cast<Quatd>(w.state.body_q[0].q), Vec3d{1, 0, 0});
            most          = std::max(most, std::acos(std::clamp(a.x, -1.0, 1.0)));
        }
        CHECK(most / kDegrees < 30.5);
        CHECK(most / kDegrees > 29);
    }
}

TEST_CASE("a loop joint keeps its drive and its limits (DYN-095)")
{
    // A body without a tree joint, hinged to the world by an excluded joint with a motor.
    for (const bool limited : {false, true}) {
        model::ModelBuilder b;
        b.gravity       = {};
        const auto body = b.add_link({}, "wheel", 1, {}, Mat33d::identity());
        auto       d    = dof({0, 0, 1});
        d.target_kd     = 2;
        d.target_qd     = 5;
        if (limited) d.limit_upper = 1;
        b.add_joint_revolute(-1, body, {}, {}, d, "hinge");
        b.joints[0].exclude_from_articulation = true;
        World w(b);
        w.run(0.2, kDt);
        if (!limited) CHECK(w.qd(0) == close_to(5 * (1 - std::exp(-0.4)), 0.02));
        w.run(2.8, kDt);
        if (!limited) CHECK(w.q(0) > 4 * kPi - 6);  // winding goes on beyond a turn
        if (limited) CHECK(w.q(0) == close_to(1, 2e-3));
    }
}

TEST_CASE("a disabled joint holds nothing (DYN-117)")
{
    model::ModelBuilder b;
    const auto          body = b.add_link({}, "loose", 1, {}, Mat33d::identity());
    b.add_articulation({b.add_joint_fixed(-1, body, {}, {}, "weld")}, "a");
    b.joints[0].enabled = false;
    World w(b);
    w.run(0.5, kDt);
    CHECK(w.position(0).z < -1);
}
