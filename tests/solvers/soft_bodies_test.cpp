// What is soft under every solver, and beside bodies (spec soft.md sections 3 to 6).
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "mechane/core/hash.h"
#include "mechane/solvers/soft_energy.h"
#include "world.h"

using namespace mechane;
using model::ModelBuilder;

namespace {

/// A model that a named solver steps.
struct Run {
    model::Model                     model;
    model::State                     state;
    model::Control                   control;
    Diagnostics                      notices;
    tasks::Pool                      pool;
    std::unique_ptr<solvers::Solver> solver;
    solvers::StepReport              report;

    Run(const ModelBuilder& b, const std::string& name, int substeps = 1, int threads = 1)
        : model(test::finalized(b)), state(model::make_state(model)), control(model::make_control(model)), pool(threads)
    {
        auto made = solvers::make_solver(name, model, {.substeps = substeps, .pool = &pool}, notices);
        REQUIRE(made);
        solver = std::move(*made);
    }
    void run(int steps, double dt)
    {
        collision::CollisionPipeline pipeline(model, {.pool = &pool});
        model::Contacts              contacts = pipeline.make_contacts();
        for (int i = 0; i < steps; ++i) {
            if (model.shape_count() > 0) pipeline.collide(state, dt, contacts);
            report = solver->step(state, state, control, model.shape_count() > 0 ? &contacts : nullptr, dt);
            REQUIRE_FALSE(report.diverged);
        }
    }
    [[nodiscard]] Vec3d at(std::size_t p) const { return static_cast<Vec3d>(state.particle_q[p]); }
    [[nodiscard]] bool  finite() const
    {
        return std::all_of(state.particle_q.begin(), state.particle_q.end(),
                           [](const Vec3& p) { return is_finite(p); });
    }
};

constexpr double kDt = 1.0 / 600;

ModelBuilder spring(double kd)
{
    ModelBuilder b;
    b.add_particle({0, 0, 1}, {}, 0, 0.0);
    b.add_particle({0, 0, 0.5}, {}, 0.1, 0.0);
    b.add_spring(0, 1, 100, kd);
    return b;
}

/// Two flaps, three corners held, the fourth swings (spec soft.md 3.8, R2).
ModelBuilder hinge()
{
    ModelBuilder b;
    b.add_particle({-1, 0.5, 0}, {}, 0, 0.0);
    b.add_particle({0, 0, 0}, {}, 0, 0.0);
    b.add_particle({0, 1, 0}, {}, 0, 0.0);
    b.add_particle({1, 0.5, 0}, {}, 0.01, 0.0);
    b.add_triangle(0, 1, 2, {1000, 1000, 0, 0, 0});
    b.add_triangle(2, 1, 3, {1000, 1000, 0, 0, 0});
    b.add_edge(0, 3, 1, 2, {.ke = 0.1, .kd = 0, .rest = {}});
    return b;
}

/// A tetrahedron whose apex hangs from three held corners (R3).
ModelBuilder hanging_tet()
{
    ModelBuilder b;
    b.add_particle({0, 0, 0}, {}, 0, 0.0);
    b.add_particle({0.2, 0, 0}, {}, 0, 0.0);
    b.add_particle({0, 0.2, 0}, {}, 0, 0.0);
    b.add_particle({0, 0, -0.2}, {}, 0.1, 0.0);
    b.add_tetrahedron(0, 2, 1, 3, {1e4, 1e4, 0});
    return b;
}

ModelBuilder cable(int segments, double length, double radius, double E, bool held)
{
    // Built by hand: capsules of one length along x, balls of rods between them, the first segment held.
    ModelBuilder              b;
    std::vector<std::int32_t> joints;
    const double              l = length / segments, I = kPi * std::pow(radius, 4) / 4;
    const Quatd               along = from_axis_angle(Vec3d{0, 1, 0}, kPi / 2);
    for (int i = 0; i < segments; ++i) {
        const double mass = 1000 * kPi * radius * radius * l, t = mass * l * l / 12, s = mass * radius * radius / 2;
        const std::int32_t body = b.add_link({{(i + 0.5) * l, 0, 0}, along}, "segment_" + std::to_string(i), mass, {},
                                             Mat33d::from_columns({t, 0, 0}, {0, t, 0}, {0, 0, s}));
        if (i == 0) {
            joints.push_back(held ? b.add_joint_fixed(-1, body, b.bodies[0].q, {}) : b.add_joint_free(body));
            continue;
        }
        model::BuilderJoint rod;
        rod.type          = model::JointType::rod;
        rod.parent        = body - 1;
        rod.child         = body;
        rod.parent_xform  = {{0, 0, 0.5 * l}, {}};
        rod.child_xform   = {{0, 0, -0.5 * l}, {}};
        rod.rest_rotation = Quatd{};
        const auto axis   = [](const Vec3d& a, double ke, double kd) {
            model::JointDofConfig d;
            d.axis = a, d.target_ke = ke, d.target_kd = kd, d.actuator_mode = model::TargetMode::none;
            return d;
        };
        rod.linear_axes  = {axis({1, 0, 0}, 1e5, 0), axis({0, 1, 0}, 1e5, 0), axis({0, 0, 1}, 1e5, 0)};
        rod.angular_axes = {axis({1, 0, 0}, E * I / l, 0.002), axis({0, 1, 0}, E * I / l, 0.002),
                            axis({0, 0, 1}, E * I / l, 0.002)};
        joints.push_back(b.add_joint(std::move(rod)));
    }
    b.add_articulation(joints);
    return b;
}

}  // namespace

