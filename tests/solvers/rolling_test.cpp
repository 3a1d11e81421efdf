#include <cmath>
#include <memory>

#include "mechane/geometry/mesh.h"
#include "support/allocations.h"
#include "world.h"

/// What rolls is touched at another point of it at every moment: contacts that a step found must follow.
using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kDt = 1.0 / 60, kGravity = 9.81, kRadius = 0.2, kRolling = 1e-4;  ///< the default mu_rolling [m]

enum class Floor { plane, box, mesh };
enum class Wheel { ball, capsule, cylinder, coin, spheroid };

void add_floor(model::ModelBuilder& b, Floor floor)
{
    switch (floor) {
        case Floor::plane:
            b.add_ground_plane();
            break;
        case Floor::box:
            b.add_shape_box(-1, {{0, 0, -1}, {}}, {100, 100, 1}, {});
            break;
        case Floor::mesh: {
            auto ground       = std::make_shared<geometry::Mesh>();
            ground->points    = {{-100, -100, 0}, {100, -100, 0}, {100, 100, 0}, {-100, 100, 0}};
            ground->triangles = {{0, 1, 2}, {0, 2, 3}};  // nothing rolls over the edge between them
            b.add_shape_mesh(-1, {}, {1, 1, 1}, std::move(ground), {});
            break;
        }
    }
}

/// About y, as is the axis of rolling. `turned`: the shape lies askew in its body, which changes nothing.
void add_wheel(model::ModelBuilder& b, Wheel kind, std::int32_t body, bool turned)
{
    const Quatd upright = from_rotation_vector(Vec3d{-kPi / 2, 0, 0});  // z onto y
    const Posed X{{}, turned ? upright * from_rotation_vector(Vec3d{0, 0, 0.7}) : upright};
    switch (kind) {
        case Wheel::ball:
            b.add_shape_sphere(body, X, kRadius, {});
            break;
        case Wheel::capsule:
            b.add_shape_capsule(body, X, kRadius, 0.2, {});
            break;
        case Wheel::cylinder:
            b.add_shape_cylinder(body, X, kRadius, 0.2, {});
            break;
        case Wheel::coin:
            b.add_shape_cylinder(body, X, kRadius, 0.01, {});
            break;
        case Wheel::spheroid:
            b.add_shape_ellipsoid(body, X, {kRadius, kRadius, 0.4}, {});
            break;
    }
}

const char* name_of(Wheel w)
{ return std::array{"ball", "capsule", "cylinder", "coin", "spheroid"}[static_cast<std::size_t>(w)]; }

/// The velocity of a free root, whose rates begin at `dof`.
void set_velocity(World& w, std::size_t dof, const Vec3d& linear, const Vec3d& angular)
{
    for (std::size_t k = 0; k < 3; ++k) {
        w.state.joint_qd[dof + k]     = static_cast<Real>(linear[k]);
        w.state.joint_qd[dof + 3 + k] = static_cast<Real>(angular[k]);
    }
    dynamics::project_to_joints(w.model, w.state);
}

void start_rolling(World& w, std::size_t body, double v) { set_velocity(w, 6 * body, {v, 0, 0}, {0, v / kRadius, 0}); }

/// Returns how often something was allocated in the last second.
std::size_t run(World& w, double seconds)
{
    const std::int64_t steps  = std::lround(seconds / kDt);
    std::size_t        before = 0;

    collision::CollisionPipeline pipeline(w.model);
    model::Contacts              contacts = pipeline.make_contacts();
    for (std::int64_t i = 0; i < steps; ++i) {
        if (i == steps - 60) before = allocations();
        pipeline.collide(w.state, kDt, contacts);
        w.step(kDt, &contacts);
        if (w.report.diverged) FAIL("diverged");
    }
    return allocations() - before;
}

/// Rolling resistance alone slows it down: its moment mu_rolling N acts against m v r (1 + I / m r^2).
double slowing(const World& w, std::size_t body)
{
    const double m = static_cast<double>(w.model.body_mass[body]),
                 I = static_cast<double>(w.model.body_inertia[body](1, 1));
    return kRolling * kGravity / (kRadius * (1 + I / (m * kRadius * kRadius)));
}

}  // namespace

