// The solvers with Newton's names against closed forms. Explicit penalty contacts and projected positions each have
// errors of their own; tolerances say which.
#include "hand_contacts.h"
#include "parity_world.h"

#include "mechane/dynamics/energy.h"
#include "mechane/solvers/parameters.h"
#include "mechane/solvers/support.h"
#include "support/allocations.h"

using namespace mechane;
using namespace mechane::test;

namespace {

/// Time of a full swing from rest: twice the time between two passages of the lowest point [s].
double period(Parity& w, double h)
{
    double first = -1, before = w.q(0);
    for (int i = 1; i < 200000; ++i) {
        w.step(h, false);
        const double now = w.q(0);
        if ((before > 0) != (now > 0)) {
            const double at = h * (i - 1 + before / (before - now));
            if (first >= 0) return 2 * (at - first);
            first = at;
        }
        before = now;
    }
    return -1;
}

model::ModelBuilder ball_on_ground(double z, const model::ShapeConfig& config)
{
    model::ModelBuilder b;
    b.default_shape = config;
    b.add_ground_plane();
    const auto ball = b.add_body({{0, 0, z}, {}}, "ball", 1, {}, Mat33d::diagonal({0.1, 0.1, 0.1}));
    b.add_shape_sphere(ball, {}, 0.5, config, "ball_shape");
    b.bodies[0].mass    = 1;
    b.bodies[0].inertia = Mat33d::diagonal({0.1, 0.1, 0.1});
    return b;
}

constexpr double kArm = 0.25;  ///< half of a link [m]

/// Links of 1 kg and 0.5 m that stick out from a wall one behind the other, each held level by a drive.
model::ModelBuilder cantilever(int links, double ke, double kd)
{
    model::ModelBuilder       b;
    model::JointDofConfig     d = dof({0, 1, 0});
    std::vector<std::int32_t> joints;
    d.target_ke = ke, d.target_kd = kd;
    for (int i = 0; i < links; ++i) {
        const Posed at{{(2 * i + 1) * kArm, 0, 0}, {}};
        const auto  link  = b.add_link(at, "link" + std::to_string(i), 1, {}, Mat33d::diagonal({0.01, 0.02, 0.02}));
        const Posed outer = {{i == 0 ? 0 : kArm, 0, 0}, {}}, inner = {{-kArm, 0, 0}, {}};
        joints.push_back(b.add_joint_revolute(link - 1, link, outer, inner, d, "hinge" + std::to_string(i)));
    }
    b.add_articulation(joints, "arm");
    return b;
}

/// The angles at which the drives of a cantilever bear it: ke q of each hinge is the moment of what it carries.
std::vector<double> borne(int links, double ke)
{
    std::vector<double> q(static_cast<std::size_t>(links), 0.0);
    for (int round = 0; round < 10000; ++round) {
        double              turn = 0, x = 0;
        std::vector<double> hinge, middle;
        for (const double one : q) {
            turn += one;
            hinge.push_back(x);
            middle.push_back(x + kArm * std::cos(turn));
            x += 2 * kArm * std::cos(turn);
        }
        for (std::size_t j = 0; j < q.size(); ++j) {
            double moment = 0;
            for (std::size_t k = j; k < q.size(); ++k) moment += 9.81 * (middle[k] - hinge[j]);
            q[j] += 0.2 * (moment / ke - q[j]);
        }
    }
    return q;
}

}  // namespace

TEST_CASE("every solver lets a body fall by g, a step of Euler further than the parabola (T-01)")
{
    for (const char* name : kParity) {
        CAPTURE(std::string(name));
        model::ModelBuilder b;
        b.add_body({}, "ball", 1, {}, Mat33d::identity());
        Parity w(b, name);
        w.run(1, 1.0 / 240, false);
        CHECK(w.velocity(0).z == close_to(-9.81, 1e-4));
        CHECK(w.position(0).z == close_to(-4.92544, 1e-4));
        CHECK(w.q(2) == close_to(w.position(0).z, 1e-6));
        CHECK(w.state.time == close_to(1, 1e-9));
    }
}

