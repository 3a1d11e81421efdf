#include <algorithm>

#include "hand_contacts.h"

using namespace mechane;
using namespace mechane::test;

namespace {
constexpr double kDt = 1.0 / 60;

/// Ten boxes of 0.2 m and 1 kg on each other on the ground.
struct Stack {
    Vec3d        half{0.1, 0.1, 0.1};
    World        w{boxes(half)};
    HandContacts c;

    void step()
    {
        c.clear();
        c.box_plane(w, 0, 1, half);
        for (int k = 1; k < 10; ++k) c.box_on_box(w, k, k + 1, half, half);
        w.step(kDt, &c.contacts);
    }

  private:
    static model::ModelBuilder boxes(const Vec3d& half)
    {
        auto b = ground(0.5);
        for (int i = 0; i < 10; ++i) add_box(b, {{0, 0, 0.1 + 0.2 * i}, {}}, half, 1);
        return b;
    }
};

Vec3d tilted(double degrees) { return {-std::sin(degrees * kDegrees), 0, std::cos(degrees * kDegrees)}; }
}  // namespace

TEST_CASE("a box comes to rest on a plane within the slop (T-50b, DYN-104)")
{
    auto        b = ground(0.5);
    const Vec3d half{0.2, 0.2, 0.1};
    add_box(b, {{0, 0, 0.3}, {}}, half, 5);
    World        w(b);
    HandContacts c;
    for (int i = 0; i < 120; ++i) {
        c.clear();
        c.box_plane(w, 0, 1, half);
        w.step(kDt, &c.contacts);
    }
    CHECK(w.position(0).z == close_to(0.1, 6e-4));
    CHECK(length(w.velocity(0)) < 1e-3);
    double force = 0;
    for (int i = 0; i < c.contacts.rigid_contact_count; ++i)
        force += static_cast<double>(c.contacts.rigid_contact_force[i].z);
    CHECK(force == close_to(5 * 9.81, 0.005));  // on body 1 by the ground
    const Vec3d at = w.position(0);
    for (int i = 0; i < 600; ++i) {
        c.clear();
        c.box_plane(w, 0, 1, half);
        w.step(kDt, &c.contacts);
    }
    CHECK(distance(w.position(0), at) < 1e-5);
}

TEST_CASE("a stack of ten boxes stands (DYN-094, T-43)")
{
    Stack stack;
    for (int i = 0; i < 180; ++i) stack.step();
    const World& w = stack.w;
    CHECK(w.position(9).z > 1.9 - 0.01);
    double fastest = 0, lateral = 0;
    for (std::size_t k = 0; k < 10; ++k) {
        fastest = std::max(fastest, length(w.velocity(k)));
        lateral = std::max(lateral, std::hypot(w.position(k).x, w.position(k).y));
    }
    CHECK(1.9 - w.position(9).z < 0.006);  // nine slops of 0.5 mm each are allowed before anything is pushed back
    CHECK(lateral < 1e-3);
    CHECK(fastest < 1e-3);
}

TEST_CASE("a sliding box stops after v^2 / (2 mu g) (T-25, T-26)")
{
    for (const auto& [v0, mu] : {std::pair{5.0, 0.5}, std::pair{3.0, 0.3}}) {
        auto        b = ground(mu);
        const Vec3d half{0.2, 0.2, 0.1};
        add_box(b, {{0, 0, 0.1}, {}}, half, 3);
        World w(b);
        w.state.joint_qd[0] = static_cast<Real>(v0);
        HandContacts c;
        for (int i = 0; i < 120; ++i) {
            c.clear();
            c.box_plane(w, 0, 1, half);
            w.step(kDt, &c.contacts);
        }
        CHECK(w.position(0).x == close_to(v0 * v0 / (2 * mu * 9.81), 0.01));
        CHECK(length(w.velocity(0)) < 1e-4);
    }
}