TEST_CASE("what rolls on a level floor loses what rolling resistance takes and gains nothing (DYN-078)")
{
    for (const Floor floor : {Floor::plane, Floor::box, Floor::mesh})
        for (const Wheel kind : {Wheel::ball, Wheel::capsule, Wheel::cylinder, Wheel::coin, Wheel::spheroid})
            for (const int substeps : {1, 8}) {
                // An edge of two centimetres does not hold a coin upright over a whole step.
                if (kind == Wheel::coin && substeps == 1) continue;
                CAPTURE(static_cast<int>(floor));
                CAPTURE(name_of(kind));
                CAPTURE(substeps);
                model::ModelBuilder b;
                add_floor(b, floor);
                const double speeds[] = {0.1, 1, 5};
                for (int i = 0; i < 6; ++i)
                    add_wheel(b, kind, b.add_body({{30, 2.0 * i, kRadius}, {}}, fmt::format("wheel{}", i)), i >= 3);
                World w(b, substeps);
                for (std::size_t i = 0; i < 6; ++i) start_rolling(w, i, speeds[i % 3]);
                run(w, 5);
                for (std::size_t i = 0; i < 6; ++i) {
                    const double v = speeds[i % 3] - 5 * slowing(w, i);
                    CHECK(w.velocity(i).x == close_to(v, 2e-3));
                    CHECK(w.spin(i).y == close_to(v / kRadius, 1e-2));
                    CHECK(std::abs(w.velocity(i).y) < 1e-3);
                    // A soft contact sinks by g / w^2 under the weight, 1.1 mm at 15 Hz, a quarter of the substeps';
                    // one of two at the ends of a line by more.
                    CHECK(w.position(i).z == close_to(kRadius, substeps == 1 ? 2e-3 : 1e-3));
                }
            }
}

TEST_CASE("a hundred wheels, worked on side by side, roll as one does (DYN-078)")
{
    for (const Wheel kind : {Wheel::cylinder, Wheel::spheroid}) {
        CAPTURE(name_of(kind));
        model::ModelBuilder b;
        // Every other one stands first in its pair: the floor of one half comes after them.
        for (int i = 0; i < 100; ++i)
            add_wheel(b, kind, b.add_body({{0, 1.0 * i - 50, kRadius}, {}}, fmt::format("wheel{}", i)), i % 2 == 0);
        b.add_shape_box(-1, {{0, 0, -1}, {}}, {100, 100, 1}, {});
        World w(b);
        for (std::size_t i = 0; i < 100; ++i) start_rolling(w, i, 0.03 * static_cast<double>(i + 1));
        CHECK(run(w, 3) == 0);
        for (std::size_t i = 0; i < 100; ++i) {
            const double v = 0.03 * static_cast<double>(i + 1) - 3 * slowing(w, i);
            CHECK(w.velocity(i).x == close_to(v, 2e-3));
            CHECK(w.position(i).z == close_to(kRadius, 1e-3));
        }
    }
}

TEST_CASE("a cart on four wheels coasts")
{
    // Massive wheels on hinges; a cylinder each, on a plane.
    model::ModelBuilder b;
    b.add_ground_plane();
    const auto                chassis = b.add_link({{0, 0, kRadius}, {}}, "chassis", 10, {}, Mat33d::identity());
    std::vector<std::int32_t> joints{b.add_joint_free(chassis, "root")};
    for (int i = 0; i < 4; ++i) {
        const Vec3d at{i < 2 ? 0.5 : -0.5, i % 2 == 0 ? 0.4 : -0.4, 0};
        const auto  wheel = b.add_link({at + Vec3d{0, 0, kRadius}, {}}, fmt::format("wheel{}", i));
        b.add_shape_cylinder(wheel, {{}, from_rotation_vector(Vec3d{-kPi / 2, 0, 0})}, kRadius, 0.05, {});
        joints.push_back(b.add_joint_revolute(chassis, wheel, {at, {}}, {}, dof({0, 1, 0}), fmt::format("hinge{}", i)));
    }
    b.add_articulation(joints, "cart");
    World w(b);
    for (std::size_t i = 0; i < 4; ++i) w.state.joint_qd[6 + i] = static_cast<Real>(2 / kRadius);
    set_velocity(w, 0, {2, 0, 0}, {});
    const double before = dynamics::energy(w.model, w.state).total();
    run(w, 5);
    // Resistance acts on every wheel with what it carries: in all on the whole weight. Its power is the loss.
    double mass = 0, m_wheel = 0, I = 0;
    for (std::size_t i = 0; i < w.model.body_count(); ++i) mass += static_cast<double>(w.model.body_mass[i]);
    for (std::size_t i = 1; i < 5; ++i) {
        m_wheel = static_cast<double>(w.model.body_mass[i]);
        I += static_cast<double>(w.model.body_inertia[i](1, 1));
    }
    CHECK(m_wheel > 0);
    const double a = kRolling * mass * kGravity / (kRadius * (mass + I / (kRadius * kRadius)));
    CHECK(w.velocity(0).x == close_to(2 - 5 * a, 5e-3));
    CHECK(dynamics::energy(w.model, w.state).total() < before);
}

