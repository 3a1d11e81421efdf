#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "library.h"
#include "mechane/geometry/heightfield.h"
#include "mechane/geometry/mesh.h"
#include "mechane/math/random.h"
#include "mechane/solvers/codes.h"

using namespace mechane;
using namespace mechane::test;

namespace {

Quatd any_turn(Random& r)
{ return normalized(Quatd{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1)}); }
Vec3d any_point(Random& r, double reach)
{ return {r.uniform(-reach, reach), r.uniform(-reach, reach), r.uniform(-reach, reach)}; }
Posed  any_pose(Random& r, double reach) { return {any_point(r, reach), any_turn(r)}; }
Mat33d any_inertia(Random& r)
{
    const double a = r.uniform(0.02, 0.04), b = r.uniform(0.02, 0.04), c = r.uniform(0.02, 0.04);
    const Mat33d R = to_matrix(any_turn(r));
    return R * Mat33d::diagonal({a, b, c}) * transpose(R);
}

/// Trees of links with all kinds of joints, anchors and centres of mass anywhere.
model::ModelBuilder any_trees(Random& r, int links)
{
    model::ModelBuilder       b;
    std::vector<std::int32_t> tree;
    std::int32_t              parent = -1;
    const auto                flush  = [&] {
        if (!tree.empty()) b.add_articulation(tree, fmt::format("tree{}", b.articulations.size()));
        tree.clear();
    };
    for (int k = 0; k < links; ++k) {
        const auto body = b.add_link(any_pose(r, 0.5), fmt::format("body{}", k), r.uniform(0.5, 2), any_point(r, 0.1),
                                     any_inertia(r));
        const bool root = k == 0 || r.uniform(0, 1) < 0.2;
        if (root) flush();
        const int           kind = static_cast<int>(r.uniform(root ? 0 : 1, 7));
        model::BuilderJoint j;
        j.label         = fmt::format("joint{}", k);
        j.parent        = root ? -1 : parent;
        j.child         = body;
        j.parent_xform  = any_pose(r, 0.3);
        j.child_xform   = any_pose(r, 0.3);
        const auto axis = [&](const Vec3d& a) {
            model::JointDofConfig d;
            d.axis       = a;
            d.initial_q  = r.uniform(-1, 1);
            d.initial_qd = r.uniform(-2, 2);
            d.armature   = r.uniform(0, 0.05);
            return d;
        };
        const Mat33d R = to_matrix(any_turn(r));
        const Vec3d  x{R.r0.x, R.r1.x, R.r2.x}, y{R.r0.y, R.r1.y, R.r2.y}, z{R.r0.z, R.r1.z, R.r2.z};
        switch (kind) {
            case 0:
                j.type = model::JointType::free, j.parent_xform = {}, j.child_xform = {};
                break;
            case 1:
                j.type = model::JointType::revolute, j.angular_axes = {axis(x)};
                break;
            case 2:
                j.type = model::JointType::prismatic, j.linear_axes = {axis(x)};
                break;
            case 3:
                j.type = model::JointType::ball;
                j.q    = {0.1, 0.2, 0.3, std::sqrt(1 - 0.14)};
                j.qd   = {r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1)};
                break;
            case 4:
                j.type = model::JointType::fixed;
                break;
            case 5:
                j.type = model::JointType::d6, j.linear_axes = {axis(x)},
                j.angular_axes = {axis(y), axis(r.uniform(0, 1) < 0.5 ? z : -z)};
                break;
            default:
                j.type         = model::JointType::d6,
                j.angular_axes = {axis(x), axis(y), axis(r.uniform(0, 1) < 0.5 ? z : -z)};
        }
        tree.push_back(b.add_joint(j));
        parent = body;
    }
    flush();
    return b;
}

double apart(const std::vector<Real>& a, const std::vector<Real>& b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return most;
}

void set_velocities(model::ModelBuilder& b, Random& r)
{
    for (auto& body : b.bodies) body.qd = {any_point(r, 1), any_point(r, 1)};
}

model::ModelBuilder box_on_plane(double z, double mu = 1)
{
    model::ModelBuilder b;
    model::ShapeConfig  c;
    c.mu = mu;
    b.add_shape_plane(-1, {}, 0, 0, c, "floor");
    const auto body = b.add_body({{0, 0, z}, {}}, "box");
    b.add_shape_box(body, {}, {0.2, 0.2, 0.1}, c, "box_shape");
    return b;
}

}  // namespace

TEST_CASE("what MuJoCo is given and gives back is the same state, whatever the joints and frames (T-111, DYN-067)")
{
    NEEDS_MUJOCO;
    for_seeds(60, [](Random& r) {
        auto b = any_trees(r, 1 + static_cast<int>(r.uniform(0, 8)));
        set_velocities(b, r);
        Mujoco       w(b);
        const auto   numbers = w.inside->push(0, w.state);
        model::State back    = w.state;
        for (Real& q : back.joint_q) q = 0;
        for (Real& v : back.joint_qd) v = 7;
        for (Pose& X : back.body_q) X = {};
        for (Spatial& v : back.body_qd) v = {};
        REQUIRE(w.inside->pull(0, numbers, back));
        // Quaternions of the other sign are the same turn; ours keep theirs.
        CHECK(apart(back.joint_q, w.state.joint_q) < 1e-6);
        CHECK(apart(back.joint_qd, w.state.joint_qd) < 3e-6);
        for (std::size_t i = 0; i < back.body_q.size(); ++i) {
            CHECK(length(static_cast<Vec3d>(back.body_q[i].p) - static_cast<Vec3d>(w.state.body_q[i].p)) < 2e-6);
            CHECK(length(static_cast<Vec3d>(back.body_qd[i].linear) - static_cast<Vec3d>(w.state.body_qd[i].linear)) <
                  1e-5);
        }
    });
}