TEST_CASE("a box sticks on a slope below the friction angle and slips above (DYN-088, T-27)")
{
    // mu = 0.5: 26.565 degrees. Two seconds; slip s = (g sin - mu g cos) t^2 / 2.
    const struct {
        double degrees, slip;
    } table[] = {{20, 0}, {25, 0}, {26, 0}, {27, 0.16652}, {28, 0.54932}, {35, 3.21769}};
    const Vec3d half{0.2, 0.2, 0.1};
    for (const auto& row : table) {
        CAPTURE(row.degrees);
        const Vec3d n = tilted(row.degrees);
        auto        b = ground(0.5);
        add_box(b, {0.1 * n, rotation_between(Vec3d{0, 0, 1}, n)}, half, 1);
        World        w(b);
        HandContacts c;
        const Vec3d  start = w.position(0);
        for (int i = 0; i < 120; ++i) {
            c.clear();
            c.box_plane(w, 0, 1, half, n);
            w.step(kDt, &c.contacts);
        }
        const double moved = distance(w.position(0), start);
        if (row.slip == 0) {
            CHECK(moved < 1e-4 + 5e-4);  // the slop along the normal, and a creep below 1e-4
            const Vec3d along =
                normalized(Vec3d{-std::cos(row.degrees * kDegrees), 0, -std::sin(row.degrees * kDegrees)});
            CHECK(std::abs(dot(w.position(0) - start, along)) < 1e-4);
            CHECK(length(w.velocity(0)) < 1e-4);
        } else {
            CHECK(moved == close_to(row.slip, 0.01));
        }
    }
}

TEST_CASE("friction is the same in every direction (DYN-087, T-28)")
{
    double      shortest = 1e9, longest = 0;
    const Vec3d half{0.2, 0.2, 0.1};
    for (int k = 0; k < 16; ++k) {
        auto b = ground(0.5);
        add_box(b, {{0, 0, 0.1}, {}}, half, 1);
        World        w(b);
        const double a      = k * kPi / 8;
        w.state.joint_qd[0] = static_cast<Real>(3 * std::cos(a));
        w.state.joint_qd[1] = static_cast<Real>(3 * std::sin(a));
        HandContacts c;
        for (int i = 0; i < 90; ++i) {
            c.clear();
            c.box_plane(w, 0, 1, half);
            w.step(kDt, &c.contacts);
        }
        const double d = std::hypot(w.position(0).x, w.position(0).y);
        shortest       = std::min(shortest, d);
        longest        = std::max(longest, d);
    }
    CHECK(longest / shortest < 1.01);
}

TEST_CASE("static friction holds where dynamic friction slips (DYN-089, T-29)")
{
    const Vec3d n = tilted(28), half{0.2, 0.2, 0.1};
    for (const double v0 : {0.0, 0.5}) {
        auto b                       = ground(0.4);
        b.default_shape.mu_static    = 0.6;
        b.shapes[0].config.mu_static = 0.6;
        add_box(b, {0.1 * n, rotation_between(Vec3d{0, 0, 1}, n)}, half, 1);
        World       w(b);
        const Vec3d down    = {-std::cos(28 * kDegrees), 0, -std::sin(28 * kDegrees)};
        w.state.joint_qd[0] = static_cast<Real>(v0 * down.x);
        w.state.joint_qd[2] = static_cast<Real>(v0 * down.z);
        HandContacts c;
        for (int i = 0; i < 60; ++i) {
            c.clear();
            c.box_plane(w, 0, 1, half, n);
            w.step(kDt, &c.contacts);
        }
        CHECK(dot(w.velocity(0), down) == close_to(v0 == 0 ? 0 : 0.5 + 1.1408, 0.023));  // g (sin 28 - 0.4 cos 28)
    }
}

TEST_CASE("a sliding ball begins to roll (T-30)")
{
    auto b = ground(0.2);
    add_ball(b, {0, 0, 0.1}, 0.1, 1);
    World w(b);
    w.state.joint_qd[0] = 3;
    HandContacts c;
    for (int i = 0; i < 60; ++i) {
        c.clear();
        c.sphere_plane(w, 0, 1, 0.1);
        w.step(kDt, &c.contacts);
    }
    CHECK(w.velocity(0).x == close_to(5.0 / 7 * 3, 0.01));
    CHECK(w.spin(0).y == close_to(5.0 / 7 * 30, 0.01));
    CHECK(w.position(0).z == close_to(0.1, 6e-4));
}