TEST_CASE("a pendulum let go at 90 degrees has the period of the elliptic integral (T-11)")
{
    // I = 0.01 + 1 about the pivot: T = 2.37970 s.
    Parity reduced(pendulum(1, 0.01, kPi / 2), "featherstone");
    CHECK(period(reduced, 5e-4) == close_to(2.37970, 2.4e-3));
    // The pivot's damper of 100 N s/m at an arm of 1 m on 0.01 kg m^2 asks for a step below 2e-4 s. The springs give by
    // 2 m g / ke, up to 2 parts in a thousand of the length.
    Parity sprung(pendulum(1, 0.01, kPi / 2), "semi-implicit");
    CHECK(period(sprung, 1e-4) == close_to(2.37970, 1.2e-2));
    // Projection takes energy out of the swing in proportion to the step: 1.5 % shorter at 1/480 s in Newton 1.8.
    Parity projected(pendulum(1, 0.01, kPi / 2), "xpbd:iterations=8");
    CHECK(period(projected, 2.5e-4) == close_to(2.37970, 2.4e-2));
}

TEST_CASE("a sphere rests as deep as its spring gives; under xpbd on the surface (SMP-11)")
{
    model::ShapeConfig config;
    config.ke = 2500, config.kd = 100;
    for (const char* name : kParity) {
        CAPTURE(std::string(name));
        Parity w(ball_on_ground(0.5, config), name);
        w.run(2, 1e-3);
        const double sink = std::string_view(name) == "xpbd" ? 0 : 9.81 / 2500;
        CHECK(w.position(0).z == close_to(0.5 - sink, 1e-3 * (sink > 0 ? 0.1 : 1)));
        CHECK(length(w.velocity(0)) < 1e-2);
        // The contact bears the weight.
        CHECK(static_cast<double>(length(w.contacts.rigid_contact_force[0])) == close_to(9.81, 0.05));
    }
}

TEST_CASE("a contact's normal force is ke depth + kd approach, its friction viscous below the cone (DYN-057)")
{
    model::ShapeConfig config;
    config.ke = 1000, config.kd = 50, config.kf = 10, config.mu = 0.5, config.ka = 0;
    const auto force = [&](double vx, double vz) {
        Parity w(ball_on_ground(0.49, config), "semi-implicit");
        w.state.body_qd[0].linear = {static_cast<Real>(vx), 0, static_cast<Real>(vz)};
        w.step(1e-4);
        REQUIRE(w.contacts.rigid_contact_count == 1);
        const Vec3d f = static_cast<Vec3d>(w.contacts.rigid_contact_force[0]);
        return w.model.shape_body[w.contacts.rigid_contact_shape1[0]] == 0 ? f : -f;
    };
    CHECK(distance(force(0, 0), Vec3d{0, 0, 10}) < 1e-3);        // 1000 x 0.01
    CHECK(distance(force(0, -0.2), Vec3d{0, 0, 20}) < 1e-3);     // + 50 x 0.2
    CHECK(distance(force(0, 0.2), Vec3d{0, 0, 10}) < 1e-3);      // going away: no damping
    CHECK(distance(force(0.1, 0), Vec3d{-1, 0, 10}) < 1e-3);     // 10 x 0.1, below 0.5 x 10
    CHECK(distance(force(0.49, 0), Vec3d{-4.9, 0, 10}) < 1e-3);  // up to the switch at mu N / kf = 0.5 m/s
    CHECK(distance(force(3, 0), Vec3d{-5, 0, 10}) < 1e-3);       // above: the cone
}

TEST_CASE("between the surface and the adhesion distance the spring pulls (DYN-059)")
{
    model::ShapeConfig config;
    config.ke = 1000, config.kd = 0, config.ka = 0.02, config.gap = 0.05;
    Parity w(ball_on_ground(0.51, config), "semi-implicit");
    w.step(1e-3);
    // -g h from the weight, -ke d h / m from the pull.
    CHECK(w.velocity(0).z == close_to(-1e-3 * (9.81 + 1000 * 0.01), 1e-5));
}