TEST_CASE(
    "MuJoCo accelerates random trees as our own forward dynamics does: frames, inertias, gravity, forces (DYN-067)")
{
    NEEDS_MUJOCO;
    for_seeds(40, [](Random& r) {
        auto b = any_trees(r, 1 + static_cast<int>(r.uniform(0, 6)));
        set_velocities(b, r);
        b.gravity = any_point(r, 10);
        Mujoco       w(b, "mujoco:integrator=euler");
        model::State other = w.state;
        for (auto* s : {&w.state, &other})
            for (std::size_t i = 0; i < s->body_f.size(); ++i)
                s->body_f[i] = {{1, Real(0.1) * static_cast<Real>(i), -2}, {Real(0.3), -1, Real(0.2)}};
        for (std::size_t i = 0; i < w.control.joint_f.size(); ++i)
            w.control.joint_f[i] = static_cast<Real>(r.uniform(-2, 2));
        Diagnostics said;
        const auto  own = solvers::make_solver("featherstone", w.model, {.substeps = 1}, said);
        REQUIRE(own);
        const double dt     = 1e-3;
        const auto   before = w.state.body_qd;
        w.step(dt);
        REQUIRE_FALSE((*own)->step(other, other, w.control, nullptr, dt).diverged);
        for (std::size_t i = 0; i < before.size(); ++i) {
            const auto gain = [&](const model::State& s) {
                return Spatiald{
                    (1 / dt) * (static_cast<Vec3d>(s.body_qd[i].linear) - static_cast<Vec3d>(before[i].linear)),
                    (1 / dt) * (static_cast<Vec3d>(s.body_qd[i].angular) - static_cast<Vec3d>(before[i].angular))};
            };
            const Spatiald a = gain(w.state), c = gain(other);
            const double   scale = 1 + length(c.linear) + length(c.angular);
            CHECK(length(a.linear - c.linear) < 0.02 * scale);
            CHECK(length(a.angular - c.angular) < 0.02 * scale);
        }
    });
}

TEST_CASE("a D6 slides along its axes and then turns about them, in the order it names them (DYN-068)")
{
    NEEDS_MUJOCO;
    model::ModelBuilder b;
    const auto          body = b.add_link({}, "body", 1, {}, Mat33d::identity());
    b.add_articulation(
        {b.add_joint_d6(-1, body, {}, {}, {dof({0, 1, 0}), dof({1, 0, 0})}, {dof({0, 0, 1}), dof({0, 1, 0})}, "d6")},
        "a");
    Mujoco w(b);
    CHECK(w.field("jnt_type") == std::vector<double>{2, 2, 3, 3});
    CHECK(w.field("jnt_axis") == std::vector<double>{0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0});
    CHECK(w.inside->names(0, "joint") == std::vector<std::string>{"d6_lin0", "d6_lin1", "d6_ang0", "d6_ang1"});
}

TEST_CASE("joints that close loops are a weld, two points of a hinge, or a point, and hold (DYN-069, T-24)")
{
    NEEDS_MUJOCO;
    const struct {
        int                 kind;
        std::vector<double> types;
        std::int32_t        rows;
    } table[] = {{0, {1}, 6}, {1, {0, 0}, 6}, {2, {0}, 3}};
    for (const auto& row : table) {
        CAPTURE(row.kind);
        model::ModelBuilder b;
        const Posed         hook{{0, 0, 1}, normalized(Quatd{0.1, 0.2, 0.3, 0.9})};
        // The loop joint holds where the links are not at their zeros.
        auto swing      = dof({0, 1, 0});
        swing.initial_q = 0.4;
        const auto a    = b.add_link({}, "a", 1, {0, 0, -0.5}, 0.1 * Mat33d::identity());
        b.add_articulation({b.add_joint_revolute(-1, a, {}, {}, swing, "swing")}, "tree");
        const Posed         X_WA{{}, from_axis_angle(Vec3d{0, 1, 0}, 0.4)};
        const Posed         in_a = hook, in_world = X_WA * hook;
        model::BuilderJoint loop;
        loop.label                     = "loop";
        loop.child                     = a;
        loop.parent_xform              = in_world;
        loop.child_xform               = in_a;
        loop.exclude_from_articulation = true;
        loop.type                      = row.kind == 0   ? model::JointType::fixed
                                         : row.kind == 1 ? model::JointType::revolute
                                                         : model::JointType::ball;
        if (row.kind == 1) loop.angular_axes = {dof({0, 1, 0})};
        b.add_joint(loop);
        Mujoco w(b);
        CHECK(w.field("eq_type") == row.types);
        w.run(1, 0.002);
        CHECK(w.report.loop_rows == row.rows);
        CHECK(std::abs(w.q(0) - 0.4) < 2e-3);
    }
}

TEST_CASE(
    "stiffness 2500 and damping 100 are MuJoCo's (0.02, 1); authored pairs pass as they are, direct ones too (DYN-070)")
{
    NEEDS_MUJOCO;
    solvers::MujocoTables tables;
    tables["solref"] = {2, {0, 0, -1000, -30}, {}};
    Mujoco     w(box_on_plane(0.1), "mujoco", nullptr, tables);
    const auto solref = w.field("geom_solref");
    CHECK(solref[0] == doctest::Approx(0.02).epsilon(1e-12));
    CHECK(solref[1] == doctest::Approx(1).epsilon(1e-7));
    CHECK(solref[2] == -1000);
    CHECK(solref[3] == -30);
}

TEST_CASE("a limit's reference is scaled by the inverse inertia at the joint and by what impedance leaves (DYN-071)")
{
    NEEDS_MUJOCO;
    auto d        = dof({0, 1, 0});
    d.limit_lower = -1, d.limit_upper = 1, d.limit_ke = 3000, d.limit_kd = 40;
    // As in Newton 1.8: MuJoCo's impedance stays.
    Mujoco       newton(pendulum(1, 0.25, 0, d), "mujoco:newton_compat=1");
    const double invweight = 1 / (0.25 + 1), f = invweight * (1 - 0.95);
    const auto   as_newton = newton.field("jnt_solref");
    CHECK(newton.field("dof_invweight0")[0] == doctest::Approx(invweight).epsilon(1e-9));
    CHECK(as_newton[0] == doctest::Approx(2 / (40 * f)).epsilon(1e-6));
    CHECK(as_newton[1] == doctest::Approx(40 * f / (2 * std::sqrt(3000 * f))).epsilon(1e-6));
    CHECK(newton.field("jnt_solimp")[0] == doctest::Approx(0.9));
    CHECK(newton.field("jnt_solimp")[1] == doctest::Approx(0.95));
    // Otherwise the impedance is that of the spring, which depends on the step: docs/solvers.md, "limits".
    Mujoco w(pendulum(1, 0.25, 0, d));
    for (const double h : {0.001, 0.004}) {
        CAPTURE(h);
        w.step(h);
        const double s = invweight * h * (40 + h * 3000), impedance = s / (1 + s), left = (1 - impedance) * invweight;
        const auto   solref = w.field("jnt_solref"), solimp = w.field("jnt_solimp");
        CHECK(solref[0] == doctest::Approx(-left * 3000).epsilon(1e-6));
        CHECK(solref[1] == doctest::Approx(-left * (40 + h * 3000)).epsilon(1e-6));
        CHECK(solimp[0] == doctest::Approx(impedance).epsilon(1e-6));
        CHECK(solimp[1] == doctest::Approx(impedance).epsilon(1e-6));
    }
}

