#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "mechane/geometry/heightfield.h"
#include "mechane/model/builder.h"
#include "mechane/run/builtin_scenes.h"
#include "mechane/simulation/simulate.h"
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

TEST_CASE("what rolls slowly is not pushed on by contacts that are kept, over a box or a mesh")
{
    constexpr double r = 0.2, half = 0.25, room = 2;
    enum class Kind { ball, capsule, cylinder };
    const auto floor   = std::make_shared<geometry::Mesh>(geometry::grid_mesh(
        5, 9, geometry::GridOrder::y_fastest, [](int i, int k) { return Vec3d{1.0 * i - 2, 0.5 * k - 2, 0}; },
        [](int, int) { return geometry::Diagonal::falling; }));
    const auto along_y = from_rotation_vector(Vec3d{0.5 * kPi, 0, 0});
    const auto rolling = [&](Kind kind, bool on_mesh, double v, bool keep) {
        model::ModelBuilder b;
        b.rigid_gap = 0.01;
        if (on_mesh)
            b.add_shape_mesh(-1, {}, {1, 1, 1}, floor, {});
        else
            b.add_shape_box(-1, {{0, 0, -1}, {}}, {room, room, 1}, {});
        const auto body = b.add_body({{0.6, 0.02, r}, {}}, "body");
        if (kind == Kind::ball) b.add_shape_sphere(body, {}, r, {});
        if (kind == Kind::capsule) b.add_shape_capsule(body, {{}, along_y}, r, half, {});
        if (kind == Kind::cylinder) b.add_shape_cylinder(body, {{}, along_y}, r, half, {});
        model::Model m = built(b);
        m.shape_material_mu.assign(m.shape_material_mu.size(), Real(0.5));
        m.shape_material_mu_rolling.assign(m.shape_material_mu_rolling.size(), Real(0));
        m.joint_qd[0] = static_cast<Real>(v);
        m.joint_qd[4] = static_cast<Real>(v / r);
        std::vector<double> speeds;
        for (const auto& frame :
             simulated(m, {.frames = 600, .every = 60, .substeps = 1, .keep_pairs = keep}).recording.frames)
            speeds.push_back(static_cast<double>(frame.body_qd[0].linear.x));
        return speeds;
    };
    for (const Kind kind : {Kind::ball, Kind::capsule, Kind::cylinder})
        for (const bool on_mesh : {false, true})
            for (const double v : {0.003, 0.01, 0.03}) {
                CAPTURE(static_cast<int>(kind));
                CAPTURE(on_mesh);
                CAPTURE(v);
                const auto exact = rolling(kind, on_mesh, v, false), kept = rolling(kind, on_mesh, v, true);
                REQUIRE(kept.size() == 11);
                // A normal that lags by 1e-3 rad pushes on up to as much a step, 12 mm/s; the edges of triangles alone
                // change the speed by 2e-5 m/s.
                for (std::size_t i = 0; i < kept.size(); ++i) {
                    CHECK(std::abs(kept[i] - exact[i]) < 5e-5);
                    CHECK(kept[i] < v + 1e-6);
                }
            }
}
