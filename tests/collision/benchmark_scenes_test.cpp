#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "../../bench/colb_scenes.h"
#include "mechane/collision/pipeline.h"
#include "mechane/tasks/parallel.h"
#include "shapes.h"

using namespace mechane;
using namespace mechane::test;

TEST_CASE(
    "the room for contacts that a pipeline plans holds at least a thousand rows, and those of COLB-01 to 05 (COL-064)")
{
    // With assertions the large scenes are made smaller; their numbers of contacts per shape stay.
#ifdef MECHANE_ASSERTS
    constexpr int kWorlds = 10, kSide = 200, kTerrain = 100, kColumns = 12, kDrops = 200;
#else
    constexpr int kWorlds = 191, kSide = 1024, kTerrain = 707, kColumns = 66, kDrops = 2000;
#endif
    struct {
        const char*         name;
        model::ModelBuilder builder;
    } rows[] = {
        {"nothing at all", {}},
        {"01", bench::mixed_convex(kWorlds)},
        {"01 hulls", bench::hull_pairs(56, false)},
        {"01 one hull", bench::hull_pairs(192, true)},
        {"02 walls", bench::pyramids(20, 4)},
        {"02 square", bench::square_pyramid(15)},
        {"03", bench::heightfield_rain(200, 100)},
        {"03 large", bench::heightfield_rain(kDrops, kSide)},
        {"04", bench::over_terrain(100, 21, false)},
        {"05", bench::over_terrain(kTerrain, kColumns, true)},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        Diagnostics out;
        const auto  model = row.builder.finalize({}, out);
        REQUIRE(model.has_value());
        collision::CollisionPipeline pipeline(*model);
        auto                         contacts = pipeline.make_contacts();
        const std::size_t            planned  = contacts.capacity();
        const auto                   status   = pipeline.collide(model::make_state(*model), 1.0 / 60, contacts);
        CHECK(planned >= 1000);
        CHECK(status.ok());
        CHECK(status.rows.needed <= static_cast<std::int64_t>(planned));
        CHECK(contacts.capacity() == planned);  // it did not have to grow
        CHECK((status.contacts > 20 || model->shape_count() == 0));
    }
}

#ifndef MECHANE_ASSERTS  // which take their own time
TEST_CASE("up to eight threads share a scene: at least four fifths of their time goes into it (COL-162)")
{
    const int threads = std::min(8, tasks::available_threads());
    if (threads == 1) {
        MESSAGE("skipped: one processor");
        return;
    }
    struct {
        const char*         name;
        model::ModelBuilder builder;
    } rows[] = {
        {"01", bench::mixed_convex(191)},
        {"04", bench::over_terrain(100, 21, false)},
        {"09", bench::walkers(1024)},
        {"10", bench::hull_pile(5000)},
    };
    const tasks::Pool pool(threads);
    for (const auto& row : rows) {
        CAPTURE(row.name);
        Diagnostics out;
        const auto  model = row.builder.finalize({}, out);
        REQUIRE(model.has_value());
        const auto                   state = model::make_state(*model);
        collision::CollisionPipeline alone(*model), together(*model, {.pool = &pool});
        auto                         contacts = alone.make_contacts();
        const auto                   seconds  = [&](collision::CollisionPipeline& pipeline) {
            const auto start = std::chrono::steady_clock::now();
            (void)pipeline.collide(state, 1.0 / 60, contacts);
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        };
        double one = 1e9, all = 1e9;
        for (int i = 0; i < 15; ++i) {
            one = std::min(one, seconds(alone));
            all = std::min(all, seconds(together));
        }
        const double efficiency = one / (all * threads);
        MESSAGE("COLB-", std::string(row.name), ": ", threads, " threads, efficiency ", efficiency);
        // Beside other programs the threads wait for each other; together they must not take much longer than one
        // alone.
        if (std::getenv("MECHANE_QUIET_MACHINE") != nullptr)
            CHECK(efficiency >= 0.8);
        else
            CHECK(all < 2 * one);
    }
}
#endif
