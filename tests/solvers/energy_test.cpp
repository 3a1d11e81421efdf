#include <cmath>

#include "world.h"

using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kDt = 1.0 / 60;

/// Shapes of 0.1 to 0.2 m that fall between four walls: balls, or boxes, balls, capsules and cylinders in turn.
model::ModelBuilder pile(int count, bool balls, int draw = 5)
{
    model::ModelBuilder b;
    b.add_ground_plane();
    for (const double side : {-1.2, 1.2}) {
        b.add_shape_box(-1, {{side, 0, 2}, {}}, {0.1, 1.3, 2}, {});
        b.add_shape_box(-1, {{0, side, 2}, {}}, {1.3, 0.1, 2}, {});
    }
    Random r(draw);
    for (int i = 0; i < count; ++i) {
        const Vec3d  p{-0.75 + 0.5 * (i % 4), -0.75 + 0.5 * (i / 4 % 4), 0.3 + 0.5 * (i / 16)};
        const auto   body = b.add_body({p, r.rotation()}, fmt::format("piece{}", i));
        const double s    = r.uniform(0.1, 0.2);
        switch (balls ? 1 : i % 4) {
            case 0:
                b.add_shape_box(body, {}, {s, 0.8 * s, 0.6 * s}, {});
                break;
            case 1:
                b.add_shape_sphere(body, {}, s, {});
                break;
            case 2:
                b.add_shape_capsule(body, {}, 0.6 * s, 0.6 * s, {});
                break;
            default:
                b.add_shape_cylinder(body, {}, 0.7 * s, 0.8 * s, {});
        }
    }
    return b;
}

/// A pelvis with two legs, each on three hinges through light links, as programs write a ball joint of URDF. The round
/// end of a thigh is about its hip and overlaps the pelvis, so that no motion changes their distance.
model::ModelBuilder walker()
{
    model::ModelBuilder b;
    b.gravity           = {};
    const auto  inertia = [](double i) { return i * Mat33d::identity(); };
    const Posed at{{0, 0, 1}, {}};
    const auto  pelvis = b.add_link(at, "pelvis", 6.6, {}, inertia(0.06));
    b.add_shape_capsule(pelvis, {{-0.02, 0, 0}, from_axis_angle({1, 0, 0}, -0.5 * kPi)}, 0.09, 0.07, {});
    std::vector<std::int32_t> joints{b.add_joint_free(pelvis)};
    for (const double side : {-1.0, 1.0}) {
        std::int32_t parent = pelvis;
        const Vec3d  hip{0, 0.1 * side, -0.04};
        int          i = 0;
        for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, 0, 1}, Vec3d{0, 1, 0}}) {
            const bool            last = i == 2;
            const auto            name = fmt::format("{}{}", side < 0 ? "right" : "left", i);
            const Posed           place{at.p + hip, {}};
            const auto            link = last ? b.add_link(place, name, 4.75, {0, 0, -0.17}, inertia(0.09))
                                              : b.add_link(place, name, 0.1, {}, inertia(1e-3));
            model::JointDofConfig d    = dof(axis);
            d.damping                  = 0.5;
            joints.push_back(b.add_joint_revolute(parent, link, {i == 0 ? hip : Vec3d{}, {}}, {}, d, name));
            if (last) b.add_shape_capsule(link, {{0, 0, -0.17}, {}}, 0.06, 0.17, {});
            parent = link;
            ++i;
        }
    }
    b.add_articulation(joints, "walker");
    return b;
}

/// Runs a scene; `visit(step, gain, stored)`: the energy that a step gains, and what springs of the same sink as its
/// contacts' store [J], half of each force over its penetration.
template <class Visit>
void watch_energy(World& w, int steps, Visit&& visit, double dt = kDt)
{
    collision::CollisionPipeline pipeline(w.model);
    model::Contacts              contacts = pipeline.make_contacts();
    double                       before   = dynamics::energy(w.model, w.state).total();
    for (int i = 0; i < steps; ++i) {
        pipeline.collide(w.state, dt, contacts);
        w.step(dt, &contacts);
        double stored = 0;
        for (std::int32_t k = 0; k < contacts.rigid_contact_count; ++k) {
            const Vec3d f = static_cast<Vec3d>(contacts.rigid_contact_force[k]),
                        n = static_cast<Vec3d>(contacts.rigid_contact_normal[k]);
            stored +=
                0.5 * std::abs(dot(f, n)) * std::max(0.0, -static_cast<double>(contacts.rigid_contact_distance[k]));
        }
        const double now = dynamics::energy(w.model, w.state).total();
        visit(i, now - before, stored);
        before = now;
    }
}

}  // namespace