TEST_CASE("a limit whose stiffness nobody gives is MuJoCo's stop")
{
    NEEDS_MUJOCO;
    auto d        = dof({0, 1, 0});
    d.limit_lower = -1, d.limit_upper = 1;
    Mujoco w(pendulum(1, 0.25, 0, d));
    CHECK(w.field("jnt_solref") == std::vector<double>{0.02, 1});
    CHECK(w.field("jnt_solimp") == std::vector<double>{0.9, 0.95, 0.001, 0.5, 2});
}

TEST_CASE("a force on a free joint acts at the centre of mass, and does not turn the body (DYN-073, T-04)")
{
    NEEDS_MUJOCO;
    model::ModelBuilder b;
    b.gravity = {};
    b.add_body({{}, any_turn(*std::make_unique<Random>(3))}, "body", 2, {0.5, 0, 0}, Mat33d::identity());
    Mujoco w(b);
    w.control.joint_f[0] = 1;
    w.run(1, 0.01);
    CHECK(length(w.velocity(0) - Vec3d{0.5, 0, 0}) < 1e-6);
    CHECK(length(w.spin(0)) < 1e-6);
}

TEST_CASE(
    "a kinematic body stays to the last bit without a target, and its velocity counts in contacts (DYN-074, T-73)")
{
    NEEDS_MUJOCO;
    model::ModelBuilder b;
    model::ShapeConfig  smooth;
    smooth.mu       = 0;
    b.gravity       = {};
    const auto push = b.add_link({{-1, 0, 0}, {}}, "pusher", 1, {0.01, 0, 0}, Mat33d::identity());
    b.bodies[static_cast<std::size_t>(push)].flags = model::body_flag::kinematic;
    b.add_shape_box(push, {}, {0.5, 0.5, 0.5}, smooth, "pusher_shape");
    const auto box = b.add_body({{0.3, 0, 0}, {}}, "box");
    b.add_shape_box(box, {}, {0.2, 0.2, 0.2}, smooth, "box_shape");
    Mujoco     w(b);
    const Pose before = w.state.body_q[0];
    w.state.body_f[0] = {{1e6, 0, 0}, {0, 1e6, 0}};  // T-75
    w.run(0.1, 0.002);
    CHECK(std::memcmp(&before, &w.state.body_q[0], sizeof before) == 0);
    w.control.body_target_q.assign(2, {});
    for (int k = 1; k <= 500; ++k) {  // 1 m/s
        w.control.body_target_q[0] = {{static_cast<Real>(-1 + 0.002 * k), 0, 0}, {}};
        w.step(0.002);
        CHECK(std::abs(w.position(0).x - (-1 + 0.002 * k)) < 1e-5);
    }
    // A contact of unit damping ratio pushes while w t < 2, and throws back e^-2 of the speed that it met:
    // x = -t exp(-w t), force w exp(-w t) (2 - w t), speed then exp(-2).
    CHECK(w.velocity(1).x == doctest::Approx(1 + std::exp(-2.0)).epsilon(0.01));
    CHECK(w.position(1).x > 0.6);
}

TEST_CASE("a platform that accelerates carries a box by friction, or slides away under it (T-74)")
{
    NEEDS_MUJOCO;
    for (const double a : {2.0, 6.0}) {
        CAPTURE(a);
        model::ModelBuilder b;
        model::ShapeConfig  c;
        c.mu            = 0.5;
        const auto deck = b.add_link({{0, 0, -0.1}, {}}, "deck", 1, {}, Mat33d::identity());
        b.bodies[static_cast<std::size_t>(deck)].flags = model::body_flag::kinematic;
        b.add_shape_box(deck, {}, {5, 5, 0.1}, c, "deck_shape");
        const auto box = b.add_body({{0, 0, 0.1}, {}}, "box");
        b.add_shape_box(box, {}, {0.2, 0.2, 0.1}, c, "box_shape");
        Mujoco w(b, "mujoco:cone=elliptic,impratio=10");
        w.run(0.5, 0.002);
        const double x0 = w.position(1).x;
        w.control.body_target_q.assign(2, {});
        const int steps = 250;
        for (int k = 1; k <= steps; ++k) {
            const double t             = 0.002 * k;
            w.control.body_target_q[0] = {{static_cast<Real>(0.5 * a * t * t), 0, Real(-0.1)}, {}};
            w.step(0.002);
        }
        // Stuck it follows the deck; sliding it has mu g.
        const double t = 0.002 * steps, expected = 0.5 * std::min(a, 0.5 * 9.81) * t * t;
        CHECK(w.position(1).x - x0 == doctest::Approx(expected).epsilon(0.03));
    }
}

TEST_CASE("a pendulum released at rest takes a quarter of its period to the bottom (T-10)")
{
    NEEDS_MUJOCO;
    const struct {
        double degrees, period;
    } table[] = {{5, 2.00702}, {60, 2.15287}, {90, 2.36784}, {120, 2.75409}};
    for (const auto& row : table) {
        CAPTURE(row.degrees);
        // A point on a rod: MuJoCo wants an inertia, of 1e-6 of m L^2.
        Mujoco w(pendulum(1, 1e-6, row.degrees * kPi / 180), "mujoco:integrator=rk4");
        double t = 0, before = w.q(0);
        while (w.q(0) > 0 && t < 5) {
            before = w.q(0);
            w.step(1e-3);
            t += 1e-3;
        }
        const double cross = t - 1e-3 * w.q(0) / (w.q(0) - before);
        CHECK(4 * cross == doctest::Approx(row.period).epsilon(1e-3));
    }
}

TEST_CASE("a sliding box stops where friction says (T-25)")
{
    NEEDS_MUJOCO;
    auto   b = box_on_plane(0.1, 0.5);
    Mujoco w(b);
    w.run(0.3, 0.002);
    const double x0     = w.position(0).x;
    w.state.joint_qd[0] = 5;
    dynamics::project_to_joints(w.model, w.state);
    w.state.body_qd[0].linear.x = 5;
    w.run(2, 0.002);
    CHECK(w.position(0).x - x0 == doctest::Approx(25 / (2 * 0.5 * 9.81)).epsilon(0.01));
}

