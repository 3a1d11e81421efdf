// A checksum says that a file is what somebody wrote, not that it is what was computed (DYN-133).
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <limits>

#include "mechane/model/builder.h"
#include "mechane/simulation/recording_check.h"
#include "mechane/simulation/recording_file.h"
#include "mechane/simulation/simulate.h"
#include "mechane/simulation/verify.h"
#include "support/support.h"

using namespace mechane;

namespace {

model::Model ball()
{
    model::ModelBuilder b;
    b.add_ground_plane(0);
    b.add_shape_sphere(b.add_body({{0, 0, 0.45}, {}}, "/ball"), {}, 0.5, {});
    Diagnostics found;
    auto        model = b.finalize({}, found);
    REQUIRE(model);
    return *std::move(model);
}

/// Ten steps in a file of their own; `change` forges each frame before it is written with a good checksum.
record::RecordingFile recorded(const model::Model& m, const std::function<void(record::Frame&)>& change)
{
    const std::string file =
        (std::filesystem::temp_directory_path() / ("mechane_forged_" + std::to_string(getpid()) + ".mrec")).string();
    run::SimulateOptions options{.frames = 10, .every = 5, .threads = 1};
    auto                 writer = record::RecordingWriter::create(file, run::recording_header(m, options));
    REQUIRE(writer);
    options.on_step  = [&](std::int64_t step, std::uint64_t hash) { writer->step(step, hash); };
    options.on_frame = [&](const record::Frame& frame) {
        record::Frame changed = frame;
        change(changed);
        writer->frame(changed);
    };
    Diagnostics found;
    REQUIRE(run::simulate(m, options, found));
    REQUIRE(writer->finish());
    auto read = record::read_recording(file);
    REQUIRE(read);
    CHECK(read->complete);
    CHECK_FALSE(read->damage);
    std::filesystem::remove(file);
    return *read;
}

}  // namespace

TEST_CASE("frames that the model cannot have are refused, whatever their checksum says")
{
    const model::Model m = ball();
    CHECK_FALSE(record::check_recording(recorded(m, [](record::Frame&) {}), m, "good"));
    const std::pair<const char*, std::function<void(record::Frame&)>> forgeries[] = {
        {"a time that is no number", [](record::Frame& f) { f.t = std::numeric_limits<double>::quiet_NaN(); }},
        {"times that stand still", [](record::Frame& f) { f.t = 0; }},
        {"a time after the end", [](record::Frame& f) { f.t += 1e6; }},
        {"more bodies", [](record::Frame& f) { f.body_q.resize(501), f.body_qd.resize(501); }},
        {"no bodies", [](record::Frame& f) { f.body_q.clear(), f.body_qd.clear(); }},
        {"more coordinates", [](record::Frame& f) { f.joint_q.resize(50); }},
        {"a shape that is none",
         [](record::Frame& f) {
             f.contacts.push_back({{}, {}, {}, 0, std::numeric_limits<std::int32_t>::max(), 0});
         }},
        {"a negative shape", [](record::Frame& f) { f.contacts.push_back({{}, {}, {}, 0, -2, 0}); }},
    };
    for (const auto& [name, change] : forgeries) {
        CAPTURE(name);
        const auto read  = recorded(m, change);
        const auto wrong = record::check_recording(read, m, "forged");
        REQUIRE(wrong);
        CHECK(wrong->id == "RECORD_INCONSISTENT");
        Diagnostics found;
        const auto  verified = run::verify(m, read, {}, found);
        REQUIRE_FALSE(verified);
        CHECK(verified.error().id == "RECORD_INCONSISTENT");
    }
}

TEST_CASE("verification compares the stored frames with what is computed")
{
    const model::Model m = ball();
    Diagnostics        found;
    const auto         good = run::verify(m, recorded(m, [](record::Frame&) {}), {}, found);
    REQUIRE(good);
    CHECK(good->equal);
    CHECK(good->frames == 3);  // the start, the fifth step and the last
    const auto moved = run::verify(m, recorded(m, [](record::Frame& f) { f.body_q[0].p.x += f.t > 0.1 ? 1 : 0; }), {}, found);
    REQUIRE(moved);
    CHECK_FALSE(moved->equal);
    CHECK(moved->first_difference == -1);  // every step has its hash
    CHECK(moved->first_frame == 2);
    auto shortened = recorded(m, [](record::Frame&) {});
    shortened.recording.frames.pop_back();
    const auto missing = run::verify(m, shortened, {}, found);
    REQUIRE(missing);
    CHECK_FALSE(missing->equal);
}

TEST_CASE("a digest is that of the content, under a key only who has it makes it")
{
    const model::Model m    = ball();
    const auto         good = recorded(m, [](record::Frame&) {}), same = recorded(m, [](record::Frame&) {});
    const auto         other = recorded(m, [](record::Frame& f) { f.kinetic += 1e-9; });
    for (const char* key : {"", "k", "a key of more than sixty-four bytes, which is hashed before it is used at all"}) {
        CAPTURE(key);
        CHECK(record::recording_digest(good, key) == record::recording_digest(same, key));
        CHECK(record::recording_digest(good, key) != record::recording_digest(other, key));
        CHECK(record::recording_digest(good, key).size() == 64);
    }
    CHECK(record::recording_digest(good, "a") != record::recording_digest(good, "b"));
    CHECK(record::recording_digest(good, "a") != record::recording_digest(good));
}
