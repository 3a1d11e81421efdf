#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

#include "mechane/collision/pipeline.h"
#include "mechane/collision/scene_queries.h"
#include "mechane/dynamics/energy.h"
#include "mechane/dynamics/mass_matrix.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "mechane/solvers/contact_wrench.h"
#include "simulation/scenes.h"

using namespace face_tests;

// What keeps a model by reference does not take one that is about to go.
static_assert(!std::is_constructible_v<collision::CollisionPipeline, model::Model>);
static_assert(!std::is_constructible_v<collision::SceneQueries, model::Model>);
static_assert(!std::is_constructible_v<dynamics::JointSpace, model::Model>);
static_assert(std::is_move_assignable_v<collision::CollisionPipeline>);
static_assert(std::is_move_assignable_v<collision::SceneQueries>);

TEST_CASE("building blocks refuse states, contacts and indices that the model does not have")
{
    const Yard                   y = yard();
    const auto&                  m = y.model->arrays();
    collision::CollisionPipeline pipeline(m);
    collision::SceneQueries      queries(m);
    model::Contacts              contacts = pipeline.make_contacts();
    model::State                 state    = model::make_state(m), none;
    model::Control               control  = model::make_control(m);
    CHECK(failure_of([&] { pipeline.collide(none, 0, contacts); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { queries.update(none); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)queries.shape(99); }) == "API_ARGUMENT");
    std::vector<Vec3d>             origins(3);
    std::vector<collision::RayHit> hits(3);
    CHECK(failure_of([&] { queries.cast_rays(origins, std::span(origins).first(2), {}, hits); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)dynamics::energy(m, none); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { model::reset_worlds(none, m, {}); }) == "API_ARGUMENT");
    model::Contacts wrong;
    wrong.resize(1);
    wrong.rigid_contact_count     = 1;
    wrong.rigid_contact_shape0[0] = 77;
    CHECK(failure_of([&] { collision::contact_points_world(m, state, wrong, {}, {}); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { solvers::contact_wrenches(m, state, wrong, {}); }) == "API_ARGUMENT");
    Diagnostics found;
    const auto  solver = solvers::make_solver("softstep", m, {}, found).expect();
    control.joint_f.resize(1);
    for (const auto& report :
         {solver->step(none, none, model::make_control(m), nullptr, 0.01), solver->step(state, state, control, nullptr, 0.01),
          solver->step(state, state, model::make_control(m), &wrong, 0.01),
          solver->step(state, state, model::make_control(m), nullptr, -1)}) {
        REQUIRE(report.refused);
        CHECK(report.diverged);
    }
    model::ModelBuilder builder;
    CHECK(failure_of([&] { builder.add_shape_sphere(5, {}, 1, {}); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { builder.add_joint_free(5); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { builder.end_world(); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { builder.add_articulation({3}); }) == "API_ARGUMENT");
}
