// Several physics scenes of one stage are several simulations.
#include "mechane/collision/pipeline.h"
#include "mechane/importer/codes.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/simulate.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::close_to;

TEST_CASE(
    "bodies of different scenes fall through each other, each under its own gravity, and no joint ties them "
    "(DYN-111, DYN-112, COL-053, T-72)")
{
    // Two balls at one place. The first has no owner and belongs to the first scene.
    const std::string           stage = R"(#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "earth"
{
    float physics:gravityMagnitude = 9.81
}
def PhysicsScene "moon"
{
    float physics:gravityMagnitude = 1.62
}
def Sphere "here" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
}
def Sphere "there" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    rel physics:simulationOwner = </moon>
}
def PhysicsFixedJoint "across"
{
    rel physics:body0 = </here>
    rel physics:body1 = </there>
}
)";
    const test::TemporaryFolder folder;
    Diagnostics                 found;
    const auto                  scene = run::load_scene(folder.write("stage.usda", stage), {}, found);
    REQUIRE(scene);
    CHECK(found.count(importer::codes::kJointScenes.id) == 1);
    CHECK(found.find(importer::codes::kJointScenes.id)->site.prim == "/across");
    REQUIRE(scene->model.body_count() == 2);
    CHECK(scene->model.body_world == std::vector<std::int32_t>{0, 1});

    model::State                 state = model::make_state(scene->model);
    collision::CollisionPipeline pipeline(scene->model);
    model::Contacts              contacts = pipeline.make_contacts();
    CHECK(pipeline.collide(state, 0, contacts).contacts == 0);

    const auto done = run::simulate(scene->model, {.dt = 0.01, .frames = 100, .threads = 1}, found);
    REQUIRE(done);
    const auto& last = done->recording.frames.back();
    // The integrator's error over a second is at most g dt / 2.
    CHECK(last.body_q[0].p.z == close_to(-4.905, 0.05));
    CHECK(last.body_q[1].p.z == close_to(-0.81, 0.01));
}