TEST_CASE(
    "soft rows inject no energy: a pile of balls gains none, of other shapes less than a hundredth of what contacts "
    "hold "
    "(DYN-078)")
{
    for (const bool balls : {true, false}) {
        CAPTURE(balls);
        World  w(pile(48, balls));
        double second = 0;
        watch_energy(w, 360, [&](int i, double gain, double stored) {
            // Balls touch where they touched: nothing is gained but what a float rounds off (1e-7 of a position of a
            // metre, under a weight of 100 N). Manifolds are made anew every step; a point that appears lifts what it
            // finds inside, so of other shapes the bound is a hundredth of what the contacts hold; in double precision
            // this pile takes another way and gains up to 0.018 of it (docs/notes/softstep_log.md has figures of other
            // piles).
            const double share = sizeof(Real) == 4 ? 0.01 : 0.02;
            if (i >= 120) CHECK(gain <= (balls ? 1e-5 : share * stored + 1e-5));
            second += gain;
            if ((i + 1) % 60 == 0) {
                if (i > 60) CHECK(second <= 1e-5);
                second = 0;
            }
        });
    }
}

TEST_CASE("what is pushed out, as after a heavy body fell on a light one, gains no more than contacts held (DYN-078)")
{
    // 40 to 1 is more than sweeps can settle in the substeps of an impact. One pair alone, and as many as make a pile.
    for (const int pairs : {1, 80})
        for (int k = 0; k < 16; ++k) {
            CAPTURE(pairs);
            CAPTURE(k);
            model::ModelBuilder b;
            b.add_ground_plane();
            for (int i = 0; i < pairs; ++i) {
                const double x = i % 10, y = i / 10;
                const auto   light = b.add_body({{x, y, 0.1}, {}}, fmt::format("light{}", i)),
                             heavy = b.add_body({{x, y, 0.3 + k / 480.0}, {}}, fmt::format("heavy{}", i));
                b.add_shape_sphere(light, {}, 0.1, {.density = 1000});
                b.add_shape_sphere(heavy, {}, 0.1, {.density = 40000});
            }
            World w(b);
            for (int i = 0; i < pairs; ++i) w.state.joint_qd[static_cast<std::size_t>(6 * (2 * i + 1) + 2)] = -1;
            dynamics::project_to_joints(w.model, w.state);
            const double rounding = 1e-6 * dynamics::energy(w.model, w.state).total();
            double       held     = 0;
            watch_energy(w, 60, [&](int, double gain, double stored) {
                CHECK(gain <= std::max(held, stored) + rounding);
                held = stored;
            });
        }
    for (const int draw : {11, 157, 162}) {
        CAPTURE(draw);
        World  w(pile(48, false, draw));
        double held = 0;
        watch_energy(w, 240, [&](int, double gain, double stored) {
            CHECK(gain <= std::max(held, stored) + 1e-5);
            held = stored;
        });
    }
}

TEST_CASE("contacts between links whose distance no motion changes inject no energy (DYN-078)")
{
    // Without gravity the energy is that of the motion alone. Dampers take some away; nothing gives any.
    for (const double dt : {1.0 / 60, 1.0 / 100, 1.0 / 240})
        test::for_seeds(16, [&](Random& r) {
            CAPTURE(dt);
            World w(walker());  // upright: legs that begin inside one another would be pushed apart
            for (std::size_t i = 6; i < w.state.joint_qd.size(); ++i)
                w.state.joint_qd[i] = static_cast<Real>(r.uniform(-4, 4));
            dynamics::project_to_joints(w.model, w.state);
            const double start = dynamics::energy(w.model, w.state).total();
            double       most  = 0;
            watch_energy(
                w, 240, [&](int, double, double) { most = std::max(most, dynamics::energy(w.model, w.state).total()); },
                dt);
            // Terms of Coriolis are those of the substep before: at 4 rad/s it turns by half a degree.
            CHECK(most <= 1.01 * start);
        });
}