TEST_CASE("a box rests at the same height with its own contacts and with MuJoCo's, and carries its weight (GAP-056)")
{
    NEEDS_MUJOCO;
    Mujoco theirs(box_on_plane(0.11));
    theirs.run(2, 0.002);
    Parity ours(box_on_plane(0.11), "mujoco:use_mujoco_contacts=0");
    ours.run(2, 0.002);
    CHECK(std::abs(theirs.position(0).z - 0.1) < 1e-3);
    CHECK(std::abs(theirs.position(0).z - ours.position(0).z) < 1e-3);
    const double weight = static_cast<double>(theirs.model.body_mass[0]) * 9.81;
    Vec3d        force{};
    for (int i = 0; i < ours.contacts.rigid_contact_count; ++i) {
        const bool up = ours.model.shape_body[ours.contacts.rigid_contact_shape1[i]] >= 0;
        force += (up ? 1.0 : -1.0) * static_cast<Vec3d>(ours.contacts.rigid_contact_force[i]);
    }
    CHECK(force.z == doctest::Approx(weight).epsilon(1e-3));
    auto found = collision::CollisionPipeline(theirs.model, {}).make_contacts();
    theirs.solver->found_contacts(theirs.state, found);
    force = {};
    CHECK(found.rigid_contact_count == 4);
    for (int i = 0; i < found.rigid_contact_count; ++i) {
        const bool up = theirs.model.shape_body[found.rigid_contact_shape1[i]] >= 0;
        force += (up ? 1.0 : -1.0) * static_cast<Vec3d>(found.rigid_contact_force[i]);
        CHECK((up ? 1 : -1) * found.rigid_contact_normal[i].z == doctest::Approx(1));
    }
    CHECK(force.z == doctest::Approx(weight).epsilon(1e-3));
}

TEST_CASE("contacts beside MuJoCo's own are refused, and so is their absence where they are to be given (GAP-056)")
{
    NEEDS_MUJOCO;
    Parity w(box_on_plane(0.1), "mujoco:use_mujoco_contacts=0");
    w.pipeline.collide(w.state, 0.002, w.contacts);
    REQUIRE(w.contacts.rigid_contact_count > 0);
    auto report = w.solver->step(w.state, w.state, w.control, nullptr, 0.002);
    REQUIRE(report.refused);
    CHECK(report.refused->id == "SOLVER_CONTACTS");
    Mujoco own(box_on_plane(0.1));
    report = own.solver->step(own.state, own.state, own.control, &w.contacts, 0.002);
    REQUIRE(report.refused);
    CHECK(report.refused->id == "SOLVER_CONTACTS");
}

TEST_CASE("a hanging chain's joints carry the weight below them, and what falls accelerates by g (T-85, DYN 4.5)")
{
    NEEDS_MUJOCO;
    model::ModelBuilder       b;
    std::vector<std::int32_t> joints;
    for (int k = 0; k < 5; ++k) {
        const auto link = b.add_link({}, fmt::format("link{}", k), 1 + k, {0, 0, -0.1}, 0.01 * Mat33d::identity());
        const auto d    = dof({0, 1, 0});
        joints.push_back(b.add_joint_revolute(k == 0 ? -1 : link - 1, link, k == 0 ? Posed{} : Posed{{0, 0, -0.2}, {}},
                                              {}, d, fmt::format("j{}", k)));
    }
    b.add_articulation(joints, "chain");
    b.add_body({{3, 0, 0}, any_turn(*std::make_unique<Random>(5))}, "ball", 1, {0.1, 0, 0}, Mat33d::identity());
    Mujoco               w(b);
    solvers::Observables seen;
    w.solver->observe(&seen);
    w.step(0.002);
    for (int k = 0; k < 5; ++k) {
        double below = 0;
        for (int i = k; i < 5; ++i) below += 1 + i;
        CHECK(static_cast<double>(seen.body_parent_f[static_cast<std::size_t>(k)].linear.z) ==
              doctest::Approx(9.81 * below).epsilon(1e-6));
    }
    CHECK(static_cast<double>(seen.body_qdd[5].linear.z) == doctest::Approx(-9.81).epsilon(1e-6));
}

TEST_CASE("worlds step alone and to the same bytes, for any number of threads")
{
    NEEDS_MUJOCO;
    const auto scene = [](Random& r) {
        auto               b = any_trees(r, 5);
        model::ShapeConfig c;
        for (std::int32_t k = 0; k < 5; ++k) b.add_shape_sphere(k, {}, 0.05, c, fmt::format("ball{}", k));
        b.add_shape_plane(-1, {{0, 0, -1}, {}}, 0, 0, c, "floor");
        return b;
    };
    Random              r(11);
    const auto          one = scene(r);
    model::ModelBuilder many;
    REQUIRE(many.replicate(one, 7));
    std::vector<Real> first;
    for (const int threads : {1, 2, 8}) {
        const tasks::Pool pool(threads);
        Mujoco            w(many, "mujoco", &pool);
        CHECK(w.inside->world_count() == 7);
        w.run(0.5, 0.002);
        if (first.empty()) first = w.state.joint_q;
        CHECK(std::memcmp(first.data(), w.state.joint_q.data(), first.size() * sizeof(Real)) == 0);
    }
    Mujoco alone(one);
    alone.run(0.5, 0.002);
    CHECK(std::memcmp(first.data(), alone.state.joint_q.data(), alone.state.joint_q.size() * sizeof(Real)) == 0);
}

TEST_CASE("all worlds in one model move as each alone, and meet nothing of each other")
{
    NEEDS_MUJOCO;
    model::ModelBuilder many;
    const auto          one = box_on_plane(0.3);
    REQUIRE(many.replicate(one, 3));
    Mujoco apart_(many), together(many, "mujoco:separate_worlds=0");
    CHECK(together.inside->world_count() == 1);
    apart_.run(1, 0.002);
    together.run(1, 0.002);
    for (std::size_t b = 0; b < 3; ++b) CHECK(length(apart_.position(b) - together.position(b)) < 1e-5);
}

TEST_CASE("gains that change between steps need no notice, and joints that are switched off let go")
{
    NEEDS_MUJOCO;
    auto d      = dof({0, 0, 1});
    d.target_ke = 100, d.target_kd = 20, d.target_q = 0.5;
    Mujoco w(unit_hinge(d));
    w.run(3, 0.01);
    CHECK(w.q(0) == doctest::Approx(0.5).epsilon(1e-3));
    w.model.joint_target_ke[0] = 0;
    w.model.joint_stiffness[0] = 100;  // a spring about 0 instead
    w.run(5, 0.01);
    CHECK(std::abs(w.q(0)) < 1e-3);
    CHECK(w.field("actuator_gainprm")[0] == 0);
    w.model.joint_enabled[0] = 0;
    w.step(0.01);
    CHECK(w.field("jnt_type") == std::vector<double>{0});
}

