#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "mechane/model/builder.h"
#include "mechane/record/checkpoint.h"
#include "mechane/run/simulate.h"
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
            REQUIRE(run::simulate(m, {.frames = cut, .threads = 1, .sleeping = sleeping, .checkpoint = file}, found));
            const auto rest =
                run::simulate(m, {.frames = 200 - cut, .threads = 2, .sleeping = sleeping, .resume = file}, found);
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
    REQUIRE(run::simulate(m, {.frames = 10, .threads = 1, .checkpoint = file}, found));
    CHECK(run::simulate(m, {.dt = 0.01, .frames = 1, .resume = file}, found).error().id == "RECORD_CHECKPOINT");
    model::Model heavier = m;
    heavier.body_mass[0] *= 2;
    CHECK(run::simulate(heavier, {.frames = 1, .resume = file}, found).error().id == "RECORD_CHECKPOINT");
    CHECK(run::simulate(m, {.frames = 1, .resume = "/gone"}, found).error().id == "RECORD_CHECKPOINT");

    std::ifstream     in(file, std::ios::binary);
    const std::string good{std::istreambuf_iterator<char>(in), {}};
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
