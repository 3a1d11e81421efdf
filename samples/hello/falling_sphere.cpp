// The shortest whole program: a ball falls on the ground and stays there.
//
//     sample_hello_falling_sphere [-o FILE.png|FILE.html]
#include <cmath>

#include "sample_film.h"
#include "mechane/collision/pipeline.h"
#include "mechane/solvers/solver.h"

using namespace mechane;

int main(int argc, char** argv)
{
    model::ModelBuilder builder;
    builder.add_ground_plane();
    const std::int32_t ball = builder.add_body({{0, 0, 2}, {}}, "ball");
    builder.add_shape_sphere(ball, {}, 0.5, {});
    const auto model = sample::finalize(builder);

    collision::CollisionPipeline pipeline(model);
    model::Contacts              contacts = pipeline.make_contacts();
    model::State                 state    = model::make_state(model);
    const model::Control         control  = model::make_control(model);
    Diagnostics                  found;
    const auto solver = sample::get(solvers::make_solver("softstep", model, {.substeps = 1}, found));

    sample::Film     film(model, argc, argv);
    constexpr double dt = 1.0 / 60 / 10;
    for (int frame = 0; frame < 120; ++frame) {
        for (int substep = 0; substep < 10; ++substep) {
            pipeline.collide(state, dt, contacts);
            if (solver->step(state, state, control, &contacts, dt).diverged) return 4;
        }
        film.add(state, contacts);
        if (frame % 20 == 19) std::printf("t %.3f s: z %.4f m\n", state.time, double(state.body_q[0].p.z));
    }
    film.write();
    sample::Claims claims;
    claims.that(std::abs(double(state.body_q[0].p.z) - 0.5) <= 0.005, "the ball rests one radius above the ground");
    return claims.exit_code();
}
