#include "hand_contacts.h"
#include "world.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::literals;

TEST_CASE("a dof without a drive ignores gains, an effort drive gives the user's force alone (DYN-019)")
{
    for (const model::TargetMode mode : {model::TargetMode::none, model::TargetMode::effort}) {
        CAPTURE(static_cast<int>(mode));
        model::JointDofConfig d = dof({0, 0, 1});
        d.target_ke             = 100;
        d.target_kd             = 10;
        d.target_q              = 1;
        d.actuator_mode         = mode;
        World still(unit_hinge(d));
        still.run(0.5, 0.01);
        CHECK(still.qd(0) == 0);
        World pushed(unit_hinge(d));
        pushed.control.joint_f[0] = 2;
        pushed.run(0.5, 0.01);
        // unit inertia: a torque of 2 N m for half a second
        CHECK(pushed.qd(0) == close_to(1, 1e-5));
    }
}

TEST_CASE("a force on a FREE joint between bodies acts at the child's centre of mass, and back on the parent (DYN-020)")
{
    model::ModelBuilder b;
    b.gravity                  = {};
    const auto          parent = b.add_link({{0, 0, 1}, {}}, "parent", 1, {0.1, 0, 0}, Mat33d::identity());
    const auto          child  = b.add_link({{1, 0, 1}, {}}, "child", 2, {0, 0.2, 0}, 4.0 * Mat33d::identity());
    model::BuilderJoint joint;
    joint.type         = model::JointType::free;
    joint.parent       = parent;
    joint.child        = child;
    joint.parent_xform = {{0.3, 0, 0},
                          from_axis_angle(Vec3d{0, 0, 1}, 0.7)};  // the force is in world axes all the same
    for (int k = 0; k < 3; ++k) {
        joint.linear_axes.push_back(dof(axis_vector<double>(k)));
        joint.angular_axes.push_back(dof(axis_vector<double>(k)));
    }
    const auto root = b.add_joint_free(parent, "root");
    b.add_articulation({root, b.add_joint(joint)}, "pair");
    World      w(b);
    const auto at             = static_cast<std::size_t>(w.model.joint_qd_start[1]);
    w.control.joint_f[at + 1] = 2;      // f = (0, 2, 0) N
    w.control.joint_f[at + 5] = 0.5_r;  // t = (0, 0, 0.5) N m
    w.step(0.1);
    CHECK(distance(w.velocity(1), Vec3d{0, 0.1, 0}) < 1e-6);   // 2 N / 2 kg * 0.1 s
    CHECK(distance(w.spin(1), Vec3d{0, 0, 0.0125}) < 1e-6);    // 0.5 / 4 * 0.1
    CHECK(distance(w.velocity(0), Vec3d{0, -0.2, 0}) < 1e-6);  // -2 N / 1 kg * 0.1 s
    // about the parent's centre: -t - r x f with r = (1, 0.2, 0) - (0.1, 0, 0), so -0.5 - 0.9 * 2
    CHECK(distance(w.spin(0), Vec3d{0, 0, -0.23}) < 1e-6);
}

TEST_CASE("position targets have the layout of coordinates, velocity targets that of dofs (DYN-011)")
{
    model::ModelBuilder b;
    b.gravity       = {};
    const auto ball = b.add_link({}, "ball", 1, {}, Mat33d::identity());
    const auto arm  = b.add_link({}, "arm", 1, {}, Mat33d::identity());
    const auto j0   = b.add_joint_ball(-1, ball, {}, {}, "j0");
    auto       d    = dof({0, 0, 1});
    d.target_ke     = 50;
    d.target_kd     = 14;
    d.actuator_mode = model::TargetMode::position;
    b.add_articulation({j0, b.add_joint_revolute(ball, arm, {}, {}, d, "j1")}, "arm");
    World w(b);
    CHECK(w.control.joint_target_q.size() == w.model.joint_coord_count());  // 4 + 1
    CHECK(w.control.joint_target_qd.size() == w.model.joint_dof_count());   // 3 + 1
    w.control.joint_target_q[4] = 0.5_r;
    w.run(5, 0.01);
    CHECK(w.q(4) == close_to(0.5, 1e-3));
}

namespace {

/// The total energy of a world with one body of that index [J].
double energy_of(const World& w)
{
    const auto e = dynamics::energy(w.model, w.state);
    return e.kinetic + e.potential;
}

}  // namespace

TEST_CASE("a rod that jams while it slides stays finite and gains nothing (DYN-147, T-108)")
{
    // Painleve: below a rod's centre of mass, friction can press the contact down faster than the normal force lifts
    // it.
    for (const double direction : {-1.0, 1.0}) {
        CAPTURE(direction);
        model::ModelBuilder b;
        b.rigid_gap = 0.01;
        model::ShapeConfig rough;
        rough.mu = 1.5;
        b.add_shape_plane(-1, {}, 0, 0, rough);
        const Quatd  tilt = from_axis_angle(Vec3d{0, 1, 0}, 30 * kDegrees);  // the axis 60 degrees above the ground
        const double half = 0.5, radius = 0.005;
        const auto   rod = b.add_body({{0, 0, half * std::cos(30 * kDegrees) + radius}, tilt}, "rod");
        b.add_shape_capsule(rod, {}, radius, half, rough);
        b.bodies[static_cast<std::size_t>(rod)].qd.linear = {3 * direction, 0, 0};
        World                        w(b);
        collision::CollisionPipeline pipeline(w.model);
        model::Contacts              contacts = pipeline.make_contacts();
        const double                 before   = energy_of(w);
        for (int i = 0; i < 300; ++i) {
            pipeline.collide(w.state, 1.0 / 60, contacts);
            w.step(1.0 / 60, &contacts);
            REQUIRE_FALSE(w.report.diverged);
            REQUIRE(is_finite(w.position(0)));
            CHECK(energy_of(w) < 1.01 * before);
        }
    }
}

TEST_CASE("a stack ten kilometres from the origin stands (DYN-146, T-107)")
{
    const double        far = 1e4, tolerance = sizeof(Real) == 4 ? 10 : 1;
    model::ModelBuilder b;
    b.rigid_gap = 0.01;
    b.add_ground_plane(0);
    for (int i = 0; i < 10; ++i)
        b.add_shape_box(b.add_body({{far, far, 0.1 + 0.2 * i}, {}}, fmt::format("box{}", i), 1, {},
                                   (0.04 / 6) * Mat33d::identity()),
                        {}, {0.1, 0.1, 0.1}, {.density = 0});
    World                        w(b);
    collision::CollisionPipeline pipeline(w.model);
    model::Contacts              contacts = pipeline.make_contacts();
    for (int i = 0; i < 180; ++i) {
        pipeline.collide(w.state, 1.0 / 60, contacts);
        w.step(1.0 / 60, &contacts);
        REQUIRE_FALSE(w.report.diverged);
    }
    // T-43: sink 3 mm, lateral 1 mm, speed 1e-3 m/s; ten times that where the position itself has steps of 1 mm
    const Vec3d top = w.position(9);
    CHECK(std::abs(top.z - 1.9) < 3e-3 * tolerance);
    CHECK(std::hypot(top.x - far, top.y - far) < 1e-3 * tolerance);
    for (std::size_t i = 0; i < 10; ++i) CHECK(length(w.velocity(i)) < 1e-3 * tolerance);
}