TEST_CASE("a run that is saved and restored goes on with the same bits")
{
    NEEDS_MUJOCO;
    auto b          = box_on_plane(0.3);
    b.bodies[0].q.q = normalized(Quatd{0.1, 0.2, 0.1, 1});
    Mujoco w(b), other(b);
    w.run(0.4, 0.002);
    const auto memory = w.solver->save();
    const auto state  = w.state;
    w.run(0.4, 0.002);
    other.run(0.1, 0.002);
    REQUIRE(other.solver->restore(memory));
    other.state = state;
    other.run(0.4, 0.002);
    CHECK(std::memcmp(other.state.body_q.data(), w.state.body_q.data(), sizeof(Pose)) == 0);
    CHECK(std::memcmp(other.state.body_qd.data(), w.state.body_qd.data(), sizeof(Spatial)) == 0);
    CHECK_FALSE(other.solver->restore(std::vector<std::byte>(memory.begin(), memory.end() - 1)));
}

TEST_CASE("a ball rests on a height field where its cells are, rows along y and columns along x")
{
    NEEDS_MUJOCO;
    // A ramp along y with a step along x: no symmetry.
    std::vector<double> z;
    for (int r = 0; r < 9; ++r)
        for (int c = 0; c < 5; ++c) z.push_back(c >= 3 ? 0.5 : (r >= 6 ? 0.2 : 0));
    const auto mesh = geometry::heightfield_mesh({9, 5, 2, 4, z, {}});
    REQUIRE(mesh);
    model::ModelBuilder b;
    model::ShapeConfig  c;
    b.add_shape_heightfield({{0, 0, 1}, {}}, {1, 1, 1}, std::make_shared<geometry::Mesh>(*mesh), c, "field");
    const Vec3d places[] = {{-1, -2, 1.0}, {-1, 3, 1.2}, {1.5, -2, 1.5}};
    for (const Vec3d& p : places)
        b.add_shape_sphere(b.add_body({{p.x, p.y, p.z + 0.11}, {}}, "ball"), {}, 0.1, c, "ball_shape");
    Mujoco w(b);
    w.run(0.5, 0.002);
    for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(w.position(k).z - (places[k].z + 0.1)) < 2e-3);
}

TEST_CASE(
    "a ball lies in the valley of a terrain mesh, whichever way its axes point and whatever order its points have")
{
    NEEDS_MUJOCO;
    // z = |x| / 2 over 4 m x 2 m, with walls and a floor, or without. A ball of 0.2 m touches both sides of the valley
    // at 0.2 m times the secant of their slope.
    const double rests = 0.2 * std::sqrt(1.25);
    struct {
        const char* what;
        Quatd       turn;
        bool        closed, shuffled, field;
        Vec3d       scale;
    } table[] = {
        {"solid", {}, true, false, true, {1, 1, 1}},
        {"sheet", {}, false, false, true, {1, 1, 1}},
        {"shuffled", {}, true, true, true, {1, 1, 1}},
        {"y upwards", from_axis_angle(Vec3d{1, 0, 0}, kPi / 2), true, true, true, {1, 1, 1}},
        {"upside down", from_axis_angle(Vec3d{1, 0, 0}, kPi), true, false, true, {1, 1, 1}},
        {"mirrored", {}, true, false, true, {-1, 1, 1}},
        // A point off its line: no grid.
        {"no grid", {}, true, false, false, {1, 1, 1}},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        std::vector<double> z;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 5; ++c) z.push_back(0.5 * std::abs(c - 2));
        auto surface = geometry::heightfield_mesh({3, 5, 2, 1, z, {}});
        REQUIRE(surface);
        geometry::Mesh mesh = *surface;
        if (!row.field) mesh.points[6].x += 0.3;
        if (row.closed) {
            // The rim once around, counter-clockwise from above; its walls, and the floor as a fan.
            const std::int32_t rim[] = {0, 1, 2, 3, 4, 9, 14, 13, 12, 11, 10, 5};
            const auto         first = static_cast<std::int32_t>(mesh.points.size());
            for (const std::int32_t i : rim)
                mesh.points.push_back(
                    {mesh.points[static_cast<std::size_t>(i)].x, mesh.points[static_cast<std::size_t>(i)].y, -1});
            mesh.points.push_back({0, 0, -1});
            for (std::int32_t k = 0; k < 12; ++k) {
                const std::int32_t l = (k + 1) % 12;
                mesh.triangles.push_back({rim[k], first + k, first + l});
                mesh.triangles.push_back({rim[k], first + l, rim[l]});
                mesh.triangles.push_back({first + 12, first + l, first + k});
            }
            REQUIRE(geometry::is_closed(mesh));
        }
        const auto count = static_cast<std::int32_t>(mesh.points.size());
        if (row.shuffled) {
            std::reverse(mesh.points.begin(), mesh.points.end());
            std::rotate(mesh.points.begin(), mesh.points.begin() + 4, mesh.points.end());
            for (auto& t : mesh.triangles)
                for (std::int32_t& i : t) i = (2 * count - 1 - i - 4) % count;
            std::reverse(mesh.triangles.begin(), mesh.triangles.end());
        }
        for (Vec3d& p : mesh.points) p = rotate_inverse(row.turn, p);
        model::ModelBuilder b;
        model::ShapeConfig  c;
        b.add_shape_mesh(-1, {{}, row.turn}, row.scale, std::make_shared<geometry::Mesh>(mesh), c, "terrain");
        b.add_shape_sphere(b.add_body({{0, 0.1, rests + 0.05}, {}}, "ball"), {}, 0.2, c, "ball_shape");
        Mujoco w(b);
        CHECK((w.field("hfield_size").size() == 4) == row.field);
        if (!row.field) continue;
        w.run(1, 0.002);
        CHECK(std::abs(w.position(0).z - rests) < 3e-3);
        CHECK(std::abs(w.position(0).x) < 1e-3);
    }
}

