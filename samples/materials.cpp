// Friction and restitution: how far a box slides, how high a ball comes back, and what a solver does with the rest.
//
//     sample_materials
#include <cmath>
#include <string>

#include "mechane/simulation/simulate.h"
#include "mechane/solvers/solver.h"
#include "sample.h"

using namespace mechane;

namespace {

run::SimulateResult simulated(const model::ModelBuilder& builder, std::int64_t frames)
{
    Diagnostics found;
    return sample::get(run::simulate(sample::finalize(builder), {.dt = 1.0 / 240, .frames = frames, .threads = 1}, found));
}

/// Way of a box that starts with 2 m/s [m].
double slide(double mu)
{
    model::ModelBuilder builder;
    builder.rigid_gap        = 0.01;
    builder.default_shape.mu = mu;
    builder.add_ground_plane();
    const std::int32_t box = builder.add_body({{0, 0, 0.1}, {}}, "box");
    builder.add_shape_box(box, {}, {0.2, 0.2, 0.1}, builder.default_shape);
    builder.bodies[static_cast<std::size_t>(box)].qd.linear = {2, 0, 0};
    return double(simulated(builder, 480).recording.frames.back().body_q[0].p.x);
}

/// Height to which a ball rises that was dropped from 1 m [m].
double bounce(double restitution)
{
    model::ModelBuilder builder;
    builder.rigid_gap                 = 0.01;
    builder.default_shape.restitution = restitution;
    builder.add_ground_plane();
    builder.add_shape_sphere(builder.add_body({{0, 0, 1.1}, {}}, "ball"), {}, 0.1, builder.default_shape);
    double     highest = 0;
    bool       landed  = false;
    const auto run     = simulated(builder, 240);
    for (const auto& frame : run.recording.frames) {
        const double z = double(frame.body_q[0].p.z) - 0.1;
        landed         = landed || z < 0.01;
        if (landed) highest = std::max(highest, z);
    }
    return highest;
}

}  // namespace

int main()
{
    sample::Claims claims;
    for (const double mu : {0.2, 0.4, 0.8}) {
        const double way = slide(mu), expected = 2 * 2 / (2 * mu * 9.81);  // v^2 / (2 mu g)
        std::printf("mu %.1f: the box slides %.3f m, by Coulomb %.3f m\n", mu, way, expected);
        claims.that(std::abs(way / expected - 1) < 0.03, "a box slides v^2 / (2 mu g)");
    }
    const double height = bounce(0.5);
    std::printf("restitution 0.5: the ball comes back to %.3f m of 1 m\n", height);
    claims.that(std::abs(height - 0.25) < 0.02, "a ball rises to e^2 of its height");

    model::ModelBuilder builder;
    builder.default_shape.restitution = 0.5;
    builder.default_shape.ka          = 0.01;
    builder.add_ground_plane();
    builder.add_shape_sphere(builder.add_body({{0, 0, 1}, {}}, "ball"), {}, 0.1, builder.default_shape);
    const auto model = sample::finalize(builder);
    for (const std::string_view name : solvers::solver_names()) {
        Diagnostics found;
        if (const auto solver = solvers::make_solver(name, model, {}, found); !solver)  // its library may be missing
            found.add(solver.error());
        for (const Diagnostic& d : found) std::printf("%s\n", to_text(d).c_str());
    }
    return claims.exit_code();
}
