#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "mechane/model/builder.h"
#include "mechane/run/builtin_scenes.h"
#include "mechane/run/simulate.h"
#include "support/support.h"

/// Simulations whose resting pairs keep their contacts, beside ones that look for them in every step.
using namespace mechane;

namespace {

model::Model built(const model::ModelBuilder& builder)
{
    Diagnostics found;
    auto        model = builder.finalize({}, found);
    REQUIRE(model);
    return *std::move(model);
}

run::SimulateResult simulated(const model::Model& m, run::SimulateOptions options)
{
    Diagnostics found;
    auto        result = run::simulate(m, options, found);
    REQUIRE(result);
    CHECK(!result->diverged);
    return *std::move(result);
}

}  // namespace

TEST_CASE("a pile that keeps its contacts stands as one that does not, and does not drift in a minute")
{
    auto scene = run::builtin_scene("pyramid:4");
    REQUIRE(scene);
    const model::Model m = built(*scene);  // thirty boxes of two metres
    std::vector<Pose>  ends[2];
    for (const bool keep : {false, true}) {
        const auto  ran        = simulated(m, {.frames = 3600, .every = 600, .substeps = 4, .keep_pairs = keep});
        const auto& frames     = ran.recording.frames;
        const auto &after_10_s = frames[1].body_q, &end = frames.back().body_q;
        for (std::size_t i = 0; i < end.size(); ++i) {
            CHECK(test::distance(end[i].p, after_10_s[i].p) < 2e-4);  // 1e-4 of the size
            CHECK(test::angle_between(end[i].q, after_10_s[i].q) < 1e-4);
        }
        ends[keep ? 1 : 0] = end;
    }
    for (std::size_t i = 0; i < ends[0].size(); ++i)
        CHECK(static_cast<double>(ends[1][i].p.z) == test::close_to(static_cast<double>(ends[0][i].p.z), 2e-4));
}

TEST_CASE("a box that slides or tumbles moves as with contacts of every step")
{
    model::ModelBuilder b;
    b.rigid_gap = 0.01;
    b.add_shape_box(-1, {{0, 0, -1}, {}}, {20, 20, 1}, {});
    const auto slider  = b.add_body({{0, 0, 0.1}, {}}, "slider");
    const auto tumbler = b.add_body({{0, 5, 0.6}, from_rotation_vector(Vec3d{0.3, 0.8, 0.1})}, "tumbler");
    b.add_shape_box(slider, {}, {0.1, 0.1, 0.1}, {});
    b.add_shape_box(tumbler, {}, {0.1, 0.12, 0.15}, {});
    model::Model m = built(b);
    m.shape_material_mu.assign(m.shape_material_mu.size(), Real(0.5));
    // A free joint: linear, then angular velocity.
    const auto set = [&](std::int32_t body, std::size_t first, const Vec3& v) {
        for (std::size_t k = 0; k < 3; ++k) m.joint_qd[6 * static_cast<std::size_t>(body) + first + k] = v[k];
    };
    set(slider, 0, {3, 0, 0});
    set(tumbler, 3, {4, -3, 2});
    std::vector<Pose> ends[2];
    for (const bool keep : {false, true})
        ends[keep ? 1 : 0] =
            simulated(m, {.frames = 300, .every = 300, .keep_pairs = keep}).recording.frames.back().body_q;
    // v^2 / 2 mu g: both end there, but for the last steps, where the one that keeps contacts stands still sooner or
    // later by no more than the thresholds
    CHECK(static_cast<double>(ends[0][0].p.x) == test::close_to(9 / (2 * 0.5 * 9.81), 0.02));
    CHECK(test::distance(ends[0][0].p, ends[1][0].p) < 1e-4);
    // what tumbles comes down on one of its faces, half an extent high
    const double z = static_cast<double>(ends[1][1].p.z);
    CHECK(std::min({std::abs(z - 0.1), std::abs(z - 0.12), std::abs(z - 0.15)}) < 1e-3);
    CHECK(test::distance(ends[0][1].p, ends[1][1].p) < 1e-2);
}

TEST_CASE(
    "a pile goes on from a checkpoint with the bits of one that was never interrupted, on any number of threads "
    "(DYN-132, T-100)")
{
    for (const char* name : {"pyramid:4", "convex-vs-mesh:3"}) {
        CAPTURE(name);
        auto scene = run::builtin_scene(name);
        REQUIRE(scene);
        const model::Model m     = built(*scene);
        const auto         whole = simulated(m, {.frames = 160, .every = 160, .threads = 1});
        for (const std::int64_t cut : {1, 75, 140}) {
            CAPTURE(cut);
            const auto begun = simulated(m, {.frames = cut, .every = cut, .threads = 2, .keep_end = true});
            CHECK(begun.end.pair_memory.size() > 0);
            const auto bytes = record::to_bytes(begun.end);
            const auto from  = record::read_checkpoint(bytes, "memory");
            REQUIRE(from);
            const auto rest = simulated(m, {.frames = 160 - cut, .every = 160, .threads = 8, .from = &*from});
            CHECK(rest.recording.hash == whole.recording.hash);
        }
    }
}