TEST_CASE("springs, hinges and tetrahedra of Newton's rows go Newton's way under xpbd (SOFT-060, R1, R2, R3)")
{
    // Newton 1.8 on a CPU, h = 1/600 s, 2 passes (spec soft.md 3.8).
    SUBCASE("R1: a mass on a spring")
    {
        const double want[] = {.48117, .49849, .48257, .49721, .48375, .49611, .48476, .49518, .48561, .4944};
        Run          run(spring(0), "xpbd:iterations=2,soft_laws=0");
        for (const double z : want) {
            run.run(60, kDt);
            CHECK(std::abs(run.at(1).z - z) < 2e-4);
        }
    }
    SUBCASE("R2: a flap about its hinge, kept in shape by two springs")
    {
        ModelBuilder b = hinge();
        b.add_spring(1, 3, 1e4, 0);
        b.add_spring(2, 3, 1e4, 0);
        Run run(b, "xpbd:iterations=2,soft_laws=0");
        run.run(100, kDt);
        CHECK(std::abs(run.at(3).x - .99101) < 2e-4);
        CHECK(std::abs(run.at(3).z - -.1338) < 2e-4);
        run.run(100, kDt);
        CHECK(std::abs(run.at(3).x - .88115) < 2e-4);
        CHECK(std::abs(run.at(3).z - -.47288) < 2e-4);
    }
    SUBCASE("R3a: a tetrahedron")
    {
        Run run(hanging_tet(), "xpbd:iterations=2,soft_laws=0");
        run.run(100, kDt);
        CHECK(std::abs(run.at(3).z - -.20063) < 2e-4);
        run.run(500, kDt);
        CHECK(std::abs(run.at(3).z - -.20059) < 2e-4);
    }
}

TEST_CASE("the same under semi-implicit by Newton's forces (SOFT-060)")
{
    SUBCASE("R1a")
    {
        const double want[] = {.48039, .49998, .48042, .49994, .48046, .49989, .48052, .49982, .4806, .49973};
        Run          run(spring(0), "semi-implicit:soft_laws=0");
        for (const double z : want) {
            run.run(60, kDt);
            CHECK(std::abs(run.at(1).z - z) < 2e-4);
        }
    }
    SUBCASE("R1b, damped")
    {
        const double want[] = {.48255, .49614, .48556, .49379, .48739, .49237, .4885, .4915, .48917, .49098};
        Run          run(spring(0.5), "semi-implicit:soft_laws=0");
        for (const double z : want) {
            run.run(60, kDt);
            CHECK(std::abs(run.at(1).z - z) < 2e-4);
        }
    }
    SUBCASE("R2")
    {
        Run run(hinge(), "semi-implicit:soft_laws=0");
        run.run(100, kDt);
        CHECK(std::abs(run.at(3).x - .99103) < 2e-4);
        CHECK(std::abs(run.at(3).z - -.13394) < 2e-4);
        run.run(100, kDt);
        CHECK(std::abs(run.at(3).x - .88065) < 2e-4);
        CHECK(std::abs(run.at(3).z - -.47401) < 2e-4);
    }
    SUBCASE("R3a")
    {
        const double want[] = {-.20036, -.20118, -.20214, -.20289, -.20314, -.20279};
        Run          run(hanging_tet(), "semi-implicit:soft_laws=0");
        for (const double z : want) {
            run.run(100, kDt);
            CHECK(std::abs(run.at(3).z - z) < 2e-4);
        }
    }
}

