#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "mechane/run/builtin_scenes.h"
#include "mechane/simulation/simulate.h"
#include "support/support.h"

using namespace mechane;

namespace {

model::Model built(const std::string& name)
{
    const auto builder = run::builtin_scene(name);
    REQUIRE(builder);
    Diagnostics found;
    auto        model = builder->finalize({}, found);
    REQUIRE(model);
    CHECK(found.count(Severity::warning) + found.count(Severity::error) == 0);
    return *std::move(model);
}

}  // namespace

TEST_CASE("the built-in scenes have the sizes that they are known by")
{
    // Jolt's Pyramid: the sum of n^2 for n = 1..15
    CHECK(built("pyramid").body_count() == 1240);
    CHECK(built("convex-vs-mesh").body_count() == 21 * 21 * 4);
    const model::Model humanoid = built("humanoid");
    CHECK(humanoid.body_count() == 13);
    CHECK(humanoid.joint_dof_count() == 6 + 21);
    const model::Model ants = built("ant:3");
    CHECK(ants.body_count() == 3 * 9);
    CHECK(ants.joint_dof_count() == 3 * (6 + 8));
    CHECK(built("chain:7").joint_dof_count() == 3 * 7);
    CHECK(built("spheres").body_count() == 666);
    double mass = 0;
    for (const Real m : humanoid.body_mass) mass += static_cast<double>(m);
    CHECK(mass > 50);  // a person
    CHECK(mass < 90);
}

TEST_CASE("the built-in scenes run without a fault, the same on any number of threads")
{
    for (const char* name :
         {"pyramid:3", "convex-vs-mesh:3", "ragdoll-pile:2", "humanoid", "ant:30", "chain:5", "spheres:40"}) {
        CAPTURE(name);
        const model::Model model = built(name);
        std::uint64_t      hash  = 0;
        for (const int threads : {1, 2}) {
            Diagnostics found;
            const auto  result = run::simulate(model, {.frames = 90, .every = 90, .threads = threads}, found);
            REQUIRE(result);
            CHECK_FALSE(result->diverged);
            CHECK(result->projected_linear < 1e-5);
            CHECK(found.count(Severity::warning) == 0);
            if (threads == 1) hash = result->recording.hash;
            CHECK(result->recording.hash == hash);
        }
    }
}

TEST_CASE("a pyramid stands and a chain keeps its length")
{
    const model::Model pyramid = built("pyramid:4");
    Diagnostics        found;
    const auto         stood = run::simulate(pyramid, {.frames = 300, .every = 300}, found);
    REQUIRE(stood);
    CHECK(stood->recording.report.final_penetration < 0.005);
    CHECK(stood->recording.report.final_overlap < 0.005);
    // the layers have come down onto each other: the top box rests at 3 * 2 m + 1 m
    CHECK(static_cast<double>(stood->recording.frames.back().body_q.back().p.z) == doctest::Approx(7).epsilon(0.002));

    for (const char* name : {"chain:10", "chain:60"}) {  // by the mass matrix, and by recursion over the links
        const model::Model chain = built(name);
        const auto         swung = run::simulate(chain, {.frames = 60, .every = 60}, found);
        REQUIRE(swung);
        const auto& poses = swung->recording.frames.back().body_q;
        for (std::size_t i = 1; i < poses.size(); ++i)
            CHECK(static_cast<double>(length(poses[i].p - poses[i - 1].p)) == doctest::Approx(0.1).epsilon(1e-4));
        // Without friction the energy stays but for the error of a first-order method: with the substep halved, half.
        const auto error = [&](int substeps) {
            const auto run = run::simulate(chain, {.frames = 60, .substeps = substeps}, found);
            REQUIRE(run);
            double      worst = 0, fastest = 0;
            const auto& frames = run->recording.frames;
            for (const record::Frame& frame : frames) {
                worst   = std::max(worst, std::abs(frame.kinetic + frame.potential - frames.front().potential));
                fastest = std::max(fastest, frame.kinetic);
            }
            return worst / fastest;
        };
        const double coarse = error(16), fine = error(32);
        CHECK(coarse < 0.1);
        CHECK(fine < 0.6 * coarse);
    }
}

TEST_CASE("a scene that does not exist is refused")
{
    for (const char* name : {"", "tower", "pyramid:", "pyramid:0", "pyramid:61", "ant:2x", "ant:-1", ":3"}) {
        CAPTURE(name);
        const auto scene = run::builtin_scene(name);
        REQUIRE_FALSE(scene);
        CHECK(scene.error().id == "RUN_SCENE");
        CHECK_FALSE(scene.error().hint.empty());
    }
}
