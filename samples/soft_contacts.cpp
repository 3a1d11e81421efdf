// Contacts of particles with shapes, at two distances from which they are made.
//
//     sample_soft_contacts
#include "mechane/collision/soft_contacts.h"
#include "sample.h"

using namespace mechane;

int main()
{
    model::ModelBuilder builder;
    builder.add_ground_plane();
    builder.add_shape_box(builder.add_body({{1, 0, 0.5}, {}}, "box"), {}, {0.5, 0.5, 0.5}, {});
    // Particles of 1 cm: 5 mm and 30 mm above the ground, and 20 mm above the box.
    for (const Vec3d& at : {Vec3d{-1, 0, 0.015}, Vec3d{-2, 0, 0.04}, Vec3d{1, 0, 1.03}})
        builder.add_particle(at, {}, 0.001, 0.01);
    const auto         model = sample::finalize(builder);
    const model::State state = model::make_state(model);

    model::SoftContacts soft;
    sample::Claims      claims;
    for (const auto& [margin, expected] : {std::pair{0.01, 1}, std::pair{0.05, 3}}) {
        collision::create_soft_contacts(model, state, soft, margin);
        std::printf("margin %.2f m: %d contacts\n", margin, soft.soft_contact_count);
        for (std::size_t i = 0; i < static_cast<std::size_t>(soft.soft_contact_count); ++i)
            std::printf("  particle %d, shape %d\n", soft.soft_contact_particle[i], soft.soft_contact_shape[i]);
        claims.that(soft.soft_contact_count == expected, "1 cm reaches one particle, 5 cm all three");
    }
    return claims.exit_code();
}