TEST_CASE("every solver reaches the static stretch of a spring, mg/k (SOFT-050, 4.1)")
{
    // kd = 2 sqrt(k m) lets it rest at once.
    for (const char* name : {"softstep", "vbd", "xpbd:iterations=10", "semi-implicit", "featherstone"}) {
        CAPTURE(name);
        Run run(spring(2 * std::sqrt(10.0)), name);
        run.run(1200, kDt);
        CHECK(run.at(1).z == doctest::Approx(0.5 - 9.81 * 0.1 / 100).epsilon(1e-3));
    }
}

TEST_CASE("a membrane without a stiffness against area keeps its shape under every solver (SOFT-052, SOFT-053)")
{
    // A square, its upper edge held, 0.1 kg at each lower corner: strain f / (b E2) with E2 = 4 mu (l+mu)/(l+2mu) = 2
    // mu for l = 0 (4.4): 2 * 0.981 / (1 * 200) = 0.00981.
    for (const char* name : {"softstep", "vbd:iterations=40", "xpbd:iterations=40", "semi-implicit"}) {
        CAPTURE(name);
        ModelBuilder b;
        b.add_particle({0, 0, 1}, {}, 0, 0.0);
        b.add_particle({1, 0, 1}, {}, 0, 0.0);
        b.add_particle({1, 0, 0}, {}, 0.1, 0.0);
        b.add_particle({0, 0, 0}, {}, 0.1, 0.0);
        b.add_triangle(0, 1, 2, {100, 0, 2, 0, 0});
        b.add_triangle(0, 2, 3, {100, 0, 2, 0, 0});
        Run run(b, name);
        run.run(3000, kDt);
        CHECK(-run.at(2).z == doctest::Approx(0.00981).epsilon(0.12));
        CHECK(run.at(3).x == doctest::Approx(0).epsilon(1).scale(0.02));
    }
}

TEST_CASE(
    "the apex of a tetrahedron on three held corners sinks by mg H^2 / V (lambda + 2 mu) (SOFT-054, SOFT-055, 4.2)")
{
    for (const char* name : {"softstep", "vbd:iterations=20", "xpbd:iterations=20", "semi-implicit"}) {
        CAPTURE(name);
        ModelBuilder b     = hanging_tet();
        b.tets[0].material = {1e4, 1e4, 100};
        Run run(b, name);
        run.run(1500, kDt);
        // V = 0.2^3 / 6, H = 0.2: 1000 N/m, and 0.981 N hang on it.
        CHECK(run.at(3).z == doctest::Approx(-0.2 - 0.981 / 1000).epsilon(2e-4));
    }
    // Without a stiffness against volume it still resists.
    ModelBuilder b     = hanging_tet();
    b.tets[0].material = {1e4, 0, 100};
    Run run(b, "xpbd:iterations=20");
    run.run(600, kDt);
    CHECK(run.at(3).z > -0.21);
}

TEST_CASE("the stiffness of a spring under xpbd does not depend on the number of passes (SOFT-051)")
{
    for (const char* laws : {",soft_laws=0", ",soft_laws=1"}) {
        std::vector<double> z;
        for (const char* passes : {"2", "10", "50"}) {
            Run run(spring(1), "xpbd:iterations=" + std::string(passes) + laws);
            run.run(100, kDt);
            z.push_back(run.at(1).z);
        }
        CHECK(std::abs(z[0] - z[1]) < 1e-5);
        CHECK(std::abs(z[0] - z[2]) < 1e-5);
    }
}

