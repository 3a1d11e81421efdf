#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "mechane/model/builder.h"
#include "mechane/model/custom_copy.h"
#include "mechane/simulation/checkpoint.h"
#include "mechane/simulation/engine.h"
#include "mechane/simulation/recording_file.h"
#include "mechane/simulation/simulate.h"
#include "mechane/simulation/verify.h"
#include "support/support.h"

using namespace mechane;

namespace {

/// A tower that goes to sleep, a driven arm against a limit with dry friction, and a hook that breaks.
model::Model scene()
{
    model::ModelBuilder b;
    b.rigid_gap = 0.01;
    b.add_ground_plane(0);
    for (int i = 0; i < 4; ++i)
        b.add_shape_box(b.add_body({{0.01 * i, 0, 0.1 + 0.2 * i}, {}}, fmt::format("/box{}", i)), {}, {0.1, 0.1, 0.1},
                        {});
    const auto            arm = b.add_link({{2, 0, 1}, {}}, "/arm", 1, {0.2, 0, 0}, 0.1 * Mat33d::identity());
    model::JointDofConfig d;
    d.axis          = {0, 1, 0};
    d.target_ke     = 20;
    d.target_kd     = 0.5;
    d.target_q      = 0.8;
    d.limit_lower   = -0.5;
    d.limit_upper   = 0.5;
    d.friction      = 0.05;
    d.effort_limit  = 3;
    d.actuator_mode = model::TargetMode::position;
    b.add_articulation({b.add_joint_revolute(-1, arm, {{2, 0, 1}, {}}, {}, d, "/elbow")}, "/arm");
    const auto          weight = b.add_link({{-2, 0, 2}, {}}, "/weight", 5, {}, Mat33d::identity());
    model::BuilderJoint hook;
    hook.child        = weight;
    hook.parent_xform = {{-2, 0, 2}, {}};
    hook.label        = "/hook";
    hook.break_force  = 20;
    b.add_articulation({b.add_joint(hook)}, "/hung");
    Diagnostics found;
    auto        model = b.finalize({}, found);
    REQUIRE(model);
    return *std::move(model);
}

std::string temporary(const char* name)
{ return (std::filesystem::temp_directory_path() / fmt::format("mechane_{}_{}", ::getpid(), name)).string(); }

std::string read_all(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a run that goes on from a checkpoint has the bits of one that was never interrupted (DYN-132, T-100)")
{
    const model::Model m    = scene();
    const std::string  file = temporary("point.ckpt");
    for (const bool sleeping : {false, true}) {
        for (const std::int64_t cut : {1, 20, 90, 150}) {
            CAPTURE(sleeping);
            CAPTURE(cut);
            Diagnostics found;
            const auto  whole = run::simulate(m, {.frames = 200, .threads = 1, .sleeping = sleeping}, found);
            REQUIRE(whole);
            CHECK(found.count("RUN_JOINT_BROKE") == 1);
            const auto begun =
                run::simulate(m, {.frames = cut, .threads = 1, .sleeping = sleeping, .keep_end = true}, found);
            REQUIRE(begun);
            REQUIRE(record::write_checkpoint(begun->end, file));
            const auto from = record::read_checkpoint(file);
            REQUIRE(from);
            const auto rest =
                run::simulate(m, {.frames = 200 - cut, .threads = 2, .sleeping = sleeping, .from = &*from}, found);
            REQUIRE(rest);
            CHECK(rest->recording.hash == whole->recording.hash);
            const auto &a = whole->recording.frames.back(), &b = rest->recording.frames.back();
            CHECK(std::memcmp(a.body_q.data(), b.body_q.data(), a.body_q.size() * sizeof(Pose)) == 0);
            CHECK(a.t == b.t);
        }
    }
    std::filesystem::remove(file);
}

TEST_CASE("a checkpoint of another model or step, cut off or damaged, is refused")
{
    const model::Model m    = scene();
    const std::string  file = temporary("bad.ckpt");
    Diagnostics        found;
    const auto         begun = run::simulate(m, {.frames = 10, .threads = 1, .keep_end = true}, found);
    REQUIRE(begun);
    REQUIRE(record::write_checkpoint(begun->end, file));
    CHECK(run::simulate(m, {.dt = 0.01, .frames = 1, .from = &begun->end}, found).error().id == "RECORD_CHECKPOINT");
    model::Model heavier = m;
    heavier.body_mass[0] *= 2;
    CHECK(run::simulate(heavier, {.frames = 1, .from = &begun->end}, found).error().id == "RECORD_CHECKPOINT");
    CHECK(record::read_checkpoint("/gone").error().id == "RECORD_CHECKPOINT");

    const std::string good    = read_all(file);
    const auto        refused = [&](const std::string& bytes) {
        std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
        const auto read = record::read_checkpoint(file);
        return !read && read.error().id == "RECORD_CHECKPOINT";
    };
    for (std::size_t cut = 0; cut < good.size(); cut += 1 + good.size() / 97) CHECK(refused(good.substr(0, cut)));
    for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 97) {
        std::string flipped = good;
        flipped[at]         = static_cast<char>(flipped[at] ^ 0x20);
        CHECK(refused(flipped));
    }
    std::filesystem::remove(file);
}

namespace {

/// An arm whose control holds an attribute of the program's own, and whose state holds another.
model::Model with_attributes()
{
    model::ModelBuilder b;
    b.add_body({{0, 0, 1}, {}}, "/box", 1, {}, Mat33d::identity());
    for (const auto& [name, assignment] :
         {std::pair{"ctrl", model::CustomAssignment::control}, std::pair{"heat", model::CustomAssignment::state}})
        REQUIRE(b.add_custom_attribute(
            {.name = name, .space = "own", .frequency = model::CustomFrequency::body, .assignment = assignment}));
    Diagnostics found;
    auto        model = b.finalize({}, found);
    REQUIRE(model);
    return *std::move(model);
}

}  // namespace

TEST_CASE("a checkpoint has the custom attributes of state and control, and a resumed run goes on with them (DYN-132)")
{
    const model::Model m    = with_attributes();
    const std::string  file = temporary("custom.ckpt");
    Diagnostics        found;
    auto               begun = run::simulate(m, {.frames = 2, .threads = 1, .keep_end = true}, found);
    REQUIRE(begun);
    begun->end.control.custom_arrays.find("own:ctrl")->set(0, {2.5});
    begun->end.state.custom_arrays.find("own:heat")->set(0, {300});
    REQUIRE(record::write_checkpoint(begun->end, file));
    auto from = record::read_checkpoint(file);
    REQUIRE(from);
    const auto after = run::simulate(m, {.frames = 1, .threads = 1, .from = &*from, .keep_end = true}, found);
    REQUIRE(after);
    CHECK(after->end.control.custom_arrays.find("own:ctrl")->at(0)[0] == 2.5);
    CHECK(after->end.state.custom_arrays.find("own:heat")->at(0)[0] == 300);
    // One that the model does not have is a checkpoint of something else.
    from->control.custom_arrays.arrays[0].key = "own:other";
    CHECK(run::simulate(m, {.frames = 1, .from = &*from}, found).error().id == "RECORD_CHECKPOINT");
    std::filesystem::remove(file);
}

TEST_CASE("commands that a program gives by custom attributes alone are inputs of a recording (DYN-133)")
{
    const model::Model m      = with_attributes();
    const std::string  file   = temporary("custom.mrec");
    auto               writer = record::RecordingWriter::create(file, {.model = record::model_hash(m), .dt = 0.01});
    REQUIRE(writer);
    record::StepInput input{.step = 1, .state = model::make_state(m), .control = model::make_control(m)};
    input.control->custom_arrays.find("own:ctrl")->set(0, {-1.5});
    input.state->custom_arrays.find("own:heat")->set(0, {20});
    writer->input(input);
    REQUIRE(writer->finish());
    const auto read = record::read_recording(file);
    REQUIRE(read);
    CHECK_FALSE(read->damage);
    REQUIRE(read->inputs.size() == 1);
    model::Control control = model::make_control(m);
    model::State   state   = model::make_state(m);
    REQUIRE(model::take_values(control.custom_arrays, read->inputs[0].control->custom_arrays));
    REQUIRE(model::take_values(state.custom_arrays, read->inputs[0].state->custom_arrays));
    CHECK(control.custom_arrays.find("own:ctrl")->at(0)[0] == -1.5);
    CHECK(state.custom_arrays.find("own:heat")->at(0)[0] == 20);
    CHECK(model::same_values(control.custom_arrays, input.control->custom_arrays));
    CHECK_FALSE(model::same_values(control.custom_arrays, model::make_control(m).custom_arrays));
    std::filesystem::remove(file);
}

TEST_CASE("an engine that refuses a checkpoint goes on as if it had not been asked")
{
    // Two worlds are stepped in blocks, and a memory of a run without blocks would replace these.
    model::ModelBuilder b;
    for (int w = 0; w < 2; ++w) {
        b.begin_world();
        b.add_shape_box(b.add_body({{0, 0, 0.2}, {}}, fmt::format("/box{}", w)), {}, {0.1, 0.1, 0.1}, {});
        b.end_world();
    }
    b.add_ground_plane(0);
    Diagnostics found;
    const auto  m = b.finalize({}, found);
    REQUIRE(m);
    const auto hash_after = [&](bool ask) {
        model::State   state   = model::make_state(*m);
        model::Control control = model::make_control(*m);
        auto           engine  = simulation::Engine::make(*m, state, control, {.dt = 0.01, .threads = 1}, found);
        REQUIRE(engine);
        if (ask) {
            record::Checkpoint point{.model_hash = record::model_hash(*m),
                                     .solver     = (*engine)->options().solver,
                                     .dt         = 0.01,
                                     .substeps   = (*engine)->options().substeps,
                                     .state      = state,
                                     .control    = control};
            point.solver_memory = {std::byte{1}, std::byte{2}};
            CHECK_FALSE((*engine)->resume(point));
        }
        (*engine)->begin(found);
        for (int i = 0; i < 30; ++i) {
            (*engine)->find_contacts();
            REQUIRE_FALSE((*engine)->advance().diverged);
        }
        return (*engine)->hash();
    };
    CHECK(hash_after(true) == hash_after(false));
}

TEST_CASE("everything that a run depends on is in the hash of its model (DYN-132)")
{
    const model::Model  m       = scene();
    const std::uint64_t hash    = record::model_hash(m);
    const auto          changed = [&](const char* what, auto&& edit) {
        CAPTURE(what);
        model::Model other = m;
        edit(other);
        CHECK(record::model_hash(other) != hash);
    };
    changed("a filtered pair", [](model::Model& o) { o.shape_collision_filter_pairs.emplace_back(1, 2); });
    changed("contact stiffness", [](model::Model& o) { o.shape_material_ke[1] *= 2; });
    changed("contact damping", [](model::Model& o) { o.shape_material_kd[1] *= 2; });
    changed("pressure modulus", [](model::Model& o) { o.shape_material_kh[1] *= 2; });
    changed("tangential damping", [](model::Model& o) { o.shape_material_kf[1] += 1; });
    changed("adhesion", [](model::Model& o) { o.shape_material_ka[1] += 1; });
    changed("a joint that is off", [](model::Model& o) { o.joint_enabled[0] = 0; });
    changed("a command", [](model::Model& o) { o.joint_target_q[0] += 1; });
    changed("a rate that is commanded", [](model::Model& o) { o.joint_target_qd[0] += 1; });
    changed("a force that is commanded", [](model::Model& o) { o.joint_f[0] += 1; });
    changed("a first velocity", [](model::Model& o) { o.body_qd[0].linear.x += 1; });
    changed("a first rate", [](model::Model& o) { o.joint_qd[0] += 1; });
    changed("a body that starts asleep", [](model::Model& o) { o.body_starts_asleep[0] ^= 1; });
    changed("a joint outside its articulation", [](model::Model& o) { o.joint_exclude_from_articulation[0] ^= 1; });
    changed("a world", [](model::Model& o) { o.shape_world[1] = 3; });
    changed("a shape without inside", [](model::Model& o) { o.shape_is_solid[1] ^= 1; });
    changed("a distance field", [](model::Model& o) { o.shape_sdf_config[1].emplace(); });
    changed("a moving surface", [](model::Model& o) { o.shape_surface_velocity[1].linear.x = 1; });
    model::Model painted = m;
    painted.shape_color[1].x += 0.25f;
    CHECK(record::model_hash(painted) == hash);
}

TEST_CASE("a forged checkpoint, whose sums are right and whose indices are not, is refused (DYN-132)")
{
    const model::Model m = scene();
    Diagnostics        found;
    const auto         begun = run::simulate(m, {.frames = 10, .threads = 1, .keep_end = true}, found);
    REQUIRE(begun);
    const auto refused = [&](auto&& forge) {
        record::Checkpoint forged = begun->end;
        forge(forged);
        const auto from = record::read_checkpoint(record::to_bytes(forged), "forged");
        REQUIRE(from);
        const auto run =
            run::simulate(m, {.frames = 3, .threads = 1, .set = {"/elbow.target=0.2"}, .from = &*from}, found);
        return !run && run.error().id == "RECORD_CHECKPOINT";
    };
    CHECK_FALSE(refused([](record::Checkpoint&) {}));
    const std::int32_t shapes = static_cast<std::int32_t>(m.shape_count());
    // The ground is shape 0 and has no body; pairs are in order, each once.
    for (const auto& [a, b] : {std::pair(0, 1), {1, 0}, {-1, 2}, {1, shapes}, {1 << 30, 1}}) {
        CAPTURE(a);
        CAPTURE(b);
        CHECK(refused([&](record::Checkpoint& c) { c.overlaps = {{a, b, Real(0.01)}}; }));
    }
    CHECK(refused([](record::Checkpoint& c) { c.overlaps = {{2, 3, Real(0.01)}, {1, 2, Real(0.01)}}; }));
    CHECK(refused([](record::Checkpoint& c) { c.overlaps = {{1, 2, Real(-1)}}; }));
    CHECK(refused([](record::Checkpoint& c) { c.overlaps = {{1, 2, std::numeric_limits<Real>::quiet_NaN()}}; }));
    CHECK(refused([](record::Checkpoint& c) { c.control.joint_target_q.clear(); }));
    CHECK(refused([](record::Checkpoint& c) { c.control.joint_f.resize(1000); }));
    CHECK(refused([](record::Checkpoint& c) { c.control.body_target_q.resize(1); }));
    CHECK(refused([](record::Checkpoint& c) { c.state.joint_qd.pop_back(); }));
    CHECK(refused([](record::Checkpoint& c) { c.step = -5; }));
    // Any number of the solver's memory may be wrong: it is refused, or it runs.
    for (std::size_t at = 0; at < begun->end.solver_memory.size(); at += 3)
        for (const int value : {0, 1, 0x7f, 0xff}) {
            record::Checkpoint forged = begun->end;
            forged.solver_memory[at]  = static_cast<std::byte>(value);
            const auto run            = run::simulate(m, {.frames = 2, .threads = 1, .from = &forged}, found);
            CHECK((run || run.error().id == "RECORD_CHECKPOINT"));
        }
}

namespace {

/// Runs 60 steps into a file, every fifth frame kept; from a checkpoint when there is one.
void record_run(const model::Model& m, const std::string& file, const record::Checkpoint* from)
{
    run::SimulateOptions options{.frames = 60, .every = 5, .threads = 1};
    options.set     = {"/elbow.target=0.2"};
    options.control = "t,/elbow.f\n0.2,1\n0.6,-1\n";
    options.from    = from;
    auto writer     = record::RecordingWriter::create(file, run::recording_header(m, options));
    REQUIRE(writer);
    options.on_step  = [&](std::int64_t step, std::uint64_t hash) { writer->step(step, hash); };
    options.on_frame = [&](const record::Frame& frame) { writer->frame(frame); };
    Diagnostics found;
    REQUIRE(run::simulate(m, options, found));
    REQUIRE(writer->finish());
}

}  // namespace

TEST_CASE("a recording that is computed again has every hash; one flipped bit shows (DYN-133, T-101)")
{
    const model::Model m    = scene();
    const std::string  file = temporary("run.mrec");
    Diagnostics        found;
    const auto         begun = run::simulate(m, {.frames = 30, .threads = 1, .keep_end = true}, found);
    REQUIRE(begun);
    for (const record::Checkpoint* from : {static_cast<const record::Checkpoint*>(nullptr), &begun->end}) {
        record_run(m, file, from);
        const auto read = record::read_recording(file);
        REQUIRE(read);
        CHECK(read->complete);
        CHECK_FALSE(read->damage);
        CHECK(read->recording.frames.size() == 13);
        CHECK(read->recording.steps == 60);
        CHECK(read->first_step == (from ? 30 : 0));
        for (const int threads : {1, 2}) {
            const auto again = run::verify(m, *read, {.threads = threads}, found);
            REQUIRE(again);
            CHECK(again->equal);
            CHECK(again->steps == 61);
        }
        record::RecordingFile other = *read;
        other.hashes[17] ^= 1;
        const auto differs = run::verify(m, other, {}, found);
        REQUIRE(differs);
        CHECK_FALSE(differs->equal);
        CHECK(differs->first_difference == read->first_step + 17);
        model::Model heavier = m;
        heavier.body_mass[0] *= 2;
        CHECK(run::verify(heavier, *read, {}, found).error().id == "RECORD_OTHER_MODEL");
    }

    const std::string good = read_all(file);
    for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 61) {
        CAPTURE(at);
        std::string flipped = good;
        flipped[at]         = static_cast<char>(flipped[at] ^ 0x04);
        std::ofstream(file, std::ios::binary | std::ios::trunc) << flipped;
        const auto read = record::read_recording(file);
        if (!read) {
            CHECK(read.error().id == "RECORD_FILE");
            continue;
        }
        REQUIRE(read->damage);
        const auto again = run::verify(m, *read, {}, found);
        REQUIRE(again);
        CHECK_FALSE(again->equal);
    }
    std::filesystem::remove(file);
}

TEST_CASE("a recording that was cut off opens with what is there (DYN-133)")
{
    const model::Model m    = scene();
    const std::string  file = temporary("cut.mrec");
    record_run(m, file, nullptr);
    const std::string good = read_all(file);
    std::size_t       seen = 0;
    for (std::size_t cut = 0; cut < good.size(); cut += 1 + good.size() / 61) {
        CAPTURE(cut);
        std::ofstream(file, std::ios::binary | std::ios::trunc) << good.substr(0, cut);
        const auto read = record::read_recording(file);
        if (!read) {
            CHECK(read.error().id == "RECORD_FILE");
            continue;
        }
        REQUIRE(read->damage);
        CHECK(read->damage->id == "RECORD_CUT_OFF");
        CHECK_FALSE(read->complete);
        CHECK(read->hashes.size() >= seen);
        seen = read->hashes.size();
    }
    CHECK(seen > 50);
    std::filesystem::remove(file);
}
