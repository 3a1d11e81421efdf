// Worlds: what belongs to one never meets what belongs to another, and all stand on one ground.
//
//     sample_worlds
#include "mechane/collision/pipeline.h"
#include "sample.h"

using namespace mechane;

int main()
{
    model::ModelBuilder robot;
    robot.add_shape_sphere(robot.add_body({{0, 0, 0.49}, {}}, "robot"), {}, 0.5, {});

    model::ModelBuilder builder;
    builder.add_ground_plane();  // of no world: it meets all
    for (int world = 0; world < 2; ++world) {
        builder.begin_world();
        if (const auto added = builder.add_builder(robot); !added) sample::leave(added.error());
        builder.end_world();
    }
    const auto model = sample::finalize(builder);
    for (std::size_t i = 0; i < model.shape_count(); ++i)
        std::printf("shape %zu: world %d\n", i, model.shape_world[i]);

    collision::CollisionPipeline pipeline(model);
    model::Contacts              contacts = pipeline.make_contacts();
    pipeline.collide(model::make_state(model), 0, contacts);
    int between = 0, with_ground = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i) {
        const auto world = [&](std::int32_t shape) { return model.shape_world[static_cast<std::size_t>(shape)]; };
        const std::int32_t a = world(contacts.rigid_contact_shape0[i]), b = world(contacts.rigid_contact_shape1[i]);
        between += a >= 0 && b >= 0 && a != b;
        with_ground += a < 0 || b < 0;
    }
    std::printf("contacts between worlds %d, with the ground %d\n", between, with_ground);
    sample::Claims claims;
    claims.that(model.shape_world == std::vector<std::int32_t>{-1, 0, 1}, "the worlds are -1, 0 and 1");
    claims.that(between == 0 && with_ground == 2, "the balls, at one place, meet the ground and not each other");
    return claims.exit_code();
}