TEST_CASE("many stiff springs on one particle stay where they are (SOFT-064)")
{
    for (const char* name : {"xpbd", "vbd", "softstep"}) {
        CAPTURE(name);
        ModelBuilder b;
        const auto   middle = b.add_particle({0, 0, 0}, {}, 0.01, 0.0);
        for (int i = 0; i < 16; ++i) {
            const double a = 2 * kPi * i / 16;
            b.add_spring(b.add_particle({std::cos(a), std::sin(a), 0.3}, {}, 0, 0.0), middle, 1e6, 0);
        }
        Run run(b, name);
        run.run(600, kDt);
        CHECK(length(run.at(0)) < 1e-3);
    }
}

TEST_CASE("balls that overlap move apart without speed, and Newton's fly apart (SOFT-062)")
{
    const auto two = [] {
        ModelBuilder b;
        b.gravity = {};
        b.add_particle({0, 0, 0}, {}, 0.1, 0.05);
        b.add_particle({0.08, 0, 0}, {}, 0.1, 0.05);
        return b;
    };
    Run ours(two(), "xpbd:iterations=2");
    ours.run(60, kDt);
    CHECK(ours.at(1).x - ours.at(0).x == doctest::Approx(0.1).epsilon(1e-3));
    CHECK(length(static_cast<Vec3d>(ours.state.particle_qd[0])) < 1e-6);
    // (1 - 0.1^2) 0.02 / (2 h) = 5.94 m/s.
    Run newton(two(), "xpbd:iterations=2,soft_laws=0");
    newton.run(1, kDt);
    CHECK(static_cast<double>(newton.state.particle_qd[1].x) == doctest::Approx(5.94).epsilon(1e-3));
}

TEST_CASE(
    "a grid whose balls are larger than its cells rests as it was built, under every solver, and one line says so")
{
    for (const char* name : {"softstep", "vbd", "xpbd:iterations=4", "semi-implicit", "featherstone"}) {
        CAPTURE(name);
        ModelBuilder b;
        b.gravity = {};
        b.add_soft_grid({}, {}, {1, 4, 1}, {0.05, 0.05, 0.05}, {}, {.density = 1000, .particle_radius = 0.1});
        const std::vector<Vec3d> start = [&] {
            std::vector<Vec3d> out;
            for (const auto& p : b.particles) out.push_back(p.q);
            return out;
        }();
        Run run(b, name);
        run.run(51, 1.0 / 20000);
        double moved = 0;
        for (std::size_t p = 0; p < start.size(); ++p) moved = std::max(moved, length(run.at(p) - start[p]));
        CHECK(moved < 1e-6);
        CHECK(std::count_if(run.notices.items().begin(), run.notices.items().end(), [](const Diagnostic& d) {
                  return d.id == "SOLVER_APPROXIMATES" && d.message.find("do not push each other") != std::string::npos;
              }) == 1);
    }
    // Newton's laws push them apart, and no line says otherwise.
    ModelBuilder b;
    b.gravity = {};
    b.add_soft_grid({}, {}, {1, 4, 1}, {0.05, 0.05, 0.05}, {}, {.density = 1000, .particle_radius = 0.1});
    Run newton(b, "xpbd:iterations=4,soft_laws=0");
    newton.run(1, 1.0 / 20000);
    double moved = 0;
    for (std::size_t p = 0; p < b.particles.size(); ++p)
        moved = std::max(moved, length(newton.at(p) - b.particles[p].q));
    CHECK(moved > 1e-3);
}

TEST_CASE("balls meet under every solver, and keep their momentum (SOFT-071)")
{
    for (const char* name : {"softstep", "vbd", "xpbd:iterations=4", "semi-implicit", "featherstone"}) {
        CAPTURE(name);
        ModelBuilder b;
        b.gravity = {};
        b.add_particle({0, 0, 0}, {1, 0, 0}, 0.1, 0.05);
        b.add_particle({0.2, 0, 0}, {}, 0.3, 0.05);
        Run run(b, name);
        run.run(300, 1.0 / 2400);
        double momentum = 0;
        for (std::size_t p = 0; p < 2; ++p)
            momentum +=
                static_cast<double>(run.model.particle_mass[p]) * static_cast<double>(run.state.particle_qd[p].x);
        CHECK(momentum == doctest::Approx(0.1).epsilon(1e-4));
        CHECK(static_cast<double>(run.state.particle_qd[1].x) > 0.02);
    }
}

