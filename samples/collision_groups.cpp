// Integer groups: which of them collide, by the rule alone and by the pipeline.
//
//     sample_collision_groups
#include "mechane/collision/pipeline.h"
#include "sample.h"

using namespace mechane;

namespace {

/// Whether two balls that overlap have a contact.
bool touch(std::int32_t group_a, std::int32_t group_b)
{
    model::ModelBuilder builder;
    for (const std::int32_t group : {group_a, group_b}) {
        model::ShapeConfig config;
        config.collision_group = group;
        builder.add_shape_sphere(builder.add_body({}, "ball"), {}, 0.5, config);
    }
    const auto                   model = sample::finalize(builder);
    collision::CollisionPipeline pipeline(model);
    model::Contacts              contacts = pipeline.make_contacts();
    return pipeline.collide(model::make_state(model), 0, contacts).contacts > 0;
}

}  // namespace

int main()
{
    const struct {
        std::int32_t a, b;
        bool         collide;
        const char*  reason;
    } table[] = {{0, -1, false, "group 0 disables collision"},     {1, 1, true, "same positive group"},
                 {1, 2, false, "different positive groups"},       {1, -2, true, "positive with any negative"},
                 {-1, -1, false, "same negative group"},           {-1, -2, true, "different negative groups"}};
    sample::Claims claims;
    for (const auto& row : table) {
        const bool rule = collision::groups_collide(row.a, row.b);
        std::printf("%2d and %2d: %-3s  %s\n", row.a, row.b, rule ? "yes" : "no", row.reason);
        claims.that(rule == row.collide, "the rule gives the table");
        claims.that(touch(row.a, row.b) == rule && touch(row.b, row.a) == rule, "the pipeline keeps the rule");
    }
    return claims.exit_code();
}
