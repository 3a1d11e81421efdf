// What a shape takes part in: contacts with shapes, contacts with particles, both, or neither.
//
//     sample_participation
#include "mechane/collision/pipeline.h"
#include "sample.h"

using namespace mechane;

namespace {

struct Counts {
    int  rigid = 0, soft = 0;
    bool operator==(const Counts&) const = default;
};

/// Contacts of a ball with a ball that overlaps it, and with a particle at its surface.
Counts count(const model::ShapeConfig& config)
{
    model::ModelBuilder builder;
    builder.add_shape_sphere(builder.add_body({}, "ball"), {}, 0.5, config);
    model::ShapeConfig other;
    other.has_particle_collision = false;
    builder.add_shape_sphere(builder.add_body({{0.9, 0, 0}, {}}, "other"), {}, 0.5, other);
    builder.add_particle({0, 0, 0.55}, {}, 0.001, 0.1);
    const auto         model = sample::finalize(builder);
    const model::State state = model::make_state(model);

    collision::CollisionPipeline pipeline(model);
    model::Contacts              contacts = pipeline.make_contacts();
    pipeline.collide(state, 0, contacts);
    return {contacts.rigid_contact_count, contacts.soft_contact_count};
}

}  // namespace

int main()
{
    sample::Claims claims;
    for (const bool shapes : {true, false})
        for (const bool particles : {true, false}) {
            model::ShapeConfig config;
            config.has_shape_collision    = shapes;
            config.has_particle_collision = particles;
            const Counts found            = count(config);
            std::printf("shapes %-3s particles %-3s: %d rigid, %d soft\n", shapes ? "yes" : "no",
                        particles ? "yes" : "no", found.rigid, found.soft);
            claims.that(found == Counts{shapes ? 1 : 0, particles ? 1 : 0}, "each flag rules its own kind of contact");
        }
    return claims.exit_code();
}