TEST_CASE("particles of every solver rest on a plane (SOFT-065)")
{
    for (const char* name : {"softstep", "vbd", "xpbd", "semi-implicit", "featherstone"}) {
        CAPTURE(name);
        ModelBuilder b;
        b.add_particle({0, 0, 0.2}, {}, 0.1, 0.05);
        b.add_ground_plane();
        Run run(b, name);
        run.run(1200, kDt);
        // Penalties sink by mg / ke, the mean of 1e3 and 2500 N/m; rows do not.
        CHECK(run.at(0).z == doctest::Approx(0.05).epsilon(0.02));
        CHECK(length(static_cast<Vec3d>(run.state.particle_qd[0])) < 0.02);
    }
}

TEST_CASE("a falling sheet with drag falls at the speed where drag carries it (drag of triangles)")
{
    // m g = drag A v^2: 0.3 kg on 0.5 m2 with drag 1 falls at sqrt(0.6 * 9.81) m/s.
    for (const char* name : {"softstep", "vbd", "semi-implicit"}) {
        CAPTURE(name);
        ModelBuilder b;
        for (const Vec3d& p : {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{1, 1, 0}}) b.add_particle(p, {}, 0.1, 0.0);
        b.add_triangle(0, 1, 2, {1000, 1000, 0, 1, 0});
        Run run(b, name);
        run.run(1800, kDt);
        double v = 0;
        for (const Vec3& qd : run.state.particle_qd) v -= static_cast<double>(qd.z) / 3;
        CHECK(v == doctest::Approx(std::sqrt(0.6 * 9.81)).epsilon(0.01));
    }
}

TEST_CASE("a soft bar under its own weight stretches by rho g L^2 / 2E (SOFT-070, 4.3)")
{
    ModelBuilder       b;
    model::SoftOptions how;
    how.tet             = {5e4, 0, 50};
    how.density         = 1000;
    how.particle_radius = 0.0;
    b.add_soft_grid({{-0.05, -0.05, -1}, {}}, {}, {1, 1, 10}, {0.1, 0.1, 0.1}, {}, how);
    for (model::BuilderParticle& p : b.particles)
        if (p.q.z > -1e-9) p.mass = 0;
    Run run(b, "softstep", 8);
    run.run(180, 1.0 / 60);
    // E = 2 mu for lambda = 0: 1e5 Pa; 1000 * 9.81 / 2e5 m.
    CHECK(-1 - run.at(0).z == doctest::Approx(0.04905).epsilon(0.03));
}

TEST_CASE("a soft cantilever bends as Euler and Bernoulli say (4.6 for a beam of tetrahedra)")
{
    // A beam of 1 m with a section of 0.1 m by 0.1 m, E 1e6, nu 0, let go in a weak field: undamped, its end swings to
    // twice the sag w L^4 / 8EI and the w L^2 / 2 GA' that Timoshenko adds. Linear tetrahedra are stiffer than the
    // beam, with 16 x 2 x 2 cells by less than a half. Steps are short, so that the sweeps of a step suffice.
    ModelBuilder       b;
    model::SoftOptions how;
    how.tet             = {5e5, 0, 0};
    how.density         = 100;
    how.particle_radius = 0.0;
    const int n         = 16;
    b.gravity           = {0, 0, -0.5};
    b.add_soft_grid({{0, -0.05, -0.05}, {}}, {}, {n, 2, 2}, {1.0 / n, 0.05, 0.05}, {.left = true}, how);
    Run    run(b, "vbd:iterations=15");
    double swing = 0;
    for (int i = 0; i < 50; ++i) {
        run.run(20, 1.0 / 2400);
        double tip   = 0;
        int    count = 0;
        for (std::size_t p = 0; p < b.particles.size(); ++p)
            if (b.particles[p].q.x > 1 - 1e-9) tip += b.particles[p].q.z - run.at(p).z, ++count;
        swing = std::max(swing, tip / count);
    }
    const double w = 100 * 0.01 * 0.5, EI = 1e6 * std::pow(0.1, 4) / 12, GA = 5.0 / 6 * 5e5 * 0.01;
    const double beam = w / (8 * EI) + w / (2 * GA);
    CHECK(swing / 2 < 1.05 * beam);
    CHECK(swing / 2 > 0.5 * beam);
}

