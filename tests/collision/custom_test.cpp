#include <doctest/doctest.h>

#include "mechane/collision/pipeline.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

using namespace mechane;

TEST_CASE(
    "contact attributes have a row for each contact of the capacity and are reset by every collide call (GAP-022)")
{
    model::ModelBuilder builder;
    builder.add_shape_sphere(builder.add_body({}, "ball"), {}, 0.5, {});
    builder.add_ground_plane();
    REQUIRE(builder.add_custom_attribute({.name       = "wear",
                                          .frequency  = model::CustomFrequency::contact,
                                          .assignment = model::CustomAssignment::contact,
                                          .otherwise  = {0.25}}));
    Diagnostics found;
    const auto  model = builder.finalize({}, found);
    REQUIRE(model);
    const auto on_model = model->custom<Real>("wear");
    REQUIRE_FALSE(on_model);
    CHECK(on_model.error().hint == "The contact holds it.");

    collision::CollisionPipeline pipeline(*model, {});
    model::Contacts              contacts = pipeline.make_contacts();
    auto                         wear     = contacts.custom<Real>("wear");
    REQUIRE(wear);
    CHECK(wear->size() == contacts.capacity());
    for (Real& x : *wear) x = 7;
    pipeline.collide(make_state(*model), 0.01, contacts);
    wear = contacts.custom<Real>("wear");
    REQUIRE(wear);
    CHECK(wear->size() == contacts.capacity());
    for (const Real x : *wear) CHECK(x == Real(0.25));
}