TEST_CASE("outside of a limit the drive is off and the limit pushes (DYN-058)")
{
    model::JointDofConfig d = dof({0, 0, 1});
    d.limit_lower = -1, d.limit_upper = 1, d.limit_ke = 300, d.limit_kd = 0;
    d.target_ke = 1000, d.target_q = 0.5;
    for (const char* name : {"semi-implicit", "featherstone"}) {
        CAPTURE(std::string(name));
        for (const auto& [q, torque] : {std::pair{0.2, 1000 * (0.5 - 0.2)}, std::pair{1.1, 300 * (1 - 1.1)}}) {
            CAPTURE(q);
            d.initial_q = q;
            Parity w(unit_hinge(d), name);
            w.step(1e-4, false);
            CHECK(w.qd(0) == close_to(1e-4 * torque, 1e-5));  // unit inertia
        }
    }
}

TEST_CASE("a box slides as far as v^2 / (2 mu g) (T-25)")
{
    model::ShapeConfig config;
    config.ke = 1e4, config.kd = 200, config.kf = 1e4, config.mu = 0.5, config.density = 1000.0 / 32;  // 1 kg
    for (const char* name : kParity) {
        CAPTURE(std::string(name));
        model::ModelBuilder b;
        b.default_shape = config;
        b.add_ground_plane();
        const auto box = b.add_body({{0, 0, 0.1}, {}}, "box");
        b.add_shape_box(box, {}, {0.2, 0.2, 0.1}, config, "box_shape");
        b.bodies[0].qd.linear = {5, 0, 0};
        Parity w(b, name);
        w.state.body_qd[0].linear = {5, 0, 0};
        w.state.joint_qd[0]       = 5;
        w.run(1.5, 1.0 / 2000);
        // Newton 1.8: 2.538 m (xpbd), 2.547 m (semi-implicit); the closed form is 2.54842 m.
        CHECK(w.position(0).x == close_to(2.54842, 0.04));
    }
}

TEST_CASE("a ball bounces to e^2 of its height under xpbd with restitution (DYN-055, T-37)")
{
    model::ShapeConfig config;
    config.restitution = 0.5;
    Parity w(ball_on_ground(1.5, config), "xpbd:enable_restitution=1");
    double highest = 0;
    bool   hit     = false;
    for (int i = 0; i < 1200; ++i) {
        w.step(1e-3);
        hit = hit || w.velocity(0).z > 0.1;
        if (hit) highest = std::max(highest, w.position(0).z - 0.5);
        if (hit && w.velocity(0).z < 0) break;
    }
    CHECK(highest == close_to(0.25, 0.01));  // v h of the step at the impact
    Parity dull(ball_on_ground(1.5, config), "xpbd");
    dull.run(0.6, 1e-3);
    CHECK(dull.velocity(0).z < 0.1);
}

TEST_CASE("what overlaps and goes apart under xpbd goes on as fast: pushing it out becomes no speed (DYN-055)")
{
    model::ShapeConfig smooth;
    smooth.mu = 0, smooth.restitution = 0;
    model::ModelBuilder b = ball_on_ground(0.49, smooth);
    b.gravity             = {};
    b.bodies[0].qd.linear = {0, 0, 1};
    Parity w(b, "xpbd:iterations=10,enable_restitution=1");
    w.step(1e-3);
    CHECK(w.velocity(0).z == close_to(1, 1e-4));
    // The same without impacts is thrown out by its overlap of 1 cm.
    Parity thrown(b, "xpbd:iterations=10");
    thrown.step(1e-3);
    CHECK(thrown.velocity(0).z > 5);
}

TEST_CASE("an elastic ball that meets two bodies at once keeps the energy of all (DYN-055)")
{
    // Masses 100 to 1 to 0.01, two of them touched in one step; gravity off.
    model::ModelBuilder b;
    b.gravity = {};
    model::ShapeConfig elastic;
    elastic.mu = 0, elastic.restitution = 1;
    const double r = 0.35, y = std::sqrt(4 * r * r - 0.16) - 0.002;
    const struct {
        Vec3d  at;
        double mass;
    } all[] = {{{-0.4, 0, 0}, 34.3}, {{0.4, 0, 0}, 0.00343}, {{0, y, 0}, 0.343}};
    for (const auto& one : all) {
        const double I    = 0.4 * one.mass * r * r;
        const auto   body = b.add_body({one.at, {}}, "", one.mass, {}, Mat33d::diagonal({I, I, I}));
        b.add_shape_sphere(body, {}, r, elastic);
        b.bodies[static_cast<std::size_t>(body)].mass    = one.mass;
        b.bodies[static_cast<std::size_t>(body)].inertia = Mat33d::diagonal({I, I, I});
    }
    b.bodies[2].qd.linear = {0, -2, 0};
    Parity     w(b, "xpbd:iterations=10,enable_restitution=1");
    const auto energy = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i) sum += 0.5 * all[i].mass * length_squared(w.velocity(i));
        return sum;
    };
    const double before = energy();
    w.step(1.0 / 60);
    // Newton 1.8 keeps 0.9 of it by its own test; nothing is won.
    CHECK(energy() > 0.9 * before);
    CHECK(energy() < 1.001 * before);
}

