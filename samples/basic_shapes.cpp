// One of each shape falls on the ground, and all come to rest.
//
//     sample_basic_shapes [-o FILE.png|FILE.html]
#include <cmath>

#include "sample_film.h"
#include "mechane/geometry/hull.h"
#include "mechane/simulation/simulate.h"

using namespace mechane;

namespace {

/// A pyramid with a square base, its centre of mass at the origin.
std::shared_ptr<const geometry::Mesh> pyramid()
{
    const Vec3d points[] = {{0.5, 0.5, -0.2}, {-0.5, 0.5, -0.2}, {-0.5, -0.5, -0.2}, {0.5, -0.5, -0.2}, {0, 0, 0.6}};
    return std::make_shared<const geometry::Mesh>(sample::get(geometry::build_hull(points)));
}

}  // namespace

int main(int argc, char** argv)
{
    model::ModelBuilder builder;
    builder.rigid_gap               = 0.02;
    builder.default_shape.mu_rolling = 0.05;
    builder.add_ground_plane();
    const model::ShapeConfig& own  = builder.default_shape;
    int                       slot = 0;
    const Quatd               tilted = from_axis_angle<double>(normalized(Vec3d{1, 0.4, 0}), 25 * kDegrees);
    const auto body = [&](const char* name) { return builder.add_body({{1.5 * slot++ - 4.5, 0, 1.2}, tilted}, name); };
    builder.add_shape_sphere(body("sphere"), {}, 0.5, own);
    builder.add_shape_box(body("box"), {}, {0.4, 0.5, 0.3}, own);
    builder.add_shape_capsule(body("capsule"), {}, 0.3, 0.4, own);
    builder.add_shape_cylinder(body("cylinder"), {}, 0.4, 0.5, own);
    builder.add_shape_cone(body("cone"), {}, 0.5, 0.5, own);
    builder.add_shape_ellipsoid(body("ellipsoid"), {}, {0.6, 0.4, 0.3}, own);
    builder.add_shape_mesh(body("pyramid"), {}, {1, 1, 1}, pyramid(), own);
    const Vec3d colors[] = {{0.86, 0.37, 0.34}, {0.86, 0.63, 0.34}, {0.80, 0.82, 0.36}, {0.42, 0.75, 0.43},
                            {0.34, 0.72, 0.80}, {0.40, 0.48, 0.85}, {0.70, 0.42, 0.80}};
    for (std::size_t i = 0; i < 7; ++i) builder.shapes[i + 1].color = colors[i];
    const auto model = sample::finalize(builder);

    Diagnostics found;
    const auto  run = sample::get(run::simulate(model, {.frames = 360, .threads = 1}, found));

    // Where the lowest point of a shape that stands on its end is: half its height below the middle. The rest lie down
    // or roll, and are lower.
    const double   highest[] = {0.5, 0.3, 0.7, 0.5, 0.5, 0.3, 0.2};
    const auto&    end       = run.recording.frames.back();
    sample::Claims claims;
    for (std::size_t i = 0; i < model.body_count(); ++i) {
        const double z = double(end.body_q[i].p.z), speed = length(static_cast<Vec3d>(end.body_qd[i].linear));
        std::printf("%-9s z %.3f m, speed %.4f m/s\n", model.body_label[i].c_str(), z, speed);
        claims.that(z > 0.15 && z < highest[i] + 0.01, "every shape lies on the ground");
        claims.that(speed < 0.05, "every shape has come to rest");
    }
    sample::Film film(model, argc, argv);
    film.write(run.recording);
    return claims.exit_code();
}
