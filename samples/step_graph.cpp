// A loop of collide and step, taken down once and launched as often as wanted: the same bits as the plain loop.
//
//     sample_step_graph
#include <chrono>

#include "mechane/core/hash.h"
#include "mechane/run/builtin_scenes.h"
#include "mechane/simulation/step_graph.h"
#include "sample.h"

using namespace mechane;

namespace {

constexpr int    kLaunches = 100, kSubsteps = 4;
constexpr double kDt = 1.0 / 240;

/// What the loop works on.
struct World {
    explicit World(const model::Model& model)
        : pipeline(model, {.rigid_contact_max = 5000}),
          contacts(pipeline.make_contacts()),
          state(model::make_state(model)),
          next(state),
          control(model::make_control(model))
    {
        Diagnostics found;
        solver = sample::get(solvers::make_solver("softstep", model, {.substeps = 1}, found));
    }
    [[nodiscard]] std::uint64_t hash() const { return hash_span<Pose>(state.body_q); }

    collision::CollisionPipeline     pipeline;
    model::Contacts                  contacts;
    model::State                     state, next;
    model::Control                   control;
    std::unique_ptr<solvers::Solver> solver;
};

template <class F>
double milliseconds(F&& run)
{
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main()
{
    const auto model = sample::finalize(sample::get(run::builtin_scene("pyramid:4")));

    World        plain(model);
    bool         diverged = false;
    const double plain_ms = milliseconds([&] {
        for (int launch = 0; launch < kLaunches; ++launch) {
            plain.pipeline.collide(plain.state, kSubsteps * kDt, plain.contacts);
            for (int i = 0; i < kSubsteps; i += 2) {
                diverged |= plain.solver->step(plain.state, plain.next, plain.control, &plain.contacts, kDt).diverged;
                diverged |= plain.solver->step(plain.next, plain.state, plain.control, &plain.contacts, kDt).diverged;
            }
        }
    });
    if (diverged) return 4;

    World world(model);
    auto  graph = sample::get(run::StepGraph::record(model, [&](run::StepGraph::Recorder& record) {
        record.collide(world.pipeline, world.state, kSubsteps * kDt, world.contacts);
        for (int i = 0; i < kSubsteps; i += 2) {
            record.step(*world.solver, world.state, world.next, world.control, &world.contacts, kDt);
            record.step(*world.solver, world.next, world.state, world.control, &world.contacts, kDt);
        }
    }));
    bool         launched = true;
    const double graph_ms = milliseconds([&] {
        for (int launch = 0; launch < kLaunches; ++launch) launched = graph.launch() && launched;
    });

    std::printf("plain    %s, %.1f ms\nrecorded %s, %.1f ms\n", to_hex(plain.hash()).c_str(), plain_ms,
                to_hex(world.hash()).c_str(), graph_ms);
    sample::Claims claims;
    claims.that(launched && plain.hash() == world.hash(), "both loops end with the same bits");
    return claims.exit_code();
}
