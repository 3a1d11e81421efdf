#include <algorithm>
#include <chrono>

#include "mechane/run/builtin_scenes.h"
#include "mechane/run/simulate.h"
#include "support/support.h"

using namespace mechane;

namespace {

/// The shortest of some runs of a chain [s]: what else the machine does only adds.
double shortest(const std::string& name)
{
    const auto scene = run::builtin_scene(name);
    REQUIRE(scene);
    Diagnostics found;
    const auto  model = scene->finalize({}, found);
    REQUIRE(model);
    double best = 1e300;
    for (int i = 0; i < 7; ++i) {
        const auto result =
            run::simulate(*model, {.dt = 0.002, .frames = 40, .every = 40, .substeps = 1, .threads = 1}, found);
        REQUIRE(result);
        REQUIRE_FALSE(result->diverged);
        best = std::min(best, result->recording.report.wall_s.at("solve"));
    }
    return best;
}

}  // namespace

TEST_CASE("a chain of a hundred links takes at most 14 times as long as one of ten (DYN-154)")
{ CHECK(shortest("chain:100") < 14 * shortest("chain:10")); }