TEST_CASE("a mesh over a grid that is its own hull stays a mesh, and so does one that moves")
{
    NEEDS_MUJOCO;
    for (const bool moves : {false, true}) {
        CAPTURE(moves);
        // A ridge along y, or a valley on a body.
        std::vector<double> z;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 5; ++c) z.push_back((moves ? 0.5 : -0.5) * std::abs(c - 2));
        const auto surface = geometry::heightfield_mesh({3, 5, 2, 1, z, {}});
        REQUIRE(surface);
        model::ModelBuilder b;
        const auto          body = moves ? b.add_body({}, "body", 1, {}, Mat33d::identity()) : -1;
        b.add_shape_mesh(body, {}, {1, 1, 1}, std::make_shared<geometry::Mesh>(*surface), {}, "hill");
        Mujoco w(b);
        CHECK(w.field("hfield_size").empty());
    }
}

TEST_CASE("a distance joint keeps its ends as far apart as it says")
{
    NEEDS_MUJOCO;
    model::ModelBuilder b;
    const auto          bob = b.add_link({{0.8, 0, 0}, {}}, "bob", 1, {}, 0.01 * Mat33d::identity());
    b.add_articulation({b.add_joint_distance(-1, bob, {{0, 0, 0.2}, {}}, {{0.1, 0, 0}, {}}, -1, 1.0, "rope")}, "rope");
    Mujoco w(b);
    double most = 0;
    for (int k = 0; k < 1000; ++k) {
        w.step(0.002);
        const Pose X = w.state.body_q[0];
        most         = std::max(most, length(static_cast<Vec3d>(X * Vec3{Real(0.1), 0, 0}) - Vec3d{0, 0, 0.2}));
    }
    CHECK(most < 1.02);
    CHECK(most > 0.99);
}

TEST_CASE("a follower keeps to its leader (mimic)")
{
    NEEDS_MUJOCO;
    model::ModelBuilder b;
    b.gravity      = {};
    auto lead      = dof({0, 0, 1});
    lead.target_ke = 100, lead.target_kd = 20, lead.target_q = 0.6;
    const auto x = b.add_link({}, "x", 1, {}, Mat33d::identity()), y = b.add_link({}, "y", 1, {}, Mat33d::identity());
    const auto j                                       = b.add_joint_revolute(-1, x, {}, {}, lead, "leader"),
               k                                       = b.add_joint_revolute(x, y, {}, {}, dof({0, 0, 1}), "follower");
    b.joints[static_cast<std::size_t>(k)].mimic_joint  = j;
    b.joints[static_cast<std::size_t>(k)].mimic_coeffs = {0.1, -2};
    b.add_articulation({j, k}, "pair");
    Mujoco w(b);
    w.run(3, 0.002);
    CHECK(w.q(0) == doctest::Approx(0.6).epsilon(0.01));
    CHECK(w.q(1) == doctest::Approx(0.1 - 2 * w.q(0)).epsilon(0.01));
}

TEST_CASE("drives of each mode are MuJoCo's servos: position, velocity and both (DYN 1.7.4)")
{
    NEEDS_MUJOCO;
    using model::TargetMode;
    const struct {
        TargetMode          mode;
        std::vector<double> gain, bias1, bias2;
    } table[] = {{TargetMode::position, {100}, {-100}, {-20}},
                 {TargetMode::velocity, {20}, {0}, {-20}},
                 {TargetMode::position_velocity, {100, 20}, {-100, 0}, {0, -20}},
                 {TargetMode::none, {}, {}, {}}};
    for (const auto& row : table) {
        auto d      = dof({0, 0, 1});
        d.target_ke = 100, d.target_kd = 20, d.actuator_mode = row.mode;
        Mujoco     w(unit_hinge(d));
        const auto gain = w.field("actuator_gainprm"), bias = w.field("actuator_biasprm");
        REQUIRE(gain.size() == 10 * row.gain.size());
        for (std::size_t i = 0; i < row.gain.size(); ++i) {
            CHECK(gain[10 * i] == row.gain[i]);
            CHECK(bias[10 * i + 1] == row.bias1[i]);
            CHECK(bias[10 * i + 2] == row.bias2[i]);
        }
    }
}

TEST_CASE(
    "what cannot be honoured is said once with its prims, and refused where that is asked for (rule 3.1, DYN-046, "
    "DYN-047)")
{
    NEEDS_MUJOCO;
    model::ModelBuilder b;
    model::ShapeConfig  c;
    auto                mesh = std::make_shared<geometry::Mesh>();
    mesh->points             = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}};
    mesh->triangles          = {{0, 2, 1}, {0, 1, 4}, {1, 3, 4}, {3, 0, 4}, {0, 3, 2}, {1, 2, 3}};
    for (const char* name : {"dent0", "dent1"}) b.add_shape_mesh(-1, {}, {1, 1, 1}, mesh, c, name);
    Mujoco w(b);
    int    said = 0;
    for (const Diagnostic& d : w.notices)
        if (d.message.find("convex hulls") != std::string::npos) {
            ++said;
            CHECK(d.message.find("dent0, dent1") != std::string::npos);
        }
    CHECK(said == 1);
    Diagnostics out;
    const auto  strict = solvers::make_solver("mujoco", w.model, {.substeps = 1, .strict = true}, out);
    REQUIRE_FALSE(strict);
    CHECK(strict.error().id == "SOLVER_MODEL");
}

TEST_CASE(
    "flat meshes, cones and barrels are shapes; a plane on a body and a link without mass are refused with a name")
{
    NEEDS_MUJOCO;
    model::ModelBuilder b;
    model::ShapeConfig  c;
    auto                flat = std::make_shared<geometry::Mesh>();
    flat->points             = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    flat->triangles          = {{0, 1, 2}, {0, 2, 3}};
    b.add_shape_mesh(-1, {}, {1, 1, 1}, flat, c, "flat");
    b.add_shape_cone(-1, {{5, 0, 0}, {}}, 0.5, 1, c, "cone");
    const auto ball = b.add_body({{0.5, 0.5, 0.12}, {}}, "ball");
    b.add_shape_sphere(ball, {}, 0.1, c, "ball_shape");
    Mujoco w(b);
    w.run(1, 0.002);
    CHECK(std::abs(w.position(0).z - 0.1) < 5e-3);

    model::ModelBuilder bad;
    const auto          body = bad.add_body({}, "carrier", 1, {}, Mat33d::identity());
    bad.add_shape_plane(body, {}, 0, 0, c, "moving_plane");
    Diagnostics out;
    auto        m    = finalized(bad);
    auto        made = solvers::make_solver("mujoco", m, {.substeps = 1}, out);
    REQUIRE_FALSE(made);
    CHECK(made.error().id == "SOLVER_MODEL");
    CHECK(made.error().message.find("moving_plane") != std::string::npos);

    model::ModelBuilder empty;
    const auto          link = empty.add_link({}, "ghost");
    empty.add_articulation({empty.add_joint_revolute(-1, link, {}, {}, dof({0, 0, 1}), "hinge")}, "a");
    auto weightless = finalized(empty);
    made            = solvers::make_solver("mujoco", weightless, {.substeps = 1}, out);
    REQUIRE_FALSE(made);
    CHECK(made.error().message.find("ghost") != std::string::npos);
}

