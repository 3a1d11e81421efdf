// A nut on a bolt: both threads are generated meshes with signed distance fields, and gravity alone turns the nut down.
//
//     sample_nut_bolt_sdf [-o FILE.png|FILE.html]
#include <cmath>
#include <memory>

#include "mechane/simulation/simulate.h"
#include "sample_film.h"
#include "sample_meshes.h"

using namespace mechane;

namespace {

/// A round thread, as light bulbs have it [m].
struct Thread {
    double radius = 0.1, pitch = 0.04, depth = 0.008;
    double clearance = 0.0025;  ///< of the nut, on each side
    /// Where the surface of the bolt is: a wave that climbs by one pitch in each turn.
    [[nodiscard]] double at(double angle, double z) const
    { return radius + depth * std::cos(2 * kPi * z / pitch - angle); }
};

/// A closed mesh around z from `z0` to `z1`, between two radii that depend on angle and height.
template <class Inner, class Outer>
std::shared_ptr<const geometry::Mesh> tube(double z0, double z1, int columns, int steps, Inner&& inner,
                                                    Outer&& outer)
{
    // Down the inside, then up the outside.
    const int rows = 2 * (steps + 1);
    return std::make_shared<const geometry::Mesh>(sample::closed_grid(columns, rows, [&](double u, double v) {
        const int    row   = static_cast<int>(std::lround(v * rows));
        const bool   up    = row > steps;
        const double part  = static_cast<double>(up ? row - steps - 1 : steps - row) / steps;
        const double angle = 2 * kPi * u, z = z0 + part * (z1 - z0), r = up ? outer(angle, z) : inner(angle, z);
        return Vec3d{r * std::cos(angle), r * std::sin(angle), z};
    }));
}

}  // namespace

int main(int argc, char** argv)
{
    const Thread        thread;
    model::ModelBuilder builder;
    model::ShapeConfig  smooth;  // without friction, or the nut would stay where it is
    smooth.mu = smooth.mu_torsional = smooth.mu_rolling = 0;
    smooth.gap = 0.002;
    smooth.sdf = model::SdfConfig{.force_sdf             = true,
                                  .sdf_target_voxel_size = 0.004,
                                  .sdf_narrow_band_inner = -0.006,
                                  .sdf_narrow_band_outer = 0.006,
                                  .sdf_padding           = 0.008};
    const auto bolt = tube(
        0.08, 0.26, 36, 36, [](double, double) { return 0.05; }, [&](double a, double z) { return thread.at(a, z); });
    const auto nut = tube(
        -0.04, 0.04, 36, 16, [&](double a, double z) { return thread.at(a, z) + thread.clearance; },
        [](double a, double) {  // six flat sides
            return 0.125 / std::cos(std::remainder(a, kPi / 3));
        });
    builder.add_shape_mesh(model::kWorldBody, {}, {1, 1, 1}, bolt, smooth, "bolt");
    const std::int32_t body = builder.add_body({{0, 0, 0.2}, {}}, "nut");  // five pitches up: the threads match
    builder.add_shape_mesh(body, {}, {1, 1, 1}, nut, smooth, "nut");
    builder.shapes[0].color = {0.55, 0.58, 0.62};
    builder.shapes[1].color = {0.86, 0.63, 0.34};
    const auto model        = sample::finalize(builder);

    Diagnostics found;
    const auto  run = sample::get(run::simulate(model, {.dt = 1.0 / 120, .frames = 240, .every = 2, .substeps = 4}, found));
    for (const Diagnostic& d : found) std::printf("%s\n", to_text(d).c_str());

    // From half a second on, when the play of the threads is used up.
    const auto& frames = run.recording.frames;
    double      turns = 0, fall = 0;
    for (std::size_t i = 1; i < frames.size(); ++i) {
        const Pose &before = frames[i - 1].body_q[0], &now = frames[i].body_q[0];
        if (frames[i].t < 0.5) continue;
        const auto turned = to_rotation_vector(now.q * conjugate(before.q));
        turns += double(turned.z) / (2 * kPi);
        fall += double(now.p.z - before.p.z);
    }
    const double pitch = fall / turns;
    std::printf("%.3f turns, %.4f m down: %.4f m a turn, the thread has %.4f m\n", turns, -fall, pitch, thread.pitch);
    std::printf("%d contacts at most, %.2f mm deep at most\n", run.recording.report.contacts_max,
                1e3 * run.recording.report.deepest_penetration);

    sample::Film film(model, argc, argv);
    film.write(run.recording, {.eye = Vec3d{0.28, -0.36, 0.36}, .target = Vec3d{0, 0, 0.17}, .contacts = true});
    sample::Claims claims;
    claims.that(std::abs(turns) > 0.5, "gravity turns the nut");
    claims.that(std::abs(pitch / thread.pitch - 1) < 0.05, "it goes down by the pitch in each turn, within 5 %");
    return claims.exit_code();
}
