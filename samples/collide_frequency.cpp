// How often contacts are found: in every substep, once a frame, or every n substeps. A stack of ten boxes stands in
// all three.
//
//     sample_collide_frequency
#include <cmath>

#include "mechane/collision/pipeline.h"
#include "mechane/solvers/solver.h"
#include "sample.h"

using namespace mechane;

int main()
{
    model::ModelBuilder builder;
    builder.rigid_gap = 0.02;
    builder.add_ground_plane();
    for (int i = 0; i < 10; ++i)
        builder.add_shape_box(builder.add_body({{0, 0, 0.1 + 0.2 * i}, {}}, "box" + std::to_string(i)), {},
                              {0.1, 0.1, 0.1}, {});
    const auto model = sample::finalize(builder);

    constexpr int    kFrames = 180, kSubsteps = 8;
    constexpr double dt = 1.0 / 60 / kSubsteps;
    sample::Claims   claims;
    for (const int every : {1, kSubsteps, 4}) {
        Diagnostics                  found;
        collision::CollisionPipeline pipeline(model);
        const auto           solver  = sample::get(solvers::make_solver("softstep", model, {.substeps = 1}, found));
        model::Contacts      contacts = pipeline.make_contacts();
        model::State         state    = model::make_state(model);
        const model::Control control  = model::make_control(model);
        int                  calls    = 0;
        for (int step = 0; step < kFrames * kSubsteps; ++step) {
            if (step % every == 0) pipeline.collide(state, every * dt, contacts), ++calls;
            if (solver->step(state, state, control, &contacts, dt).diverged) return 4;
        }
        const double top = double(state.body_q.back().p.z);
        std::printf("every %d of %d substeps: %4d calls, the top box at %.4f m\n", every, kSubsteps, calls, top);
        claims.that(std::abs(top - 1.9) < 0.005, "the stack stands after 3 s");
        claims.that(calls == kFrames * kSubsteps / every, "collide ran as often as asked for");
    }
    return claims.exit_code();
}