TEST_CASE("a cable clamped at its first segment sags by w L^4 / 8EI, and its rods do not come apart (SOFT-073)")
{
    // 20 segments of 50 mm, 10 mm thick; stiff, so that the sag is small.
    const double r = 0.01, E = 4e8, L = 1;
    Run          run(cable(20, L, r, E, true), "softstep", 8);
    run.run(600, 1.0 / 100);
    const double I = kPi * std::pow(r, 4) / 4, w = 1000 * kPi * r * r * 9.81;
    // The clamped segment does not bend: the free length is 0.95 m and the first spring sits at its beginning.
    const Posed  last = static_cast<Posed>(run.state.body_q.back());
    const double tip  = (last * Vec3d{0, 0, 0.025}).z;
    CHECK(-tip == doctest::Approx(w * std::pow(0.95, 4) / (8 * E * I)).epsilon(0.08));
    for (std::size_t i = 1; i < run.state.body_q.size(); ++i)
        CHECK(length(static_cast<Posed>(run.state.body_q[i - 1]) * Vec3d{0, 0, 0.025} -
                     static_cast<Posed>(run.state.body_q[i]) * Vec3d{0, 0, -0.025}) < 1e-5);
}

TEST_CASE("a soft block between two bodies that push is squeezed and held, and pushes back as hard (SOFT-074, 5.2)")
{
    // Two plates on slides press a block of 0.1 m against gravity with 20 N each; friction holds it.
    ModelBuilder       b;
    model::SoftOptions how;
    how.tet             = {2e4, 2e4, 20};
    how.density         = 200;
    how.particle_radius = 0.004;
    b.add_soft_grid({{-0.05, -0.05, 0.45}, {}}, {}, {3, 3, 3}, {0.1 / 3, 0.1 / 3, 0.1 / 3}, {}, how);
    for (const double side : {-1.0, 1.0}) {
        const std::int32_t plate =
            b.add_link({{side * 0.064, 0, 0.5}, {}}, side < 0 ? "left" : "right", 0.5, {}, 1e-3 * Mat33d::identity());
        model::ShapeConfig shape;
        shape.density = 0, shape.mu = 1;
        b.add_shape_box(plate, {}, {0.01, 0.08, 0.08}, shape);
        model::JointDofConfig slide;
        slide.axis = {-side, 0, 0}, slide.damping = 20;
        b.add_articulation({b.add_joint_prismatic(-1, plate, {{side * 0.064, 0, 0.5}, {}}, {}, slide)});
    }
    Run run(b, "softstep", 8);
    run.model.soft_contact.mu = 1;
    std::fill(run.control.joint_f.begin(), run.control.joint_f.end(), Real(20));
    run.run(180, 1.0 / 60);
    double z = 0;
    for (const Vec3& p : run.state.particle_q)
        z += static_cast<double>(p.z) / static_cast<double>(run.model.particle_count());
    CHECK(z > 0.45);  // it is held
    // Plates are still: what the block pushes with is what they are pushed with.
    CHECK(std::abs(static_cast<double>(run.state.joint_qd[0])) < 0.01);
    CHECK(static_cast<double>(run.state.joint_q[0]) > 0.0005);
    CHECK(static_cast<double>(run.state.joint_q[0]) < 0.03);
}

TEST_CASE("a body that sleeps wakes when something soft falls on it")
{
    ModelBuilder b;
    b.add_ground_plane();
    const std::int32_t box = b.add_body({{0, 0, 0.1}, {}}, "box");
    b.add_shape_box(box, {}, {0.1, 0.1, 0.1}, {});
    b.add_particle({0.08, 0, 2.5}, {}, 3, 0.05);
    model::Model model = test::finalized(b);
    model::State state = model::make_state(model);
    Diagnostics  said;
    auto         made = solvers::make_solver("softstep", model, {.substeps = 4, .sleeping = true}, said);
    REQUIRE(made);
    collision::CollisionPipeline pipeline(model, {});
    model::Contacts              contacts = pipeline.make_contacts();
    bool                         slept = false, woke = false;
    for (int i = 0; i < 120; ++i) {
        pipeline.collide(state, 1.0 / 120, contacts);
        const auto report = (*made)->step(state, state, model::make_control(model), &contacts, 1.0 / 120);
        REQUIRE_FALSE(report.diverged);
        slept = slept || !(*made)->is_awake(0);
        woke  = woke || (slept && (*made)->is_awake(0));
    }
    CHECK(slept);
    CHECK(woke);
}