TEST_CASE("an xpbd drive is as stiff as it says in however many iterations; as Newton 1.8 it stiffens (DYN-054, T-51)")
{
    model::JointDofConfig d = dof({0, 0, 1});
    d.target_ke = 100, d.target_kd = 20;
    const auto bend = [&](std::string_view solver) {
        Parity w(unit_hinge(d), solver);
        w.control.joint_f[0] = 10;
        w.run(5, 1e-2, false);
        return w.q(0);
    };
    CHECK(bend("xpbd:iterations=20") == close_to(0.1, 2e-3));  // torque / ke
    CHECK(bend("xpbd:iterations=80") == close_to(0.1, 2e-3));
    CHECK(bend("xpbd:iterations=80,accumulate=0") < 0.5 * bend("xpbd:iterations=20,accumulate=0"));
}

TEST_CASE("an xpbd drive bears its load where load / stiffness says, in however many passes and substeps (DYN-054)")
{
    for (const double ke : {50.0, 1000.0})
        for (const int iterations : {1, 2, 8, 50})
            for (const double h : {1.0 / 60, 1.0 / 240, 1.0 / 960}) {
                CAPTURE(ke);
                CAPTURE(iterations);
                CAPTURE(h);
                const std::string solver = "xpbd:iterations=" + std::to_string(iterations);
                Parity            one(cantilever(1, ke, 0.1 * ke), solver);
                one.run(4, h, false);
                const double level = borne(1, ke)[0];
                CHECK(one.q(0) == close_to(level, 2e-3 * level));
                Parity two(cantilever(2, ke, 0.1 * ke), solver);
                two.run(6, h, false);
                const std::vector<double> levels = borne(2, ke);
                CHECK(two.q(0) == close_to(levels[0], 2e-3 * levels[0]));
                CHECK(two.q(1) == close_to(levels[1], 2e-3 * levels[1]));
            }
}

TEST_CASE("an xpbd drive moves its joint as implicit Euler does, in however many passes (T-50, T-51)")
{
    model::JointDofConfig d = dof({0, 0, 1});
    d.target_ke = 100, d.target_kd = 4;
    for (const int iterations : {1, 2, 4, 32}) {
        CAPTURE(iterations);
        Parity w(unit_hinge(d), "xpbd:iterations=" + std::to_string(iterations));
        w.control.joint_target_q[0] = 1;
        w.run(0.1, 1.0 / 480, false);
        CHECK(w.q(0) == close_to(0.4082, 1e-3));
        w.run(0.1, 1.0 / 480, false);
        CHECK(w.q(0) == close_to(1.1195, 2e-3));
    }
}

TEST_CASE("a body that joints hold passes on the whole of what it bears: momentum is kept under xpbd")
{
    // A free pair of links whose hinge is driven: nothing outside pushes it.
    model::ModelBuilder b;
    b.gravity               = {};
    model::JointDofConfig d = dof({0, 1, 0});
    d.target_ke = 30, d.target_kd = 0.5;
    const auto first  = b.add_link({{0, 0, 0}, {}}, "first", 1, {}, Mat33d::diagonal({0.01, 0.02, 0.02})),
               second = b.add_link({{2 * kArm, 0, 0}, {}}, "second", 3, {}, Mat33d::diagonal({0.01, 0.06, 0.06}));
    b.add_articulation({b.add_joint_free(first, "root"),
                        b.add_joint_revolute(first, second, {{kArm, 0, 0}, {}}, {{-kArm, 0, 0}, {}}, d, "hinge")},
                       "pair");
    Parity w(b, "xpbd");
    w.control.joint_target_q[7] = 1;
    w.run(0.5, 1.0 / 240, false);
    CHECK(std::abs(w.q(7)) > 0.2);
    const Vec3d momentum = w.velocity(0) + 3.0 * w.velocity(1);
    CHECK(length(momentum) < 1e-4);
}