TEST_CASE("a disc rolls on along its edge, leaning, and loses no more than resistance takes (DYN-078)")
{
    model::ModelBuilder b;
    b.add_ground_plane();
    const double lean = 0.35;
    const Quatd  q    = from_rotation_vector(Vec3d{lean, 0, 0});
    const double h    = kRadius * std::cos(lean) + 0.01 * std::sin(lean);
    const auto   body = b.add_body({{0, 0, h}, q}, "disc");
    add_wheel(b, Wheel::coin, body, false);
    World       w(b);
    const Vec3d spin = (1.5 / kRadius) * rotate(q, Vec3d{0, 1, 0}) + Vec3d{0, 0, 2};
    set_velocity(w, 0, {1.5, 0, 0}, spin);
    collision::CollisionPipeline pipeline(w.model);
    model::Contacts              contacts = pipeline.make_contacts();
    double                       before   = kInfinity;
    for (int i = 0; i < 300; ++i) {
        pipeline.collide(w.state, kDt, contacts);
        w.step(kDt, &contacts);
        const double now = dynamics::energy(w.model, w.state).total();
        CHECK(now < before + 1e-4);
        before = now;
    }
    // It has not fallen: it was 9.0 J, and lying flat 0.25.
    CHECK(before > 7);
}

TEST_CASE("a slender cylinder that rocks on its rim is never driven towards falling over (DYN-078)")
{
    // Its centre would have to rise from 1 m to sqrt(1 + 0.3^2) m. A step may push out what it finds too deep; of that
    // way all steps together go a fiftieth at most.
    constexpr double kHalf = 1, kAcross = 0.3, kMass = 565;
    const double     barrier = kMass * kGravity * (std::hypot(kHalf, kAcross) - kHalf);
    for (const Floor floor : {Floor::plane, Floor::box})
        for (const double tilt : {0.5, 2.0, 5.0})
            for (const double spin : {0.0, 0.35, 3.0})
                for (const auto& [dt, substeps] : {std::pair{kDt, 8}, {kDt, 32}, {kDt / 4, 8}}) {
                    CAPTURE(static_cast<int>(floor));
                    CAPTURE(tilt);
                    CAPTURE(spin);
                    CAPTURE(dt);
                    CAPTURE(substeps);
                    model::ModelBuilder b;
                    add_floor(b, floor);
                    const Quatd  q    = from_rotation_vector(Vec3d{tilt * kPi / 180, 0, 0});
                    const double a    = tilt * kPi / 180;
                    const auto   body = b.add_body({{0, 0, kHalf * std::cos(a) + kAcross * std::sin(a)}, q}, "post");
                    b.add_shape_cylinder(body, {}, kAcross, kHalf,
                                         {.density = kMass / (kPi * kAcross * kAcross * 2 * kHalf)});
                    World w(b, substeps);
                    set_velocity(w, 0, {}, {0, 0, spin});
                    collision::CollisionPipeline pipeline(w.model);
                    model::Contacts              contacts = pipeline.make_contacts();
                    double                       least = kInfinity, rise = 0;
                    for (int i = 0; i < static_cast<int>(8 / dt); ++i) {
                        pipeline.collide(w.state, dt, contacts);
                        w.step(dt, &contacts);
                        const double now = dynamics::energy(w.model, w.state).total();
                        rise             = std::max(rise, now - least);
                        least            = std::min(least, now);
                    }
                    CHECK(rise < 0.02 * barrier);
                    // Of the spin some may go into rocking.
                    CHECK(w.position(0).z < kHalf * std::cos(a) + kAcross * std::sin(a) + 2e-3);
                }
}

TEST_CASE("what stands within the round face of a turntable stays where it is, as on a square one")
{
    // Friction holds it: w^2 r = 2 m/s^2 of 9.81. A table of four corners has nothing that rolls.
    double radius[2] = {};
    for (const bool round : {false, true}) {
        model::ModelBuilder b;
        const auto          table = b.add_link({{0, 0, 0.5}, {}}, "table", 50);
        const auto          hinge = b.add_joint_revolute(-1, table, {{0, 0, 0.5}, {}}, {}, dof({0, 0, 1}));
        b.add_articulation({hinge});
        model::ShapeConfig rough = b.default_shape;
        rough.mu                 = 1;
        if (round)
            b.add_shape_cylinder(table, {}, 1, 0.1, rough);
        else
            b.add_shape_box(table, {}, {1, 1, 0.1}, rough);
        const auto box = b.add_body({{0.5, 0, 0.7}, {}}, "box", 1);
        b.add_shape_box(box, {}, {0.1, 0.1, 0.1}, rough);
        World w(b);
        collision::CollisionPipeline pipeline(w.model);
        model::Contacts              contacts = pipeline.make_contacts();
        for (int i = 0; i < 300; ++i) {
            w.state.joint_qd[0] = 2;
            pipeline.collide(w.state, kDt, contacts);
            w.step(kDt, &contacts);
        }
        radius[round] = std::hypot(w.position(1).x, w.position(1).y);
    }
    CHECK(radius[1] == close_to(radius[0], 1e-3));
}