TEST_CASE("stiffness from nothing to 1e12, masses of nothing, all held: no number is lost (SOFT-076)")
{
    for (const char* name : {"softstep", "vbd", "xpbd", "vbd:iterations=1"})
        for (const double k : {0.0, 1e-6, 1.0, 1e6, 1e12})
            for (const bool held : {false, true}) {
                CAPTURE(name);
                CAPTURE(k);
                CAPTURE(held);
                ModelBuilder        b;
                model::ClothOptions how;
                how.tri = {k, k, 0, 0, 0}, how.edge = {.ke = k, .kd = 0, .rest = {}};
                how.particle_radius = 0.01;
                b.add_cloth_grid({{0, 0, 1}, {}}, {}, 3, 3, 0.1, 0.1, held ? 0 : 0.01, false, {.top = true}, how);
                model::SoftOptions solid;
                solid.tet = {k, k, 0}, solid.density = held ? 0 : 500, solid.particle_radius = 0.01;
                b.add_soft_grid({{1, 0, 0.5}, {}}, {}, {1, 1, 1}, {0.1, 0.1, 0.1}, {}, solid);
                b.add_spring(0, 15, k, 0);
                b.add_ground_plane();
                Run run(b, name, 4);
                run.run(20, 1.0 / 60);
                CHECK(run.finite());
                if (held) CHECK(run.at(5) == static_cast<Vec3d>(run.model.particle_q[5]));
            }
}

TEST_CASE("softstep with soft things gives the same bytes for 1, 2 and 8 threads")
{
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 8}) {
        ModelBuilder        b;
        model::ClothOptions how;
        how.particle_radius = 0.01;
        b.add_cloth_grid({{-0.3, -0.3, 0.4}, {}}, {}, 12, 12, 0.05, 0.05, 0.002, false, {}, how);
        const std::int32_t ball = b.add_body({{0, 0, 0.1}, {}}, "ball");
        b.add_shape_sphere(ball, {}, 0.1, {});
        b.add_ground_plane();
        Run run(b, "softstep", 4, threads);
        run.run(60, 1.0 / 60);
        hashes.push_back(hash_bytes(run.state.particle_q.data(), run.state.particle_q.size() * sizeof(Vec3)));
    }
    CHECK(hashes[0] == hashes[1]);
    CHECK(hashes[0] == hashes[2]);
}

TEST_CASE("a draped cloth is symmetric, and gains no energy (SOFT-070, 4.11)")
{
    ModelBuilder        b;
    model::ClothOptions how;
    how.tri             = {200, 200, 0.05, 0, 0};
    how.edge            = {.ke = 1e-3, .kd = 1e-5, .rest = {}};
    how.particle_radius = 0.01;
    b.add_cloth_grid({{-0.5, -0.5, 0.6}, {}}, {}, 10, 10, 0.1, 0.1, 0.005, false, {}, how);
    model::ShapeConfig rough;
    rough.mu = 1;
    b.add_shape_sphere(-1, {{0, 0, 0.25}, {}}, 0.25, rough);
    Run          run(b, "softstep", 8);
    const double before = solvers::soft_energy(run.model, run.state).total();
    run.run(90, 1.0 / 60);
    CHECK(solvers::soft_energy(run.model, run.state).total() < before);
    // Corners hang equally deep. Diagonals of cells go one way, which is what differs.
    const double low = run.at(0).z, high = run.at(120).z;
    CHECK(run.at(60).z > 0.45);
    CHECK(low < 0.4);
    CHECK(std::abs(low - high) < 0.02);
    CHECK(std::abs(run.at(10).z - run.at(110).z) < 0.02);
}