TEST_CASE("featherstone eliminates followers exactly (DYN-061)")
{
    model::ModelBuilder b;
    b.gravity                       = {};
    const auto first                = b.add_link({}, "first", 1, {}, Mat33d::diagonal({1, 1, 2})),
               second               = b.add_link({}, "second", 1, {}, Mat33d::diagonal({2, 2, 3}));
    const auto leader               = b.add_joint_revolute(-1, first, {}, {}, dof({0, 0, 1}), "leader"),
               follower             = b.add_joint_revolute(-1, second, {}, {}, dof({0, 0, 1}), "follower");
    b.joints[follower].mimic_joint  = leader;
    b.joints[follower].mimic_coeffs = {0.5, -2};
    b.add_articulation({leader, follower}, "gears");
    Parity w(b, "featherstone");
    w.control.joint_f[0] = 7;
    w.step(1e-2, false);
    // (I1 + c^2 I2) q'' = torque: 7 / (2 + 4 x 3).
    CHECK(w.qd(0) == close_to(1e-2 * 0.5, 1e-6));
    CHECK(w.qd(1) == close_to(-2 * w.qd(0), 1e-6));
    CHECK(w.q(1) == close_to(0.5 - 2 * w.q(0), 1e-6));
}

TEST_CASE("followers come along as springs and as rows in maximal coordinates")
{
    for (const char* name : {"semi-implicit:joint_mimic_ke=2000,joint_mimic_kd=20", "xpbd:iterations=8"}) {
        CAPTURE(std::string(name));
        model::ModelBuilder b;
        b.gravity                       = {};
        const auto first                = b.add_link({}, "first", 1, {}, Mat33d::identity()),
                   second               = b.add_link({}, "second", 1, {}, Mat33d::identity());
        const auto leader               = b.add_joint_revolute(-1, first, {}, {}, dof({0, 0, 1}), "leader"),
                   follower             = b.add_joint_revolute(-1, second, {}, {}, dof({0, 0, 1}), "follower");
        b.joints[follower].mimic_joint  = leader;
        b.joints[follower].mimic_coeffs = {0, -2};
        b.add_articulation({leader, follower}, "gears");
        Parity w(b, name);
        w.control.joint_f[0] = 5;
        w.run(0.5, 1e-3, false);
        CHECK(w.q(1) == close_to(-2 * w.q(0), 2e-2));
        CHECK(w.qd(0) == close_to(0.5, 0.03));  // 5 / (1 + 4) x 0.5 s
    }
}

TEST_CASE("joints that crowd on one body stay together under xpbd, with and without followers")
{
    // Six arms of 1 kg hang on hinges at a hub of 1 kg that is welded to the world. Each falls by 0.2 m at most, at up
    // to 2 m/s.
    for (const char* name : {"xpbd", "xpbd:joint_angular_relaxation=0.7", "xpbd:iterations=8"})
        for (const bool follow : {false, true}) {
            CAPTURE(std::string(name));
            CAPTURE(follow);
            model::ModelBuilder       b;
            const Mat33d              inertia = Mat33d::diagonal({0.01, 0.01, 0.01});
            const auto                hub     = b.add_link({}, "hub", 1, {}, inertia);
            std::vector<std::int32_t> joints{b.add_joint_fixed(-1, hub, {}, {}, "base")};
            for (int k = 1; k <= 6; ++k) {
                const auto arm = b.add_link({{0.2 * k, 0, 0}, {}}, fmt::format("arm{}", k), 1, {}, inertia);
                joints.push_back(b.add_joint_revolute(hub, arm, {{0.2 * k - 0.1, 0, 0}, {}}, {{-0.1, 0, 0}, {}},
                                                      dof({0, 1, 0}), fmt::format("hinge{}", k)));
                if (!follow || k == 1) continue;
                b.joints[joints.back()].mimic_joint  = joints[1];
                b.joints[joints.back()].mimic_coeffs = {0, 1};
            }
            b.add_articulation(joints, "star");
            Parity w(b, name);
            w.run(1, 1.0 / 240, false);
            CHECK(length(w.position(static_cast<std::size_t>(hub))) < 0.01);
            for (std::size_t k = 1; k < w.state.body_qd.size(); ++k) CHECK(length(w.velocity(k)) < 2.2);
        }
}

