// A ball falls on the ground: from installed headers alone.
#include <cmath>
#include <cstdio>

#include <mechane/collision/pipeline.h>
#include <mechane/model/builder.h>
#include <mechane/model/state.h>
#include <mechane/solvers/solver.h>

using namespace mechane;

int main()
{
    Diagnostics         found;
    model::ModelBuilder builder;
    builder.add_ground_plane();
    const auto ball = builder.add_body({{0, 0, 1}, {}}, "ball");
    builder.add_shape_sphere(ball, {}, 0.5, {});
    const auto model = builder.finalize({}, found);
    if (!model) return 1;
    collision::CollisionPipeline pipeline(*model);
    model::Contacts              contacts = pipeline.make_contacts();
    model::State                 state    = model::make_state(*model);
    const model::Control         control  = model::make_control(*model);
    const auto                   solver   = solvers::make_solver("softstep", *model, {}, found);
    if (!solver) return 1;
    for (int step = 0; step < 1000; ++step) {
        pipeline.collide(state, 1e-3, contacts);
        if ((*solver)->step(state, state, control, &contacts, 1e-3).diverged) return 1;
    }
    const double z = static_cast<double>(state.body_q[0].p.z);
    std::printf("z %.3f %s\n", z, sizeof(Real) == sizeof(double) ? "double" : "float");
    return std::abs(z - 0.5) < 0.01 ? 0 : 1;  // at rest one radius above the ground, which gives way by some tenths of a millimetre
}
