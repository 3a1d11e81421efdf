// The contacts of a state, found with two broad phases: the same, whichever finds the pairs.
//
//     sample_collide_basic
#include "mechane/collision/pipeline.h"
#include "sample.h"

using namespace mechane;

int main()
{
    model::ModelBuilder builder;
    builder.rigid_gap = 0.01;
    builder.add_ground_plane();
    for (int i = 0; i < 5; ++i) {  // a row of balls that just touch each other and the ground
        const std::int32_t ball = builder.add_body({{0.2 * i, 0, 0.1}, {}}, "ball" + std::to_string(i));
        builder.add_shape_sphere(ball, {}, 0.1, {});
    }
    builder.add_shape_box(builder.add_body({{0, 1, 0.1}, {}}, "box"), {}, {0.1, 0.1, 0.1}, {});
    const auto         model = sample::finalize(builder);
    const model::State state = model::make_state(model);

    std::int32_t counts[2] = {};
    for (const auto mode : {collision::BroadPhaseMode::explicit_pairs, collision::BroadPhaseMode::sweep}) {
        const bool                   sweep = mode == collision::BroadPhaseMode::sweep;
        collision::CollisionPipeline pipeline(model, {.broad_phase = mode});
        model::Contacts              contacts = pipeline.make_contacts();
        pipeline.collide(state, 0, contacts);
        counts[sweep] = contacts.rigid_contact_count;
        std::printf("%s: %d contacts\n", sweep ? "SAP" : "EXPLICIT", contacts.rigid_contact_count);
    }
    sample::Claims claims;
    // Four pairs of neighbours, five balls and four corners of the box on the ground.
    claims.that(counts[0] == 13 && counts[1] == 13, "both broad phases lead to 13 contacts");
    return claims.exit_code();
}