TEST_CASE("a ball rebounds to e^2 of its height, and not at all without restitution (DYN-092, DYN-093, T-37, T-38)")
{
    for (const double e : {0.0, 0.5, 1.0}) {
        CAPTURE(e);
        auto b = ground(0.5, e);
        add_ball(b, {0, 0, 1.1}, 0.1, 1);
        World               w(b);
        HandContacts        c;
        std::vector<double> apexes;
        double              last = 0;
        for (int i = 0; i < 900 && apexes.size() < 10; ++i) {
            c.clear();
            c.sphere_plane(w, 0, 1, 0.1);
            w.step(kDt, &c.contacts);
            const double v = w.velocity(0).z;
            if (last > 0 && v <= 0) apexes.push_back(w.position(0).z - 0.1 + v * v / (2 * 9.81));
            last = v;
        }
        if (e == 0.0) {
            for (const double a : apexes) CHECK(a < 1e-3);
        } else if (e == 0.5) {
            REQUIRE(apexes.size() >= 3);
            CHECK(apexes[0] == close_to(0.25, 0.03 * 0.25));
            CHECK(apexes[1] == close_to(0.0625, 0.05 * 0.0625));
            CHECK(apexes[2] == close_to(0.015625, 0.1 * 0.015625));
        } else {
            REQUIRE(apexes.size() == 10);
            for (const double a : apexes) CHECK(a < 1.005);
            CHECK(apexes[9] > 0.97);
        }
    }
}

TEST_CASE("a head-on impact shares velocity by mass and restitution (T-39)")
{
    model::ModelBuilder b;
    b.gravity                   = {};
    b.default_shape.restitution = 0.7;
    add_ball(b, {0, 0, 0}, 0.1, 1);
    add_ball(b, {0.5, 0, 0}, 0.1, 3);
    World w(b);
    w.state.joint_qd[0] = 2;
    HandContacts c;
    for (int i = 0; i < 60; ++i) {
        c.clear();
        c.sphere_sphere(w, 0, 1, 0.1, 0.1);
        w.step(kDt, &c.contacts);
    }
    CHECK(w.velocity(0).x == close_to(-0.55, 1e-3));
    CHECK(w.velocity(1).x == close_to(0.85, 1e-3));
    CHECK(dynamics::linear_momentum(w.model, w.state).x == close_to(2, 1e-6));
}

TEST_CASE("a kinematic pusher carries a box at its own speed and is not slowed (DYN-107, DYN-108, T-73, T-75)")
{
    auto        b = ground(0);
    const Vec3d half{0.1, 0.1, 0.1};
    add_box(b, {{-0.5, 0, 0.1}, {}}, half, 1);
    add_box(b, {{0, 0, 0.1}, {}}, half, 1);
    b.bodies[0].flags = model::body_flag::kinematic;
    World w(b);
    w.state.body_qd[0].linear = {1, 0, 0};
    HandContacts c;
    for (int i = 0; i < 60; ++i) {
        w.state.body_f[0] = {{1e6, 0, 0}, {}};
        c.clear();
        c.box_plane(w, 0, 2, half);
        const double d = w.position(1).x - w.position(0).x - 0.2;
        for (std::uint64_t k = 0; k < 4; ++k) {
            const Vec3d face{0.1, k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1};
            c.add(1, 2, face, {-0.1, face.y, face.z}, {1, 0, 0}, 0, 0, d, k);
        }
        w.step(kDt, &c.contacts);
    }
    CHECK(w.velocity(1).x == close_to(1, 0.01));
    CHECK(w.position(0).x == close_to(-0.5 + 1, 1e-5));
    CHECK(w.velocity(0).x == close_to(1, 1e-9));
}

TEST_CASE("rows of far contacts give no impulse when bodies miss (DYN-079)")
{
    auto b = ground(0.5);
    add_ball(b, {0, 0, 1}, 0.1, 1);
    World        w(b), alone(b);
    HandContacts c;
    w.state.joint_qd[0] = alone.state.joint_qd[0] = 3;
    for (int i = 0; i < 20; ++i) {
        c.clear();
        c.sphere_plane(w, 0, 1, 0.1, {0, 0, 1}, 5);
        w.step(kDt, &c.contacts);
        alone.step(kDt);
    }
    CHECK(w.state.joint_q == alone.state.joint_q);
}

TEST_CASE("a link whose pivot lies in the ground is pushed no harder than its mass can bear")
{
    // The corners at the pivot have no lever: freeing them at the push velocity would need thousands of rad/s.
    auto        b = ground(0.5);
    const Vec3d half{0.5, 0.05, 0.05};
    const auto  body   = b.add_link({}, "link", 2, {}, 1e-4 * Mat33d::identity());
    auto        config = b.default_shape;
    config.density     = 0;
    b.add_shape_box(body, {}, half, config);
    b.add_articulation({b.add_joint_revolute(-1, body, {}, {{-0.5, 0, 0}, {}}, dof({0, 1, 0}), "pivot")}, "arm");
    World        w(b);
    HandContacts c;
    double       fastest = 0;
    for (int i = 0; i < 300; ++i) {
        c.clear();
        c.box_plane(w, 0, 1, half);
        w.step(kDt, &c.contacts);
        REQUIRE(!w.report.diverged);
        fastest = std::max(fastest, std::abs(w.qd(0)));
    }
    CHECK(fastest < 10);
    CHECK(std::abs(w.qd(0)) < 1);
}

