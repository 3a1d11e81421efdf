#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "mechane/model/builder.h"
#include "mechane/simulation/checkpoint.h"
#include "mechane/simulation/recording_file.h"
#include "mechane/simulation/simulate.h"
#include "mechane/simulation/verify.h"
#include "support/support.h"

using namespace mechane;

namespace {

/// A cloth of which a corner hangs on a swinging body, over a sphere; a soft block; springs and loose balls.
model::Model soft_scene()
{
    model::ModelBuilder b;
    b.add_ground_plane(0);
    const auto            arm = b.add_link({{0, 0, 1}, {}}, "/arm", 1, {0.2, 0, 0}, 0.05 * Mat33d::identity());
    model::JointDofConfig d;
    d.axis = {0, 1, 0};
    b.add_articulation({b.add_joint_revolute(-1, arm, {{0, 0, 1}, {}}, {}, d, "/swing")}, "/tree");
    b.add_shape_sphere(-1, {{0.6, 0.2, 0.5}, {}}, 0.2, {});
    b.add_cloth_grid(
        {{0.4, 0, 0.9}, {}}, {}, 4, 4, 0.1, 0.1, 0.01, false, {},
        {.tri = {500, 500, 0.1, 1, 1}, .edge = {.ke = 0.01, .kd = 0, .rest = {}}, .particle_radius = 0.02});
    for (const double stiffness : {200.0, std::numeric_limits<double>::infinity()})
        b.add_attachment_particle_body(
            {.body = arm, .particle = stiffness < 1e9 ? 0 : 5, .body_point = {0.4, 0, 0}, .stiffness = stiffness});
    b.add_soft_grid({{-1, 0, 0.3}, {}}, {0.1, 0, 0}, {1, 1, 1}, {0.2, 0.2, 0.2}, {},
                    {.tet = {3000, 3000, 0.1}, .density = 100, .particle_radius = 0.02});
    const auto one = b.add_particle({2, 0, 0.5}, {}, 0.1, 0.05), other = b.add_particle({2.02, 0, 0.7}, {}, 0.1, 0.05);
    b.add_spring(one, other, 50, 0.1);
    b.add_particle({2, 0.01, 0.9}, {}, 0.1, 0.05);
    b.color();
    Diagnostics found;
    auto        model = b.finalize({}, found);
    REQUIRE(model);
    return *std::move(model);
}

std::string temporary(const char* name)
{ return (std::filesystem::temp_directory_path() / fmt::format("mechane_{}_{}", ::getpid(), name)).string(); }

}  // namespace

TEST_CASE(
    "a run with something soft goes on from a checkpoint with the bits of one that was never interrupted (DYN-132)")
{
    const model::Model m = soft_scene();
    for (const char* solver :
         {"softstep", "vbd", "xpbd", "semi_implicit", "featherstone", "featherstone:update_mass_matrix_interval=3"})
        for (const std::int64_t cut : {1, 7}) {
            CAPTURE(solver);
            CAPTURE(cut);
            Diagnostics                found;
            const run::SimulateOptions options{.solver = solver, .dt = 1.0 / 240, .frames = 16, .threads = 1};
            const auto                 whole = run::simulate(m, options, found);
            REQUIRE(whole);
            CHECK_FALSE(whole->diverged);
            run::SimulateOptions first = options, second = options;
            first.frames     = cut;
            first.keep_end   = true;
            const auto begun = run::simulate(m, first, found);
            REQUIRE(begun);
            const auto from = record::read_checkpoint(record::to_bytes(begun->end), "memory");
            REQUIRE(from);
            second.frames   = options.frames - cut;
            second.threads  = 2;
            second.from     = &*from;
            const auto rest = run::simulate(m, second, found);
            REQUIRE(rest);
            CHECK(rest->recording.hash == whole->recording.hash);
            CHECK(rest->recording.frames.back().particle_q == whole->recording.frames.back().particle_q);
            CHECK(rest->recording.frames.back().particle_qd == whole->recording.frames.back().particle_qd);
        }
}

TEST_CASE("activations and forces of particles are in a checkpoint")
{
    model::Model       m = soft_scene();
    record::Checkpoint point{.state = model::make_state(m), .control = model::make_control(m)};
    point.state.particle_f[3] = {1, 2, 3};
    point.control.tri_activations.assign(m.tri_activations.size(), Real(0.5));
    point.control.tet_activations.assign(m.tet_activations.size(), Real(0.25));
    const auto read = record::read_checkpoint(record::to_bytes(point), "memory");
    REQUIRE(read);
    CHECK(read->state.particle_f == point.state.particle_f);
    CHECK(read->control.tri_activations == point.control.tri_activations);
    CHECK(read->control.tet_activations == point.control.tet_activations);
}