TEST_CASE("featherstone refuses a loop and names the joint (DYN-049)")
{
    model::ModelBuilder b;
    const auto          a = b.add_link({}, "a", 1, {}, Mat33d::identity()),
                        c = b.add_link({{1, 0, 0}, {}}, "c", 1, {}, Mat33d::identity());
    b.add_articulation({b.add_joint_revolute(-1, a, {}, {}, dof({0, 0, 1}), "left"),
                        b.add_joint_revolute(a, c, {{1, 0, 0}, {}}, {}, dof({0, 0, 1}), "right")},
                       "arm");
    b.add_joint_revolute(-1, c, {{1, 0, 0}, {}}, {}, dof({0, 0, 1}), "closing");
    Diagnostics        found;
    const model::Model m    = finalized(b);
    const auto         made = solvers::make_solver("featherstone", m, {}, found);
    REQUIRE_FALSE(made);
    CHECK(made.error().id == "SOLVER_MODEL");
    CHECK(made.error().site.prim == "closing");
}

TEST_CASE("a kinematic body keeps its state to the last bit, and goes where a target says (DYN-062, DYN-074)")
{
    for (const char* name : kParity) {
        CAPTURE(std::string(name));
        model::ModelBuilder b;
        b.add_body({{0, 0, 1}, {}}, "hand", 1, {}, Mat33d::identity());
        b.bodies[0].flags = model::body_flag::kinematic;
        Parity     w(b, name);
        const auto before = w.state.body_q[0];
        w.state.body_f[0] = {{100, 0, 0}, {0, 0, 5}};
        w.run(0.1, 1e-2, false);
        CHECK(w.state.body_q[0] == before);
        w.control.body_target_q        = w.state.body_q;
        w.control.body_target_q[0].p.x = Real(0.1);
        w.step(1e-2, false);
        CHECK(w.position(0).x == close_to(0.1, 1e-6));
        CHECK(w.velocity(0).x == close_to(10, 1e-4));
    }
}

TEST_CASE("a chain under every solver: equal bytes for any number of threads, and nothing allocated once warm")
{
    model::ModelBuilder b;
    b.add_ground_plane();
    std::vector<std::int32_t> joints;
    std::int32_t              last = -1;
    for (int i = 0; i < 12; ++i) {
        const auto link = b.add_link({{0.4 * i, 0, 0.5}, {}}, fmt::format("link{}", i));
        b.add_shape_capsule(link, {}, 0.05, 0.1, b.default_shape, fmt::format("shape{}", i));
        joints.push_back(last < 0 ? b.add_joint_free(link, "root")
                                  : b.add_joint_revolute(last, link, {{0.2, 0, 0}, {}}, {{-0.2, 0, 0}, {}},
                                                         dof({0, 1, 0}), fmt::format("j{}", i)));
        last = link;
    }
    b.add_articulation(joints, "chain");
    for (int i = 0; i < 40; ++i) {
        const auto box = b.add_body({{0.3 * (i % 8), 1.0 + 0.3 * (i / 8), 0.2}, {}}, fmt::format("box{}", i));
        b.add_shape_box(box, {}, {0.1, 0.1, 0.1}, b.default_shape, fmt::format("box_shape{}", i));
    }
    for (const char* name : kParity) {
        CAPTURE(std::string(name));
        std::vector<Pose> first;
        for (const int threads : {1, 2, 8}) {
            CAPTURE(threads);
            const tasks::Pool pool(threads);
            Parity            w(b, name, &pool, 4);
            for (int i = 0; i < 30; ++i) w.step(1.0 / 240);
            w.pipeline.collide(w.state, 1.0 / 240, w.contacts);
            const std::size_t before = allocations();
            w.report                 = w.solver->step(w.state, w.state, w.control, &w.contacts, 1.0 / 240);
            if (threads == 1) CHECK(allocations() - before == 0);
            if (first.empty()) first = w.state.body_q;
            CHECK(first == w.state.body_q);
        }
    }
}

