// Contacts drawn over a picture: points orange, normals blue, forces red.
//
//     sample_draw_contacts [-o FILE.png|FILE.html]
#include "sample_film.h"
#include "mechane/simulation/simulate.h"

using namespace mechane;

int main(int argc, char** argv)
{
    model::ModelBuilder builder;
    builder.rigid_gap = 0.02;
    builder.add_ground_plane();
    const auto drop = [&](const char* name, const Vec3d& at) { return builder.add_body({at, {}}, name); };
    builder.add_shape_box(drop("low", {0, 0, 0.2}), {}, {0.4, 0.3, 0.2}, {});
    builder.add_shape_box(drop("high", {0.1, 0.05, 0.6}), {}, {0.2, 0.2, 0.2}, {});
    builder.add_shape_sphere(drop("ball", {-0.9, 0, 0.25}), {}, 0.25, {});
    builder.add_shape_capsule(drop("capsule", {0.9, 0, 0.15}),
                              {{}, from_axis_angle<double>({1, 0, 0}, kPi / 2)}, 0.15, 0.25, {});
    const Vec3d colors[] = {{0.55, 0.62, 0.70}, {0.86, 0.63, 0.34}, {0.42, 0.75, 0.43}, {0.70, 0.42, 0.80}};
    for (std::size_t i = 0; i < 4; ++i) builder.shapes[i + 1].color = colors[i];
    const auto model = sample::finalize(builder);

    Diagnostics found;
    const auto  run      = sample::get(run::simulate(model, {.frames = 60, .threads = 1}, found));
    const auto& contacts = run.recording.frames.back().contacts;
    std::printf("%zu contacts\n", contacts.size());
    for (const auto& c : contacts)
        std::printf("  %d - %d at (%.3f, %.3f, %.3f), %.1f N\n", c.shape0, c.shape1, double(c.point.x),
                    double(c.point.y), double(c.point.z), double(length(c.force)));
    sample::Film film(model, argc, argv);
    film.write(run.recording, {.contacts = true});

    sample::Claims claims;
    // Four corners on the ground, four on the box below, the ball's one, two of the capsule.
    claims.that(contacts.size() == 11, "there are eleven contacts");
    return claims.exit_code();
}