TEST_CASE("a step has eight substeps, and what rests is swept four times at most with bias and without (DYN-076)")
{
    // The specification proposes one and one, and lets measurements overrule it: docs/notes/softstep_log.md has them.
    // Frequency and damping ratio are its own: the test of the static sink below.
    CHECK(solvers::SolverOptions{}.substeps == 8);
    Stack stack;
    for (int i = 0; i < 180; ++i) {
        stack.step();
        if (i < 60) continue;
        CHECK(stack.w.report.sweeps >= 8 * 2);
        CHECK(stack.w.report.sweeps <= 8 * (4 + 4));
    }
}

TEST_CASE("the static sink is load / (m w^2) with w = pi / (2 h), whatever the mass and the substeps (DYN-077)")
{
    // contact_hertz = 0.25 / h, so w = 2 pi 0.25 / h. The soft row of a ball of mass m under a load M in a straight
    // column carries (m + M) g; its effective mass is m.
    for (const int substeps : {4, 8, 16})
        for (const double load : {0.0, 1.0, 4.0}) {
            CAPTURE(substeps);
            CAPTURE(load);
            auto b = ground(0);
            add_ball(b, {0, 0, 0.1}, 0.1, 2);
            if (load > 0) add_ball(b, {0, 0, 0.3}, 0.1, 2 * load);
            World        w(b, substeps);
            HandContacts c;
            for (int i = 0; i < 300; ++i) {
                c.clear();
                c.sphere_plane(w, 0, 1, 0.1);
                if (load > 0) c.sphere_sphere(w, 1, 2, 0.1, 0.1);
                w.step(kDt, &c.contacts);
            }
            const double h = kDt / substeps, omega = kPi / (2 * h);
            CHECK(0.1 - w.position(0).z == doctest::Approx((1 + load) * 9.81 / (omega * omega)).epsilon(0.1));
        }
}

TEST_CASE("a row without a direction, or with a number that is none, pushes nothing, alone and in a pile (DYN-078)")
{
    constexpr double kFar = 2, kStep = 1.0 / 60;
    struct Bad {
        const char* name;
        Vec3d       normal;
        double      distance;
    };
    for (const Bad& bad : {Bad{"short normal", {0, 0, 0.3}, 0}, Bad{"no normal", {}, 0},
                           Bad{"no number", {0, 0, std::nan("")}, 0}, Bad{"no distance", {0, 0, 1}, std::nan("")}})
        for (const int copies : {1, 200}) {  // as many as make a pile
            CAPTURE(std::string(bad.name));
            CAPTURE(copies);
            auto b = ground(0.5);
            for (int i = 0; i < copies; ++i) add_ball(b, {kFar * i, 0, 0.1}, 0.1, 1);
            World        w(b);
            HandContacts hand;
            for (int k = 0; k < 30; ++k) {
                hand.clear();
                for (int i = 0; i < copies; ++i)
                    hand.add(0, i + 1, {kFar * i, 0, 0}, {}, bad.normal, 0, 0.1, bad.distance, 0);
                w.step(kStep, &hand.contacts);
            }
            for (int i = 0; i < copies; ++i)
                CHECK(w.velocity(static_cast<std::size_t>(i)).z == close_to(-9.81 * 30 * kStep, 1e-4));
        }
}

TEST_CASE("forces find room in a buffer whose caller made none for them (DYN-078)")
{
    for (const int copies : {1, 200}) {
        CAPTURE(copies);
        auto b = ground(0.5);
        for (int i = 0; i < copies; ++i) add_ball(b, {2.0 * i, 0, 0.1}, 0.1, 1);
        World        w(b);
        HandContacts hand;
        hand.contacts.rigid_contact_force.clear();
        for (int k = 0; k < 60; ++k) {
            hand.clear();
            for (int i = 0; i < copies; ++i) hand.sphere_plane(w, 0, i + 1, 0.1);
            w.step(1.0 / 60, &hand.contacts);
        }
        REQUIRE(hand.contacts.rigid_contact_force.size() >= static_cast<std::size_t>(copies));
        for (int i = 0; i < copies; ++i)
            CHECK(static_cast<double>(hand.contacts.rigid_contact_force[static_cast<std::size_t>(i)].z) ==
                  close_to(9.81, 1e-2));
    }
}