TEST_CASE(
    "numbers that are not finite, and gains beyond sense, end no process: a world that diverges is named, others go on "
    "(T-102, T-103)")
{
    NEEDS_MUJOCO;
    model::ModelBuilder many;
    const auto          one = box_on_plane(0.3);
    REQUIRE(many.replicate(one, 3));
    Mujoco w(many);
    w.state.body_f[1].linear.x = std::numeric_limits<Real>::quiet_NaN();
    w.control.joint_f[7]       = std::numeric_limits<Real>::infinity();
    w.step(0.002);
    CHECK(w.report.diverged_worlds.empty());
    w.state.joint_qd[6] = std::numeric_limits<Real>::quiet_NaN();
    const Pose before   = w.state.body_q[1];
    w.report            = w.solver->step(w.state, w.state, w.control, nullptr, 0.002);
    CHECK(w.report.diverged_worlds == std::vector<std::int32_t>{1});
    CHECK(std::memcmp(&before, &w.state.body_q[1], sizeof before) == 0);
    CHECK(std::isfinite(w.state.body_q[0].p.z));
    w.state.joint_qd[6] = 0;
    w.step(0.002);
    CHECK(w.report.diverged_worlds.empty());

    auto d      = dof({0, 0, 1});
    d.target_ke = 1e12, d.target_q = 3, d.limit_lower = -1e-9, d.limit_upper = 1e-9, d.limit_ke = 1e12,
    d.limit_kd = 1e12;
    Mujoco stiff(unit_hinge(d));
    for (int k = 0; k < 50; ++k)
        stiff.report = stiff.solver->step(stiff.state, stiff.state, stiff.control, nullptr, 1.0);
    CHECK(std::isfinite(stiff.state.joint_q[0]));
}

TEST_CASE("a limit of which only the damping was chosen is a stop, as under softstep")
{
    NEEDS_MUJOCO;
    auto d        = dof({0, 1, 0});
    d.limit_lower = -1, d.limit_upper = 1, d.limit_kd = 40;
    Mujoco     w(pendulum(1, 0.25, 0, d));
    const auto solref = w.field("jnt_solref");
    // MuJoCo's own reference: 0.02 s, critically damped.
    CHECK(solref[0] == doctest::Approx(0.02).epsilon(1e-12));
    CHECK(solref[1] == doctest::Approx(1).epsilon(1e-12));
    // Whoever chose the stiffness has a spring, also of the value that is the default.
    d.limit_authored = true;
    Mujoco chosen(pendulum(1, 0.25, 0, d));
    chosen.step(0.002);
    CHECK(chosen.field("jnt_solref")[0] < 0);
}

TEST_CASE("a thousand balls in a heap find room for their contacts")
{
    NEEDS_MUJOCO;
    model::ModelBuilder b;
    model::ShapeConfig  c;
    b.add_shape_plane(-1, {}, 0, 0, c, "floor");
    for (int k = 0; k < 1000; ++k) {
        const auto ball =
            b.add_body({{0.19 * (k % 10), 0.19 * (k / 10 % 10), 0.1 + 0.19 * (k / 100)}, {}}, fmt::format("ball{}", k));
        b.add_shape_sphere(ball, {}, 0.1, c, fmt::format("shape{}", k));
    }
    Mujoco w(b, "mujoco:iterations=3");
    for (int k = 0; k < 2; ++k) {
        w.step(0.002);
        CHECK(w.report.culprit.empty());
        CHECK(w.report.contact_rows > 2500);
    }
}

TEST_CASE("tendons, actuators, equalities and pairs of MuJoCo's own are what their rows say")
{
    NEEDS_MUJOCO;
    model::ModelBuilder b;
    b.gravity = {};
    std::vector<std::int32_t> joints;
    for (int k = 0; k < 2; ++k) {
        const auto link =
            b.add_link({{static_cast<double>(k), 0, 0}, {}}, fmt::format("link{}", k), 1, {}, Mat33d::identity());
        joints.push_back(b.add_joint_revolute(-1, link, {{static_cast<double>(k), 0, 0}, {}}, {}, dof({0, 0, 1}),
                                              fmt::format("hinge{}", k)));
        b.add_articulation({joints.back()}, fmt::format("a{}", k));
        b.add_shape_sphere(link, {}, 0.1, model::ShapeConfig{}, fmt::format("ball{}", k));
    }
    solvers::MujocoTables t;
    t["tendon_world"]                = {1, {-1}, {}};
    t["tendon_label"]                = {1, {}, {"both"}};
    t["tendon_stiffness"]            = {1, {3}, {}};
    t["tendon_joint_adr"]            = {1, {0}, {}};
    t["tendon_joint_num"]            = {1, {2}, {}};
    t["tendon_joint"]                = {1, {0, 1}, {}};
    t["tendon_coef"]                 = {1, {1, -0.5}, {}};
    t["actuator_trnid"]              = {2, {0, -1, 0, -1}, {}};
    t["actuator_trntype"]            = {1, {0, 2}, {}};
    t["ctrl_source"]                 = {1, {1, 1}, {}};
    t["actuator_gainprm"]            = {10, std::vector<double>(20, 0), {}};
    t["actuator_gainprm"].numbers[0] = 2, t["actuator_gainprm"].numbers[10] = 5;
    t["equality_constraint_type"]     = {1, {2}, {}};
    t["equality_constraint_joint1"]   = {1, {1}, {}};
    t["equality_constraint_joint2"]   = {1, {0}, {}};
    t["equality_constraint_polycoef"] = {5, {0.1, 2, 0, 0, 0}, {}};
    t["equality_constraint_enabled"]  = {1, {0}, {}};
    t["pair_geom1"] = {1, {0}, {}}, t["pair_geom2"] = {1, {1}, {}}, t["pair_condim"] = {1, {4}, {}};
    Mujoco w(b, "mujoco", nullptr, t);
    CHECK(w.inside->names(0, "tendon") == std::vector<std::string>{"both"});
    CHECK(w.field("tendon_stiffness") == std::vector<double>{3});
    CHECK(w.field("wrap_prm") == std::vector<double>{1, -0.5});
    CHECK(w.field("actuator_trntype") == std::vector<double>{0, 3});
    CHECK(w.field("actuator_gainprm")[10] == 5);
    CHECK(w.field("eq_type") == std::vector<double>{2});
    CHECK(w.field("eq_active0") == std::vector<double>{0});
    CHECK(w.field("pair_dim") == std::vector<double>{4});
    w.inside->set_direct_control({1.5, 0});
    w.step(0.001);  // torque 2 * 1.5 on unit inertia
    CHECK(w.qd(0) == doctest::Approx(3e-3).epsilon(1e-4));
    w.inside->set_direct_control({0, 1});
    const double v0 = w.qd(0), v1 = w.qd(1);
    w.step(0.001);  // the tendon pulls each by its coefficient: 5 and -2.5
    CHECK(w.qd(0) - v0 == doctest::Approx(5e-3).epsilon(1e-2));
    CHECK(w.qd(1) - v1 == doctest::Approx(-2.5e-3).epsilon(1e-2));
}

