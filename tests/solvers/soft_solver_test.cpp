// Particles beside the bodies of softstep: by vbd, or by xpbd (`soft_solver`), coupled in the same substeps.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "mechane/core/hash.h"
#include "parity_world.h"

using namespace mechane;
using namespace mechane::test;

namespace {

constexpr const char* kSoft[] = {"softstep", "softstep:soft_solver=xpbd"};

/// A cloth of 13 by 13 particles above a table, which a slide lets go up and down and the ground carries.
model::ModelBuilder cloth_over_table()
{
    model::ModelBuilder b;
    model::ClothOptions how;
    how.particle_radius = 0.01;
    b.add_cloth_grid({{-0.3, -0.3, 0.3}, {}}, {}, 12, 12, 0.05, 0.05, 0.002, false, {}, how);
    const auto table = b.add_link({{0, 0, 0.1}, {}}, "table", 30, {}, 0.12 * Mat33d::identity());
    b.add_articulation({b.add_joint_prismatic(-1, table, {{0, 0, 0.1}, {}}, {}, dof({0, 0, 1}), "slide")});
    model::ShapeConfig weightless;
    weightless.density = 0;
    b.add_shape_box(table, {}, {0.5, 0.5, 0.1}, weightless);
    b.add_ground_plane();
    return b;
}

bool tells(const Diagnostics& notices, std::string_view words)
{
    return std::any_of(notices.begin(), notices.end(),
                       [&](const Diagnostic& d) { return d.message.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("what hits a free body takes its momentum from the particle, whichever solver moves it (GAP-102, SOFT-074)")
{
    for (const std::string solver : kSoft)
        for (const int substeps : {1, 8}) {
            CAPTURE(solver);
            CAPTURE(substeps);
            model::ModelBuilder b;
            b.gravity = {};
            model::ShapeConfig c;
            c.density = 0, c.mu = 0;
            const auto ball = b.add_body({}, "ball", 1, {}, Mat33d::diagonal({.004, .004, .004}));
            b.add_shape_sphere(ball, {}, 0.1, c);
            b.add_particle({-0.3, 0, 0}, {2, 0, 0}, 0.5, 0.05);
            Parity w(b, solver, nullptr, substeps);
            for (int i = 0; i < 60; ++i) {
                const double before = 0.5 * static_cast<double>(w.state.particle_qd[0].x) + w.velocity(0).x;
                w.step(1.0 / 240);
                const double after = 0.5 * static_cast<double>(w.state.particle_qd[0].x) + w.velocity(0).x;
                CHECK(after == close_to(before, 1e-6));
            }
            CHECK(w.velocity(0).x > 0.5);  // they met
            CHECK(static_cast<double>(w.state.particle_qd[0].x) < w.velocity(0).x + 1e-4);
        }
}

TEST_CASE("an attachment bears what hangs on it, at a held body and at a free one (GAP-102, SOFT-072)")
{
    for (const std::string solver : kSoft)
        for (const double k : {2e3, std::numeric_limits<double>::infinity()}) {
            CAPTURE(solver);
            CAPTURE(k);
            model::ModelBuilder b;
            const auto          hook = b.add_link({{0, 0, 1}, {}}, "hook", 1, {}, Mat33d::identity());
            b.add_articulation({b.add_joint_fixed(model::kWorldBody, hook, {{0, 0, 1}, {}}, {})});
            b.add_particle({0.1, 0, 1}, {}, 0.5, 0.0);
            b.add_attachment_particle_body({.body       = hook,
                                            .particle   = 0,
                                            .body_point = {0.1, 0, 0},
                                            .stiffness  = k,
                                            .damping    = std::isfinite(k) ? 40.0 : 0.0});
            Parity               w(b, solver, nullptr, 8);
            solvers::Observables seen;
            w.solver->observe(&seen);
            w.run(4, 1.0 / 60, false);
            const double sag = std::isfinite(k) ? 0.5 * 9.81 / k : 0;
            CHECK(1 - static_cast<double>(w.state.particle_q[0].z) == close_to(sag, 1e-2 * sag + 2e-5));
            // The hook's joint carries both weights.
            CHECK(static_cast<double>(seen.body_parent_f[0].linear.z) == close_to(1.5 * 9.81, 0.01 * 1.5));
        }
}

TEST_CASE("a cloth falls on a table and rests there, in the same bytes for 1, 2 and 8 threads (GAP-102)")
{
    for (const std::string solver : kSoft) {
        CAPTURE(solver);
        std::vector<std::uint64_t> hashes;
        for (const int threads : {1, 2, 8}) {
            tasks::Pool pool(threads);
            Parity      w(cloth_over_table(), solver, &pool, 4);
            w.run(2, 1.0 / 60);
            hashes.push_back(hash_bytes(w.state.particle_q.data(), w.state.particle_q.size() * sizeof(Vec3)));
            if (threads > 1) continue;
            // A radius above the table, in which a spring of 1750 N/m under 2 g sinks by 0.01 mm.
            for (const Vec3& p : w.state.particle_q) CHECK(static_cast<double>(p.z) == close_to(0.21, 1e-4));
            CHECK(w.position(0).z == close_to(0.1, 3e-5));  // the table too, by g / w^2
        }
        CHECK(hashes[0] == hashes[1]);
        CHECK(hashes[0] == hashes[2]);
    }
}

TEST_CASE("softstep says of particles what the solver that moves them does not honour (GAP-102, SOFT-049)")
{
    const model::ModelBuilder b    = cloth_over_table();
    const auto                made = [&](const std::string& name, const auto& change) {
        model::Model m = finalized(b);
        for (auto& material : m.tri_materials) material[3] = 1;  // drag
        change(m);
        Diagnostics out;
        REQUIRE(solvers::make_solver(name, m, {}, out));
        return out;
    };
    const auto nothing = [](model::Model&) {};
    CHECK_FALSE(tells(made("softstep", nothing), "drag or lift"));
    CHECK_FALSE(tells(made("vbd", nothing), "drag or lift"));
    CHECK_FALSE(tells(made("semi-implicit", nothing), "drag or lift"));
    CHECK(tells(made("softstep:soft_solver=xpbd", nothing), "drag or lift"));
    CHECK(tells(made("xpbd", nothing), "drag or lift"));
    const auto bouncing = [](model::Model& m) { m.soft_contact.restitution = Real(0.5); };
    for (const std::string name :
         {"softstep", "softstep:soft_solver=xpbd", "vbd", "xpbd", "semi-implicit", "featherstone"})
        CHECK(tells(made(name, bouncing), "restitution of particles"));
    CHECK_FALSE(tells(made("xpbd:enable_restitution=1", bouncing), "restitution of particles"));
    const auto sticky = [](model::Model& m) { m.particle_contact.adhesion = Real(0.01); };
    for (const std::string name : {"softstep", "vbd"}) CHECK(tells(made(name, sticky), "stick to each other"));
    for (const std::string name : {"softstep:soft_solver=xpbd", "xpbd", "semi-implicit", "featherstone"})
        CHECK_FALSE(tells(made(name, sticky), "stick to each other"));
    const auto hard = [](model::Model& m) { m.soft_contact.ke = Real(1e5); };
    for (const std::string name : {"softstep:soft_solver=xpbd", "xpbd"})
        CHECK(tells(made(name, hard), "stiffness and damping of the contacts of particles"));
    for (const std::string name : {"softstep", "vbd", "semi-implicit", "featherstone"})
        CHECK_FALSE(tells(made(name, hard), "stiffness and damping of the contacts of particles"));
}

TEST_CASE("featherstone moves particles as semi-implicit does, to the last bit (GAP-102)")
{
    // Without bodies nothing else differs between the two.
    std::vector<Vec3> end[2];
    for (const int k : {0, 1}) {
        model::ModelBuilder b;
        model::ClothOptions how;
        how.tri             = {500, 300, 0.1, 0.2, 0.1};
        how.edge            = {.ke = 0.01, .kd = 1e-4, .rest = {}};
        how.particle_radius = 0.01;
        b.add_cloth_grid({{-0.2, -0.2, 0.1}, {}}, {1, 0, 0}, 6, 6, 0.05, 0.05, 0.002, false, {}, how);
        b.add_soft_grid({{1, 0, 0.1}, {}}, {}, {2, 1, 1}, {0.1, 0.1, 0.1}, {}, {.tet = {1e3, 1e3, 1}, .density = 100});
        b.add_ground_plane();
        Parity w(b, k == 0 ? "semi-implicit" : "featherstone");
        w.run(0.2, 1.0 / 5000);
        end[k] = w.state.particle_q;
    }
    CHECK(same_bits(end[0], end[1]));
}

TEST_CASE("lift turns what it acts on and makes nothing faster, in however large steps (tri_lift)")
{
    for (const std::string solver : {"vbd", "softstep"})
        for (const double lift : {1.0, 1e6}) {
            CAPTURE(solver);
            CAPTURE(lift);
            model::ModelBuilder b;
            b.gravity = {};
            model::ClothOptions how;
            how.tri             = {100, 100, 0, 0, lift};
            how.particle_radius = 0.0;
            b.add_cloth_grid({{}, from_rotation_vector(Vec3d{0, 0.4, 0})}, {3, 0, 0}, 3, 2, 0.1, 0.1, 1e-5, false, {},
                             how);
            Parity w(b, solver);
            w.run(2, 1.0 / 120, false);
            for (const Vec3& v : w.state.particle_qd) CHECK(length(static_cast<Vec3d>(v)) < 3 * 1.01);
        }
}

TEST_CASE("particles that cohesion or adhesion pulls are slowed by no friction, and driven by none (xpbd)")
{
    for (const std::string solver : {"xpbd", "softstep:soft_solver=xpbd"}) {
        CAPTURE(solver);
        model::ModelBuilder b;
        b.gravity = {};
        b.add_ground_plane();
        b.add_particle({0, 0, 0.055}, {1, 0, 0}, 0.1, 0.05);
        Parity w(b, solver);
        w.model.particle_contact.adhesion = Real(0.02);
        w.model.particle_contact.mu       = 10;
        for (int i = 0; i < 60; ++i) {
            w.step(1.0 / 240);
            CHECK(static_cast<double>(w.state.particle_qd[0].x) < 1 + 1e-5);
        }
        CHECK(static_cast<double>(w.state.particle_q[0].z) == close_to(0.05, 1e-3));
    }
}
