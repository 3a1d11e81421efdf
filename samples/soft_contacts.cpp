// Contacts of particles with shapes, at two distances from which they are made, and of a sheet of particles.
//
//     sample_soft_contacts
#include <array>

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

    // A sheet of two triangles, 2 m wide, 5 mm above the box: none of its corners is near, its middle is.
    model::ModelBuilder sheet = builder;
    const auto          first = static_cast<std::int32_t>(sheet.particles.size());
    for (const Vec3d& at : {Vec3d{0, -1, 1.005}, Vec3d{2, -1, 1.005}, Vec3d{2, 1, 1.005}, Vec3d{0, 1, 1.005}})
        sheet.add_particle(at, {}, 0.001, 0);
    const std::array<std::int32_t, 3> triangles[] = {{first, first + 1, first + 2}, {first, first + 2, first + 3}};
    sheet.add_particle_surface(triangles);
    const auto with_sheet = sample::finalize(sheet);
    collision::create_soft_contacts(with_sheet, model::make_state(with_sheet), soft, 0.01, true);
    std::printf("with the sheet: %d contacts\n", soft.soft_contact_count);
    int of_surface = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(soft.soft_contact_count); ++i) {
        const auto& [a, b, c] = soft.soft_contact_indices[i];
        const Vec3& w         = soft.soft_contact_barycentric[i];
        std::printf("  particles %d %d %d, weights %.2f %.2f %.2f, shape %d\n", a, b, c, static_cast<double>(w.x),
                    static_cast<double>(w.y), static_cast<double>(w.z), soft.soft_contact_shape[i]);
        of_surface += soft.soft_contact_particle[i] < 0 ? 1 : 0;
    }
    claims.that(of_surface == 3, "the edge across the box and both triangles touch it");
    return claims.exit_code();
}