TEST_CASE("a step into another state equals one in place, and mistakes are refused (rule 3.0)")
{
    for (const char* name : kParity) {
        CAPTURE(std::string(name));
        Parity       w(pendulum(1, 0.01, 1), name);
        model::State out;
        auto         report = w.solver->step(w.state, out, w.control, nullptr, 1e-3);
        CHECK_FALSE(report.diverged);
        w.step(1e-3, false);
        CHECK(out.body_q == w.state.body_q);
        CHECK(out.joint_q == w.state.joint_q);
        report = w.solver->step(w.state, out, w.control, nullptr, -1);
        CHECK(report.refused);
        CHECK(out.body_q == w.state.body_q);
        model::State small;
        CHECK(w.solver->step(small, out, w.control, nullptr, 1e-3).refused);
        w.state.body_qd[0].linear.x = std::numeric_limits<Real>::quiet_NaN();
        w.state.joint_qd[0]         = std::numeric_limits<Real>::quiet_NaN();
        CHECK(w.solver->step(w.state, out, w.control, nullptr, 1e-3).diverged);
    }
}

TEST_CASE("solvers are known by aliases, and their parameters are checked by name and range")
{
    CHECK(solvers::canonical_name("SolverXPBD") == "xpbd");
    CHECK(solvers::canonical_name("semi_implicit") == "semi-implicit");
    const auto choice = solvers::choose_solver("SolverXPBD:iterations=4,enable_restitution=true,angular_damping=0");
    REQUIRE(choice);
    CHECK(solvers::to_text(*choice) == "xpbd:iterations=4,enable_restitution=1");
    CHECK_FALSE(solvers::choose_solver("xpbd:iterations=0"));
    CHECK_FALSE(solvers::choose_solver("xpbd:iterations=1.5"));
    CHECK_FALSE(solvers::choose_solver("xpbd:nothing=1"));
    CHECK_FALSE(solvers::choose_solver("xpbd:iterations"));
    const auto unknown = solvers::choose_solver("featherstone:iterations=3");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().id == "SOLVER_PARAMETER");
    CHECK(unknown.error().hint.find("update_mass_matrix_interval") != std::string::npos);
    Parity w(pendulum(1, 0.01, 1), "xpbd:iterations=4");
    CHECK(w.solver->name() == "xpbd:iterations=4");
    auto* const adjustable = dynamic_cast<solvers::Adjustable*>(w.solver.get());
    REQUIRE(adjustable);
    CHECK(adjustable->configure({"iterations", 6}));
    CHECK_FALSE(adjustable->configure({"iterations", 0}));
    CHECK(w.solver->name() == "xpbd:iterations=6");
}

TEST_CASE("particles fall under every solver, and rest on a plane under xpbd")
{
    for (const char* name : kParity) {
        CAPTURE(std::string(name));
        model::ModelBuilder b;
        b.add_ground_plane();
        b.add_particle({0, 0, 1}, {0, 0, 0}, 0.1);
        b.particles[0].radius = 0.1;
        Parity w(b, name);
        w.run(0.1, 1e-3);
        CHECK(static_cast<double>(w.state.particle_qd[0].z) == close_to(-0.981, 1e-4));
        if (std::string_view(name) != "xpbd") continue;
        w.run(2, 1e-3);
        CHECK(static_cast<double>(w.state.particle_q[0].z) == close_to(0.1, 1e-3));
    }
}

