#include <algorithm>
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

TEST_CASE("threads that share a scene find what one finds, row by row (COL-162)")
{
    struct {
        const char*         name;
        model::ModelBuilder builder;
    } rows[] = {
        {"01", bench::mixed_convex(20)},
        {"04", bench::over_terrain(100, 12, false)},
        {"09", bench::walkers(100)},
        {"10", bench::hull_pile(500)},
    };
    const tasks::Pool pool(8);
    for (const auto& row : rows) {
        CAPTURE(row.name);
        Diagnostics out;
        const auto  model = row.builder.finalize({}, out);
        REQUIRE(model.has_value());
        const auto                   state = model::make_state(*model);
        collision::CollisionPipeline alone(*model), together(*model, {.pool = &pool});
        auto                         one = alone.make_contacts(), all = together.make_contacts();
        alone.collide(state, 1.0 / 60, one);
        together.collide(state, 1.0 / 60, all);
        REQUIRE(one.rigid_contact_count == all.rigid_contact_count);
        for (std::size_t i = 0; i < static_cast<std::size_t>(one.rigid_contact_count); ++i) {
            CHECK(one.rigid_contact_shape0[i] == all.rigid_contact_shape0[i]);
            CHECK(one.rigid_contact_feature[i] == all.rigid_contact_feature[i]);
            CHECK(one.rigid_contact_distance[i] == all.rigid_contact_distance[i]);
        }
    }
}
