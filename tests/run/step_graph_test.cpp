#include "mechane/simulation/step_graph.h"

#include "mechane/core/hash.h"
#include "mechane/run/builtin_scenes.h"
#include "support/allocations.h"
#include "support/support.h"

using namespace mechane;
using run::StepGraph;
using test::allocations;

namespace {

struct World {
    explicit World(const model::Model& model, const collision::PipelineOptions& options = {.rigid_contact_max = 2000})
        : pipeline(model, options),
          contacts(pipeline.make_contacts()),
          state(model::make_state(model)),
          next(state),
          control(model::make_control(model))
    {
        Diagnostics found;
        auto        made = solvers::make_solver("softstep", model, {.substeps = 2}, found);
        REQUIRE(made.has_value());
        solver = *std::move(made);
    }
    void record(StepGraph::Recorder& r)
    {
        r.collide(pipeline, state, 2.0 / 240, contacts);
        r.step(*solver, state, next, control, &contacts, 1.0 / 240);
        r.step(*solver, next, state, control, &contacts, 1.0 / 240);
    }

    collision::CollisionPipeline     pipeline;
    model::Contacts                  contacts;
    model::State                     state, next;
    model::Control                   control;
    std::unique_ptr<solvers::Solver> solver;
};

model::Model pyramid()
{
    Diagnostics found;
    auto        builder = run::builtin_scene("pyramid:3");
    REQUIRE(builder.has_value());
    auto model = builder->finalize({}, found);
    REQUIRE(model.has_value());
    return *std::move(model);
}

}  // namespace

TEST_CASE(
    "a recorded loop has the bits of the plain one after every one of 200 launches, and allocates nothing (GAP-055)")
{
    const auto model = pyramid();
    World      plain(model), world(model);
    auto       graph = StepGraph::record(model, [&](StepGraph::Recorder& r) { world.record(r); });
    REQUIRE(graph.has_value());
    // Recording computes nothing.
    CHECK(hash_span<Pose>(world.state.body_q) == hash_span<Pose>(plain.state.body_q));
    std::size_t allocated = 0;
    for (int launch = 0; launch < 200; ++launch) {
        const std::size_t before = allocations();
        REQUIRE(graph->launch().has_value());
        if (launch >= 10) allocated += allocations() - before;
        plain.pipeline.collide(plain.state, 2.0 / 240, plain.contacts);
        CHECK(!plain.solver->step(plain.state, plain.next, plain.control, &plain.contacts, 1.0 / 240).diverged);
        CHECK(!plain.solver->step(plain.next, plain.state, plain.control, &plain.contacts, 1.0 / 240).diverged);
        REQUIRE(hash_span<Pose>(world.state.body_q) == hash_span<Pose>(plain.state.body_q));
    }
    CHECK(allocated == 0);
    CHECK(!graph->report().diverged);
}

TEST_CASE("a buffer that may grow, or a state of another model, cannot be recorded (GAP-055)")
{
    const auto model = pyramid();
    World      growing(model, {});
    const auto graph = StepGraph::record(model, [&](StepGraph::Recorder& r) { growing.record(r); });
    REQUIRE(!graph.has_value());
    CHECK(graph.error().id == "RUN_GRAPH");
    CHECK(graph.error().message.find("rigid_contact_max") != std::string::npos);

    World world(model);
    world.next.body_q.pop_back();
    CHECK(!StepGraph::record(model, [&](StepGraph::Recorder& r) { world.record(r); }).has_value());
}

TEST_CASE("a launch after the model was written to computes nothing and says so (GAP-055)")
{
    auto  model = pyramid();
    World world(model);
    auto  graph = StepGraph::record(model, [&](StepGraph::Recorder& r) { world.record(r); });
    REQUIRE(graph.has_value());
    REQUIRE(graph->launch().has_value());
    const auto before = hash_span<Pose>(world.state.body_q);
    model.shape_material_mu[0] += 1;
    const auto launched = graph->launch();
    REQUIRE(!launched.has_value());
    CHECK(launched.error().id == "RUN_GRAPH");
    CHECK(hash_span<Pose>(world.state.body_q) == before);
}

TEST_CASE("a step that diverges is the last one of its launch, whose report tells of it")
{
    const auto model = pyramid();
    World      world(model);
    auto       graph = StepGraph::record(model, [&](StepGraph::Recorder& r) { world.record(r); });
    REQUIRE(graph.has_value());
    // Beyond all bounds after the first step. The second would go on from `next`, which is sound.
    world.state.body_qd[0].linear = {Real(1e17), 0, 0};
    world.state.joint_qd[0]       = Real(1e17);
    const auto before             = hash_span<Pose>(world.state.body_q);
    REQUIRE(graph->launch().has_value());
    CHECK(graph->report().diverged);
    CHECK_FALSE(graph->report().culprit.empty());
    CHECK(hash_span<Pose>(world.state.body_q) == before);
}