TEST_CASE("xpbd names what it does not read of a joint, and limits that nobody set are none (DYN-056)")
{
    const Parity plain(unit_hinge(dof({0, 0, 1})), "xpbd");
    CHECK(plain.notices.count("SOLVER_FEATURE") == 0);
    model::JointDofConfig d = dof({0, 0, 1});
    d.target_ke = 10, d.effort_limit = 5, d.velocity_limit = 3, d.armature = 0.1, d.friction = 0.2;
    d.limit_lower = -1, d.limit_upper = 1, d.limit_ke = 77;
    const Parity w(unit_hinge(d), "xpbd");
    CHECK(w.notices.count("SOLVER_FEATURE") == 5);  // limit gains, velocity, effort, armature, friction
    for (const Diagnostic& found : w.notices)
        if (found.id == "SOLVER_FEATURE") CHECK(found.site.prim == "hinge");
}

TEST_CASE("a collision of free bodies keeps their momentum under every solver, however many contacts each has")
{
    // Without gravity and without anything that stands, the sum of m v has no reason to change (Newton's third law).
    // A ball on two balls, and a row of three, have bodies with different numbers of contacts; a box on a box has four
    // points. Velocities are floats: 1e-6 of each body's momentum a step would be rounding, 3e-5 in all.
    const auto scene = [](int kind, double mu, double e) {
        model::ModelBuilder b;
        b.gravity                   = {};
        b.default_shape.mu          = mu;
        b.default_shape.restitution = e;
        if (kind == 0) {  // one on two
            add_ball(b, {0, 0.02, 0}, 0.1, 1);
            add_ball(b, {0.21, 0.1, 0}, 0.1, 1);
            add_ball(b, {0.21, -0.1, 0}, 0.1, 1);
        } else if (kind == 1) {  // a row
            add_ball(b, {0, 0, 0}, 0.1, 1);
            add_ball(b, {0.21, 0, 0}, 0.1, 2);
            add_ball(b, {0.42, 0, 0}, 0.1, 0.5);
        } else {  // a box on a box, and on a ball that it covers in part
            for (const Vec3d& at : {Vec3d{0, 0, 0}, Vec3d{0.25, 0.05, 0.05}}) {
                const auto box = b.add_body({at, {}}, "", 0);
                b.add_shape_box(box, {}, {0.1, 0.1, 0.1}, b.default_shape);
            }
            add_ball(b, {0.2, -0.08, 0}, 0.06, 1);
        }
        return b;
    };
    for (const std::string solver :
         {"xpbd", "xpbd:iterations=8", "xpbd:enable_restitution=1", "semi-implicit", "softstep"})
        for (int kind = 0; kind < 3; ++kind)
            for (const double mu : {0.0, 1.0})
                for (const double e : {0.0, 0.8}) {
                    CAPTURE(solver);
                    CAPTURE(kind);
                    CAPTURE(mu);
                    CAPTURE(e);
                    Parity w(scene(kind, mu, e), solver);
                    w.state.joint_qd[0]         = 2;
                    w.state.body_qd[0].linear.x = 2;
                    const Vec3d before          = dynamics::linear_momentum(w.model, w.state);
                    w.run(0.4, 1e-3);
                    CHECK(length(w.velocity(1)) > 0.01);  // they met
                    const Vec3d after = dynamics::linear_momentum(w.model, w.state);
                    CHECK(length(after - before) < 3e-5 * length(before));
                }
}

TEST_CASE("keep_momentum=0 divides by each body's own number of contacts, as Newton 1.8")
{
    // A ball meets two at once: in the pass it has two contacts, each of the others one. With the same mass, the pair
    // along the line to one gets l from it, and gives back l/2: the two are as fast as each would be alone.
    model::ModelBuilder b;
    b.gravity          = {};
    b.default_shape.mu = 0;
    add_ball(b, {0, 0, 0}, 0.1, 1);
    add_ball(b, {0.1, 0.18, 0}, 0.1, 1);
    add_ball(b, {0.1, -0.18, 0}, 0.1, 1);
    double change[2];
    for (const int keep : {0, 1}) {
        Parity w(b, keep != 0 ? "xpbd" : "xpbd:keep_momentum=0");
        w.state.joint_qd[0]         = 2;
        w.state.body_qd[0].linear.x = 2;
        const Vec3d before          = dynamics::linear_momentum(w.model, w.state);
        w.run(0.05, 1e-3);
        change[keep] = length(dynamics::linear_momentum(w.model, w.state) - before) / length(before);
    }
    CHECK(change[0] > 1e-3);
    CHECK(change[1] < 1e-5);
}
