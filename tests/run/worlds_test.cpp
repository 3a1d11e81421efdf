#include <cstring>
#include <string>
#include <vector>

#include "mechane/run/builtin_scenes.h"
#include "mechane/simulation/simulate.h"
#include "support/support.h"

// Worlds of one model: copies and different ones, each as if it were alone.

using namespace mechane;

namespace {

model::ModelBuilder scene(const std::string& name)
{
    auto built = run::builtin_scene(name);
    REQUIRE(built);
    return *std::move(built);
}

model::Model finalized(const model::ModelBuilder& builder)
{
    Diagnostics found;
    auto        model = builder.finalize({}, found);
    REQUIRE(model);
    return *std::move(model);
}

record::Frame last_frame(const model::Model& model, std::int64_t steps, int threads)
{
    Diagnostics found;
    auto        result = run::simulate(model, {.frames = steps, .every = steps, .threads = threads}, found);
    REQUIRE(result);
    CHECK_FALSE(result->diverged);
    return result->recording.frames.back();
}

/// Whether the bodies of `alone` are, bit for bit, those of `all` from `first` on.
bool same_bits(const record::Frame& alone, const record::Frame& all, std::size_t first)
{
    return std::memcmp(alone.body_q.data(), &all.body_q[first], alone.body_q.size() * sizeof(Pose)) == 0 &&
           std::memcmp(alone.body_qd.data(), &all.body_qd[first], alone.body_qd.size() * sizeof(Spatial)) == 0;
}

}  // namespace

TEST_CASE("256 copies of an ant move with the bits of one alone (DYN-130, T-98)")
{
    const auto          ant = scene("ant");
    model::ModelBuilder copies;
    REQUIRE(copies.replicate(ant, 256));
    const model::Model one = finalized(ant), many = finalized(copies);
    const auto         alone = last_frame(one, 40, 1), all = last_frame(many, 40, 2);
    const std::size_t  bodies = one.body_count();
    REQUIRE(all.body_q.size() == 256 * bodies);
    for (std::size_t world = 0; world < 256; ++world) {
        CAPTURE(world);
        CHECK(same_bits(alone, all, world * bodies));
    }
}

TEST_CASE("different worlds of one model move as each would alone, with their own gravity (DYN-136)")
{
    const std::vector<std::string> names{"humanoid", "ant:2", "chain:4", "spheres:10"};
    // What is replicated once is a world of its own.
    model::ModelBuilder       all;
    std::vector<model::Model> alone;
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto part    = scene(names[i]);
        part.gravity = {0, 0, -9.81 + 2.0 * static_cast<double>(i)};
        REQUIRE(all.replicate(part, 1));
        alone.push_back(finalized(part));
    }
    const model::Model together = finalized(all);
    REQUIRE(together.world_count == 4);
    // counts: bodies of each world begin where those of the one before end; last: all, before the global ones (DYN-021)
    REQUIRE(together.body_world_start.size() == 4 + 2);
    std::int32_t begin = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        CHECK(together.body_world_start[i] == begin);
        begin += static_cast<std::int32_t>(alone[i].body_count());
    }
    CHECK(together.body_world_start[4] == begin);
    CHECK(together.body_world_start[5] == begin);

    const auto  frame = last_frame(together, 60, 2);
    std::size_t first = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        CAPTURE(names[i]);
        CHECK(same_bits(last_frame(alone[i], 60, 1), frame, first));
        first += alone[i].body_count();
    }
}
