// The same ball dropped under every solver of this build, and which of the usual ones it lacks.
//
//     sample_solvers
#include <algorithm>
#include <cmath>
#include <string>

#include "mechane/simulation/simulate.h"
#include "mechane/solvers/codes.h"
#include "mechane/solvers/solver.h"
#include "sample.h"

using namespace mechane;

int main()
{
    model::ModelBuilder builder;
    builder.rigid_gap = 0.02;
    builder.add_ground_plane();
    // About 1 kg: solvers whose contacts are springs of 2.5 kN/m let it sink by m g / k, 4 mm.
    builder.add_shape_sphere(builder.add_body({{0, 0, 1}, {}}, "ball"), {}, 0.5, {.density = 2});
    const auto model = sample::finalize(builder);

    sample::Claims claims;
    const auto     known = solvers::solver_names();
    for (const char* name : {"softstep", "xpbd", "semi-implicit", "featherstone", "vbd", "mujoco"}) {
        Diagnostics found;
        const auto  run   = run::simulate(model, {.solver = name, .frames = 120, .threads = 1}, found);
        const bool  there = std::find(known.begin(), known.end(), name) != known.end();
        if (!run) {
            std::printf("%-13s %s\n", name, run.error().message.c_str());
            claims.that(there ? run.error().id == solvers::kSolverUnavailable.id : run.error().id == solvers::kSolverUnknown.id,
                        "only what is not built, or needs a library that is not here, is refused");
            continue;
        }
        const double z = double(run->recording.frames.back().body_q[0].p.z);
        std::printf("%-13s the ball rests at %.4f m\n", name, z);
        claims.that(std::abs(z - 0.5) < 0.005, "the ball rests on the ground");
    }
    return claims.exit_code();
}
