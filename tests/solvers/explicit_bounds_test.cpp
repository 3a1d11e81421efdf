// What explicit solvers say of a step that they cannot take, and attachments under all solvers that move particles.
#include <cmath>
#include <limits>
#include <string>

#include "parity_world.h"

using namespace mechane;
using namespace mechane::test;
using model::ModelBuilder;

namespace {

constexpr double kDt = 1.0 / 600;

/// A mass of 0.1 kg on a spring of 100 N/m scaled so that h sqrt(k/m) is `ratio`.
ModelBuilder mass_on_spring(double ratio)
{
    ModelBuilder b;
    b.add_particle({0, 0, 1}, {}, 0, 0.0);
    b.add_particle({0, 0, 0.4}, {}, 0.1, 0.0);
    b.add_particle({0, 0, 0.5}, {}, 0, 0.0);
    b.add_spring(0, 1, 0.1 * std::pow(ratio / kDt, 2), 0);
    b.particles[1].q = {0, 0, 0.39};
    return b;
}

solvers::StepReport steps(Parity& w, int n, double dt)
{
    for (int i = 0; i < n; ++i) {
        w.pipeline.collide(w.state, dt, w.contacts);
        w.report = w.solver->step(w.state, w.state, w.control, &w.contacts, dt);
        if (w.report.diverged || !w.report.culprit.empty()) break;
    }
    return w.report;
}

double longest_said(const std::string& text)
{
    const auto at = text.find("steps below ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + 12));
}

}  // namespace

TEST_CASE("a spring beyond h sqrt(k/m) = 2 is flagged, with its name and the step it needs (SOFT-069)")
{
    for (const char* name : {"semi-implicit", "featherstone"}) {
        CAPTURE(name);
        Parity stable(mass_on_spring(1.58), name);
        steps(stable, 2000, kDt);
        CHECK_FALSE(stable.report.diverged);
        CHECK(std::abs(stable.state.particle_q[1].z - 0.4) < 0.05);

        Parity     unstable(mass_on_spring(2.03), name);
        const auto report = steps(unstable, 5000, kDt);
        REQUIRE(report.diverged);
        CHECK(report.culprit.find("particle 1") != std::string::npos);
        CHECK(report.culprit.find("spring 0") != std::string::npos);
        // The bound is exact for one mass on one spring: 2 sqrt(m/k) = kDt 2/2.03, printed with two digits.
        CHECK(longest_said(report.culprit) == close_to(kDt * 2 / 2.03, 1e-4));
        // Nothing of the lost step is handed on.
        CHECK(is_finite(unstable.state.particle_q[1]));
    }
}

TEST_CASE("the step that a failed one asks for is one that the model bears")
{
    // Cloth, tetrahedra and bending edges with stiffness that 1/600 s cannot carry.
    for (const char* name : {"semi-implicit", "featherstone"})
        for (const double k : {1e4, 1e6}) {
            CAPTURE(name);
            CAPTURE(k);
            const auto scene = [&] {
                ModelBuilder        b;
                model::ClothOptions how;
                how.tri = {k, k, 0, 0, 0}, how.edge = {.ke = 1e-5 * k, .kd = 0, .rest = {}}, how.particle_radius = 0.01;
                b.add_cloth_grid({{0, 0, 1}, {}}, {}, 3, 3, 0.1, 0.1, 0.01, false, {.top = true}, how);
                model::SoftOptions solid;
                solid.tet = {k, k, 0.1}, solid.density = 500, solid.particle_radius = 0.01;
                b.add_soft_grid({{1, 0, 0.5}, {}}, {}, {1, 1, 1}, {0.1, 0.1, 0.1}, {}, solid);
                return b;
            };
            Parity     lost(scene(), name);
            const auto report = steps(lost, 3000, kDt * 10);
            REQUIRE(report.diverged);
            const double h = longest_said(report.culprit);
            REQUIRE(h > 0);
            Parity kept(scene(), name);
            steps(kept, 2000, 0.9 * h);
            CHECK_FALSE(kept.report.diverged);
            CHECK(kept.report.culprit.empty());
        }
}

TEST_CASE("drives that a step cannot carry are named with the step they need")
{
    // A rod of 0.1 kg m^2 about its hinge with a drive of 1e6 N m/rad: 2 sqrt(I/k) = 6.3e-4 s.
    for (const char* name : {"semi-implicit", "featherstone"}) {
        CAPTURE(name);
        model::JointDofConfig d = dof({0, 1, 0});
        d.target_ke = 1e6, d.actuator_mode = model::TargetMode::position;
        const auto scene = pendulum(0, 0.1, 0.01, d);
        Parity     lost(scene, name);
        const auto report = steps(lost, 5000, 1.0 / 240);
        REQUIRE(report.diverged);
        CHECK(report.culprit.find("body 'bob'") != std::string::npos);
        CHECK(report.culprit.find("joint 'hinge'") != std::string::npos);
        const double h = longest_said(report.culprit);
        CHECK(h > 1e-4);
        CHECK(h < 6.4e-4);
        Parity kept(scene, name);
        steps(kept, 5000, 0.9 * h);
        CHECK_FALSE(kept.report.diverged);
        CHECK(std::abs(kept.q(0)) < 0.02);
    }
}

TEST_CASE("what weighs nothing stays where it is under every solver (SOFT-003)")
{
    for (const char* name : {"semi-implicit", "featherstone", "xpbd", "vbd", "softstep"}) {
        CAPTURE(name);
        ModelBuilder b;
        b.add_particle({0, 0, 1}, {1, 0, 0}, 0);
        b.add_particle({0, 0, 2}, {1, 0, 0}, 1, {}, 0);
        Parity w(b, name);
        steps(w, 60, kDt);
        CHECK(w.state.particle_q[0] == Vec3{0, 0, 1});
        CHECK(w.state.particle_q[1] == Vec3{0, 0, 2});
        CHECK(w.state.particle_qd[0] == Vec3{});
    }
}

TEST_CASE("a particle whose place is no number is named, and its world stays as it was (SOFT-076)")
{
    for (const char* name : {"semi-implicit", "featherstone", "xpbd", "vbd", "softstep"}) {
        CAPTURE(name);
        Parity w(mass_on_spring(0.1), name);
        w.state.particle_qd[1] = {std::numeric_limits<Real>::quiet_NaN(), 0, 0};
        w.pipeline.collide(w.state, kDt, w.contacts);
        const auto report = w.solver->step(w.state, w.state, w.control, &w.contacts, kDt);
        CHECK(report.diverged);
        CHECK(report.culprit.find("particle 1") != std::string::npos);
        CHECK(w.state.particle_q[1].z == doctest::Approx(0.39));
        // A force that is none counts as no force.
        w.state.particle_qd[1] = {};
        w.state.particle_f[1]  = {std::numeric_limits<Real>::quiet_NaN(), 0, 0};
        w.step(kDt);
        CHECK(is_finite(w.state.particle_q[1]));
    }
}

TEST_CASE(
    "attachments hold under every solver that moves particles: by mg/k, and fast where they do not give (SOFT-072)")
{
    for (const char* name : {"xpbd:iterations=10", "semi-implicit", "featherstone"})
        for (const double k : {1e3, std::numeric_limits<double>::infinity()}) {
            CAPTURE(name);
            CAPTURE(k);
            ModelBuilder b;
            const auto   body = b.add_link({{0, 0, 1}, {0, 0, 0, 1}}, "hook", 1, {}, Mat33d::identity());
            b.add_articulation({b.add_joint_fixed(model::kWorldBody, body, {{0, 0, 1}, {0, 0, 0, 1}}, {})});
            b.bodies[static_cast<std::size_t>(body)].flags = model::body_flag::kinematic;
            b.add_particle({0.1, 0, 1}, {}, 0.5, 0.0);
            b.add_attachment_particle_body(
                {.body = body, .particle = 0, .body_point = {0.1, 0, 0}, .stiffness = k, .damping = 20});
            Parity w(b, name);
            steps(w, 1800, kDt);
            CHECK_FALSE(w.report.diverged);
            // An explicit step cannot hold faster than its length: 2 g h^2 = 5e-5 m.
            CHECK(1 - static_cast<double>(w.state.particle_q[0].z) ==
                  close_to(std::isfinite(k) ? 0.5 * 9.81 / k : 0, 6e-5));
        }
}

TEST_CASE("what an attachment does to a particle it takes from the body")
{
    // A free body of 2 kg carries three particles off its centre; without gravity nothing changes their momentum.
    for (const char* name : {"xpbd:iterations=6", "semi-implicit", "featherstone"})
        for (const double k : {500.0, std::numeric_limits<double>::infinity()}) {
            CAPTURE(name);
            CAPTURE(k);
            ModelBuilder b;
            b.gravity       = {};
            const auto body = b.add_body({{0, 0, 0}, {0, 0, 0, 1}}, "hub", 2, {}, Mat33d::diagonal({0.05, 0.05, 0.05}));
            b.bodies[0].mass = 2, b.bodies[0].inertia = Mat33d::diagonal({0.05, 0.05, 0.05});
            for (int i = 0; i < 3; ++i) {
                const double a = 2 * kPi * i / 3;
                b.add_particle({0.2 * std::cos(a), 0.2 * std::sin(a), 0}, {1, 0, 0.5}, 0.3, 0.0);
                b.add_attachment_particle_body({.body       = body,
                                                .particle   = i,
                                                .body_point = {0.2 * std::cos(a), 0.2 * std::sin(a), 0},
                                                .stiffness  = k,
                                                .damping    = 1});
            }
            Parity     w(b, name);
            const auto momentum = [&] {
                Vec3d p = 2.0 * w.velocity(0);
                for (const Vec3& v : w.state.particle_qd) p += 0.3 * static_cast<Vec3d>(v);
                return p;
            };
            const Vec3d before = momentum();
            steps(w, 600, kDt);
            CHECK_FALSE(w.report.diverged);
            const Vec3d after = momentum();
            for (std::size_t i = 0; i < 3; ++i) CHECK(after[i] == close_to(before[i], 1e-4));
            for (std::size_t i = 0; i < 3; ++i) {
                // Where it was, on the body that has moved.
                const double a = 2 * kPi * static_cast<double>(i) / 3;
                const Vec3d at = static_cast<Posed>(w.state.body_q[0]) * Vec3d{0.2 * std::cos(a), 0.2 * std::sin(a), 0};
                CHECK(length(static_cast<Vec3d>(w.state.particle_q[i]) - at) < (std::isfinite(k) ? 0.02 : 2e-3));
            }
        }
}
