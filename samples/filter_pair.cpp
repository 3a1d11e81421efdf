// A pair of shapes that shall not collide, named twice, is in the set once.
//
//     sample_filter_pair
#include "mechane/collision/pipeline.h"
#include "sample.h"

using namespace mechane;

namespace {

std::int32_t contacts_of(const model::Model& model)
{
    collision::CollisionPipeline pipeline(model);
    model::Contacts              contacts = pipeline.make_contacts();
    return pipeline.collide(model::make_state(model), 0, contacts).contacts;
}

}  // namespace

int main()
{
    model::ModelBuilder builder;
    const std::int32_t  a = builder.add_shape_sphere(builder.add_body({}, "ball"), {}, 0.5, {});
    const std::int32_t  b = builder.add_shape_box(builder.add_body({{0.5, 0, 0}, {}}, "box"), {}, {0.5, 0.5, 0.5}, {});
    const std::int32_t  before = contacts_of(sample::finalize(builder));
    builder.add_shape_collision_filter_pair(a, b);
    builder.add_shape_collision_filter_pair(b, a);  // the same pair
    const auto         model = sample::finalize(builder);
    const std::int32_t after = contacts_of(model);
    for (const auto& [i, k] : model.shape_collision_filter_pairs) std::printf("filtered: %d and %d\n", i, k);
    std::printf("contacts before %d, after %d\n", before, after);
    sample::Claims claims;
    claims.that(model.shape_collision_filter_pairs.size() == 1, "the pair is in the set once");
    claims.that(before > 0 && after == 0, "the pair had contacts and has none");
    return claims.exit_code();
}
