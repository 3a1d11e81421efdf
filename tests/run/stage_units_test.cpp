// What a simulation computed returns to the stage in the stage's own units.
#include <fmt/format.h>

#include <filesystem>

#include "mechane/record/write.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/simulate.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::close_to;

TEST_CASE(
    "positions and velocities are written in centimetres and degrees, in the frame in which they are read (GAP-005)")
{
    // A ball falls for a second on a stage in centimetres and grams while it drifts 30 cm/s along x and spins 90
    // degrees a second about z. Alone, and below a parent that scales by 0.01: there its own numbers are a hundred
    // times larger.
    for (const double parent : {1.0, 0.01}) {
        CAPTURE(parent);
        const test::TemporaryFolder folder;
        const std::string           file =
            folder.write("ball.usda", fmt::format(R"(#usda 1.0
(
    metersPerUnit = 0.01
    kilogramsPerUnit = 0.001
    upAxis = "Z"
)
def PhysicsScene "scene"
{{
}}
def Xform "world"
{{
    float3 xformOp:scale = ({0}, {0}, {0})
    uniform token[] xformOpOrder = ["xformOp:scale"]
    def Sphere "ball" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]
    )
    {{
        double radius = {1}
        float physics:mass = 2000
        vector3f physics:velocity = ({2}, 0, 0)
        vector3f physics:angularVelocity = (0, 0, 90)
        double3 xformOp:translate = (0, 0, {3})
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
}}
)",
                                                  parent, 10 / parent, 30 / parent, 1000 / parent));
        Diagnostics found;
        auto        scene = run::load_scene(file, {}, found);
        REQUIRE(scene);
        CHECK(scene->model.body_mass[0] == close_to(2, 1e-6));
        const auto done = run::simulate(scene->model, {.dt = 0.01, .frames = 100, .threads = 1}, found);
        REQUIRE(done);
        record::Recording recording = done->recording;
        recording.source            = file;
        const std::string out       = (folder.path() / "result.usda").string();
        REQUIRE(record::write(
            scene->model, recording, out,
            {.json = {}, .usd = {.meters_per_unit = 0.01, .up_axis = 'Z', .X_WS = {}, .stage = scene->stage.get()}},
            found));

        const auto stage = usd::Stage::open(out);
        REQUIRE(stage);
        CHECK((*stage)->metadata().kilograms_per_unit == 0.001);
        const usd::Prim ball = (*stage)->prim_at(usd::Path("/world/ball"));
        const double    end  = (*stage)->metadata().end_time_code;
        const auto      vec  = [&](const char* name, double time) {
            const auto value = ball.attribute(usd::Token(name)).get<Vec3d>(usd::TimeCode(time));
            REQUIRE(value);
            return *value;
        };
        // The integrator's error over a second is at most a step of its velocity: g dt / 2 = 4.9 cm.
        const Vec3d moved = vec("xformOp:translate:mechane", end) - vec("xformOp:translate:mechane", 0);
        CHECK(moved.z == close_to(-490.5, 4.91));
        CHECK(moved.x == close_to(30, 1e-3));
        // The ball has turned by 90 degrees: its own x is the world's y, its own y the world's -x.
        const Vec3d v = parent * vec("physics:velocity", end);
        CHECK(v.x == close_to(0, 0.05));
        CHECK(v.y == close_to(-30, 0.05));
        CHECK(v.z == close_to(-981, 0.05));
        CHECK(vec("physics:angularVelocity", end).z == close_to(90, 1e-3));
        CHECK(parent * vec("physics:velocity", 0).x == close_to(30, 1e-4));

        // Read again, the result starts as the source did.
        auto again = run::load_scene(out, {}, found);
        REQUIRE(again);
        CHECK(again->model.body_mass[0] == close_to(2, 1e-6));
        CHECK(again->model.body_qd[0].linear.x == close_to(0.3, 1e-6));
        CHECK(again->model.body_qd[0].angular.z == close_to(kPi / 2, 1e-6));
        CHECK(again->model.body_q[0].p.z == close_to(10, 1e-5));
        CHECK(again->model.shape_scale[0].x == close_to(0.1, 1e-6));
    }
}