TEST_CASE("a drive at its largest torque accelerates as that torque does, however stiff its damping is")
{
    if (!has_mujoco()) return;
    for (const auto mode : {model::TargetMode::velocity, model::TargetMode::position}) {
        model::ModelBuilder b;
        b.gravity                  = {};
        const auto            link = b.add_link({}, "wheel", 1, {}, Mat33d::diagonal({0.2, 0.2, 0.2}));
        model::JointDofConfig axis;
        axis.axis          = {0, 0, 1};
        axis.actuator_mode = mode;
        axis.target_ke     = mode == model::TargetMode::position ? 1e4 : 0;
        axis.target_kd     = 100;
        axis.target_q      = 1e3;
        axis.target_qd     = 1e3;
        axis.effort_limit  = 2;
        b.add_articulation({b.add_joint_revolute(-1, link, {}, {}, axis, "axle")}, "tree");
        Mujoco m(b);
        m.run(0.5, 0.002);
        CHECK(static_cast<double>(m.state.joint_qd[0]) == close_to(2 / 0.2 * 0.5, 1e-3));  // torque / inertia x time
    }
}

TEST_CASE("the spring of a ball joint pulls to its rest pose, whatever the frames")
{
    if (!has_mujoco()) return;
    const Quatd         rest = from_rotation_vector(Vec3d{0.3, -0.5, 0.7});
    model::ModelBuilder b;
    b.gravity       = {};
    const auto link = b.add_link({}, "ball", 1, {}, Mat33d::diagonal({0.1, 0.1, 0.1}));
    const auto ball = b.add_joint_ball(-1, link, {{}, from_rotation_vector(Vec3d{0, 0.4, 0})},
                                       {{}, from_rotation_vector(Vec3d{-0.2, 0, 0.9})}, "joint");
    b.add_articulation({ball}, "tree");
    auto& joint         = b.joints[static_cast<std::size_t>(ball)];
    joint.rest_rotation = rest;
    for (auto& axis : joint.angular_axes) axis.stiffness = 5, axis.damping = 2;
    Mujoco m(b);
    m.run(10, 0.002);
    const Quatd q{static_cast<double>(m.state.joint_q[0]), static_cast<double>(m.state.joint_q[1]),
                  static_cast<double>(m.state.joint_q[2]), static_cast<double>(m.state.joint_q[3])};
    CHECK(length(to_rotation_vector(conjugate(rest) * q)) == close_to(0, 1e-4));
}

TEST_CASE("bodies of no world fall by their own gravity in the model of a world (DYN-073)")
{
    if (!has_mujoco()) return;
    model::ModelBuilder b;
    b.gravity      = {0, 0, -2};
    const Mat33d e = Mat33d::identity();
    b.add_body({}, "everywhere", 3, Vec3d{0.1, 0, 0}, e);
    b.begin_world(Vec3d{0, 0, -5});
    b.add_body({}, "here", 1, {}, e);
    b.end_world();
    Mujoco m(b);
    m.step(0.1);
    CHECK(m.state.body_qd[0].linear.z == close_to(-0.2, 1e-6));
    CHECK(m.state.body_qd[1].linear.z == close_to(-0.5, 1e-6));
    CHECK(length(static_cast<Vec3d>(m.state.body_qd[0].angular)) == close_to(0, 1e-6));  // at the centre of mass
}

TEST_CASE("the forces of friction in dofs are a part of what constrains, and a motor's are what it gives")
{
    if (!has_mujoco()) return;
    model::ModelBuilder   b;
    const auto            link = b.add_link({}, "arm", 2, Vec3d{0.3, 0, 0}, Mat33d::diagonal({0.01, 0.01, 0.01}));
    model::JointDofConfig axis;
    axis.axis     = {0, 1, 0};
    axis.friction = 0.5;
    b.add_articulation({b.add_joint_revolute(-1, link, {}, {}, axis, "hinge")}, "tree");
    Mujoco m(b);
    m.step(1e-6);
    const auto bias = m.inside->dof_forces("bias"), all = m.inside->dof_forces("constraint"),
               rub = m.inside->dof_forces("frictionloss");
    REQUIRE(bias.size() == 1);
    CHECK(bias[0] == close_to(-2 * 9.81 * 0.3, 1e-5));  // what holds the arm against its weight
    CHECK(rub[0] == close_to(all[0], 1e-12));
    CHECK(std::abs(rub[0]) <= 0.5 + 1e-9);
    CHECK(m.inside->dof_forces("actuator")[0] == 0);
    CHECK(m.inside->overflows() == std::vector<std::uint8_t>{0});
    const auto text = m.inside->mjcf(0);
    REQUIRE(text.has_value());
    CHECK(text->find("name=\"hinge\"") != std::string::npos);
}

TEST_CASE("without its library the solver says what is missing and how to get it (DYN-050)")
{
    const auto library = solvers::mujoco_library();
    if (library.problem.empty()) return;
    const auto  m = finalized(box_on_plane(1));
    Diagnostics out;
    const auto  made = solvers::make_solver("mujoco", m, {.substeps = 1}, out);
    REQUIRE_FALSE(made);
    CHECK(made.error().id == "SOLVER_UNAVAILABLE");
    CHECK_FALSE(made.error().hint.empty());
}