namespace {

/// A cube of 0.25 m whose centre of mass lies 0.48 m beyond a corner, which stands on the ground: a pendulum below it,
/// in the plane at `heading`, that is let go at `tilt` and turns about the upright at `spin`.
void add_cube_on_its_corner(model::ModelBuilder& b, const Vec3d& at, double heading, double tilt)
{
    const Quatd q    = from_axis_angle(Vec3d{-std::sin(heading), std::cos(heading), 0}, tilt) *
                       rotation_between(normalized(Vec3d{1, 1, 1}), Vec3d{0, 0, -1});
    const auto  body = b.add_body({at - rotate(q, Vec3d{0.125, 0.125, 0.125}), q}, "cube", 10, {0.4, 0.4, 0.4},
                                  10 * 0.0625 / 6 * Mat33d::identity());
    b.add_shape_box(body, {}, {0.125, 0.125, 0.125}, {.density = 0});
}

}  // namespace

TEST_CASE("what swings about a corner loses what rolling and torsional friction take, and no more (DYN-078)")
{
    struct Case {
        Floor  floor;
        double heading, tilt, spin, dt;
    };
    const Case cases[] = {{Floor::plane, 0, 0.6, 0, 1.0 / 60}, {Floor::box, 0.7, 0.6, 0, 1.0 / 60},
                          {Floor::mesh, 2, 0.3, 0, 1.0 / 60},  {Floor::box, 1, 0.5, 1.5, 1.0 / 60},
                          {Floor::box, 1, 0.2, 0, 1.0 / 60},   {Floor::plane, 3, 0.6, -1, 1.0 / 120}};
    for (const Case& c : cases) {
        CAPTURE(static_cast<int>(c.floor));
        CAPTURE(c.tilt);
        CAPTURE(c.spin);
        model::ModelBuilder b;
        add_floor(b, c.floor);
        add_cube_on_its_corner(b, {0.3, 0.8, 0}, c.heading, c.tilt);  // off the edge between two triangles
        World        w(b);
        const double mass = 10, h = c.dt / 8, torsional = 0.005;
        if (c.spin != 0) {
            const Vec3d arm = rotate(static_cast<Quatd>(w.state.body_q[0].q), Vec3d{0.275, 0.275, 0.275});
            set_velocity(w, 0, cross(Vec3d{0, 0, c.spin}, arm), {0, 0, c.spin});
        }
        collision::CollisionPipeline pipeline(w.model);
        model::Contacts              contacts = pipeline.make_contacts();
        // A substep takes gravity at its beginning and moves with the velocity of its end: what is kept is the energy
        // with the height of half a substep before.
        const auto energy = [&] {
            return dynamics::energy(w.model, w.state).total() - 0.5 * h * mass * kGravity * w.velocity(0).z;
        };
        const double start = energy(), rest = -mass * kGravity * 0.275 * std::sqrt(3.0);
        double       taken = 0, highest = start;
        const int    steps = static_cast<int>(std::lround(20 / c.dt));
        for (int i = 0; i < steps; ++i) {
            pipeline.collide(w.state, c.dt, contacts);
            w.step(c.dt, &contacts);
            double pressed = 0;
            int    carry   = 0;
            for (std::int32_t k = 0; k < contacts.rigid_contact_count; ++k) {
                const double n = std::abs(static_cast<double>(contacts.rigid_contact_force[k].z));
                pressed += n;
                carry += n > 0 ? 1 : 0;
            }
            REQUIRE(carry == 1);
            const Vec3d spin = w.spin(0);
            taken += c.dt * pressed * (kRolling * std::hypot(spin.x, spin.y) + torsional * std::abs(spin.z));
            if (i % 60 == 59) {
                const double now = energy();
                CHECK(now <= highest + 1e-5 * (start - rest));
                highest = now;
            }
        }
        const double lost = start - energy();
        CHECK(taken > 0.001 * (start - rest));
        CHECK(lost == close_to(taken, 0.05 * taken + 1e-3 * (start - rest)));
    }
}