TEST_CASE("a checkpoint whose particles are missing or of another number is refused (DYN-132)")
{
    const model::Model m = soft_scene();
    Diagnostics        found;
    const auto         begun = run::simulate(m, {.solver = "xpbd", .frames = 2, .threads = 1, .keep_end = true}, found);
    REQUIRE(begun);
    const auto refused = [&](auto&& forge) {
        record::Checkpoint forged = begun->end;
        forge(forged);
        const auto run = run::simulate(m, {.solver = "xpbd", .frames = 1, .threads = 1, .from = &forged}, found);
        return !run && run.error().id == "RECORD_CHECKPOINT";
    };
    CHECK_FALSE(refused([](record::Checkpoint&) {}));
    CHECK(refused([](record::Checkpoint& c) { c.state.particle_q.clear(), c.state.particle_qd.clear(); }));
    CHECK(refused([](record::Checkpoint& c) { c.state.particle_q.pop_back(); }));
    CHECK(refused([](record::Checkpoint& c) { c.state.particle_qd.clear(); }));
    CHECK(refused([](record::Checkpoint& c) { c.state.particle_f.resize(2); }));
    CHECK(refused([](record::Checkpoint& c) { c.control.tri_activations.resize(1); }));
    CHECK(refused([](record::Checkpoint& c) { c.control.tet_activations.resize(100); }));
}

TEST_CASE("the hash of a model has what particles do to each other and to shapes (DYN-132)")
{
    const model::Model  m       = soft_scene();
    const std::uint64_t hash    = record::model_hash(m);
    const auto          changed = [&](const char* what, auto&& edit) {
        CAPTURE(what);
        model::Model other = m;
        edit(other);
        CHECK(record::model_hash(other) != hash);
    };
    changed("an activation of a triangle", [](model::Model& o) { o.tri_activations[0] += 1; });
    changed("an activation of a tetrahedron", [](model::Model& o) { o.tet_activations[0] += 1; });
    changed("the control of a spring", [](model::Model& o) { o.spring_control[0] += 1; });
    changed("contact between particles", [](model::Model& o) { o.particle_contact.ke *= 2; });
    changed("cohesion", [](model::Model& o) { o.particle_contact.cohesion += Real(0.01); });
    changed("contact with shapes", [](model::Model& o) { o.soft_contact.mu += Real(0.1); });
    changed("the order of colours",
            [](model::Model& o) { std::swap(o.particle_color_groups.front(), o.particle_color_groups.back()); });
}

TEST_CASE("a recording that begins in the middle of a soft run has every hash when it is computed again (DYN-133)")
{
    const model::Model m    = soft_scene();
    const std::string  file = temporary("soft.mrec");
    Diagnostics        found;
    for (const char* solver : {"vbd", "xpbd"}) {
        CAPTURE(solver);
        const auto begun = run::simulate(m, {.solver = solver, .frames = 5, .threads = 1, .keep_end = true}, found);
        REQUIRE(begun);
        run::SimulateOptions options{.solver = solver, .frames = 6, .threads = 1, .from = &begun->end};
        auto                 writer = record::RecordingWriter::create(file, run::recording_header(m, options));
        REQUIRE(writer);
        options.on_step  = [&](std::int64_t step, std::uint64_t hash) { writer->step(step, hash); };
        options.on_frame = [&](const record::Frame& frame) { writer->frame(frame); };
        REQUIRE(run::simulate(m, options, found));
        // What a program wrote in between: forces of particles and activations.
        record::StepInput input{.step = 11, .state = begun->end.state, .control = begun->end.control};
        input.state->particle_f[1] = {0, 1, 0};
        input.control->tet_activations.assign(m.tet_activations.size(), Real(0.5));
        writer->input(input);
        REQUIRE(writer->finish());
        const auto read = record::read_recording(file);
        REQUIRE(read);
        REQUIRE(read->inputs.size() == 1);
        CHECK(read->inputs[0].state->particle_f == input.state->particle_f);
        CHECK(read->inputs[0].control->tet_activations == input.control->tet_activations);
        const auto again = run::verify(m, *read, {.threads = 2}, found);
        REQUIRE(again);
        CHECK(again->equal);
    }
    std::filesystem::remove(file);
}
