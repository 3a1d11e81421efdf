// What a stage animates commands the simulation.
#include <fmt/format.h>

#include "mechane/run/scene.h"
#include "mechane/run/simulate.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::close_to;

namespace {

constexpr const char* kHead =
    "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    timeCodesPerSecond = 24\n    startTimeCode = 0\n    "
    "endTimeCode = 48\n)\ndef PhysicsScene \"scene\"\n{\n    float physics:gravityMagnitude = 0\n}\n";

/// A stage and its run, 100 steps of 10 ms a second.
struct Run {
    run::Scene        scene;
    record::Recording recording;

    [[nodiscard]] Vec3d position(double seconds, const char* body) const
    {
        const auto b = static_cast<std::size_t>(scene.imported.path_body_map.at(body));
        return static_cast<Vec3d>(
            recording.frames.at(static_cast<std::size_t>(std::lround(seconds * 100))).body_q[b].p);
    }
};

Run simulated(const std::string& prims, bool animation = true, int worlds = 1)
{
    const test::TemporaryFolder folder;
    Diagnostics                 found;
    run::SceneOptions           options;
    options.worlds           = worlds;
    options.import.animation = animation;
    options.import.ledger    = true;
    auto scene               = run::load_scene(folder.write("stage.usda", kHead + prims), options, found);
    REQUIRE(scene);
    Run                  out{*std::move(scene), {}};
    run::SimulateOptions how{.dt = 0.01, .frames = 200, .threads = 1};
    how.follow     = run::follower(out.scene);
    auto simulated = run::simulate(out.scene.model, how, found);
    REQUIRE(simulated);
    out.recording = std::move(simulated->recording);
    return out;
}

// An arm of 1 kg whose middle is 1 m from its hinge about z.
constexpr const char* kArm = R"(
def Xform "arm" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{
    float physics:mass = 1
    float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
    double3 xformOp:translate = (1, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsRevoluteJoint "motor" (
    prepend apiSchemas = ["PhysicsDriveAPI:angular"]
)
{
    uniform token physics:axis = "Z"
    rel physics:body1 = </arm>
    point3f physics:localPos1 = (-1, 0, 0)
    float drive:angular:physics:stiffness = 1000
    float drive:angular:physics:damping = 100
    float drive:angular:physics:targetPosition.timeSamples = { 0: 0, 24: 90 }
}
)";

}  // namespace

TEST_CASE("a drive follows its animated target, in every copy of the world; it may also be held")
{
    // From 0 to 90 degrees in the first second, then held. Stiffness and damping lag by kd/ke = 0.1 s on the way: a
    // tenth of 90 degrees per second.
    for (const int worlds : {1, 3}) {
        CAPTURE(worlds);
        const Run  run   = simulated(kArm, true, worlds);
        const auto angle = [&](const record::Frame& frame, std::size_t body) {
            return std::atan2(frame.body_q[body].p.y, frame.body_q[body].p.x) / kDegrees;
        };
        for (std::size_t body = 0; body < static_cast<std::size_t>(worlds); ++body) {
            CHECK(angle(run.recording.frames.at(100), body) == close_to(90 - 9, 1));
            CHECK(angle(run.recording.frames.back(), body) == close_to(90, 1));
        }
        for (const importer::LedgerEntry& entry : run.scene.imported.ledger)
            if (entry.property == "drive:angular:physics:targetPosition")
                CHECK(entry.verdict == importer::Verdict::converted);
    }
    const Run held = simulated(kArm, false);
    CHECK(held.position(2, "/arm").y == close_to(0, 1e-4));
    for (const importer::LedgerEntry& entry : held.scene.imported.ledger)
        if (entry.property == "drive:angular:physics:targetPosition")
            CHECK(entry.verdict == importer::Verdict::ignored);
}

TEST_CASE("a kinematic body follows its animated transform, its own or that of a prim above (DYN-107)")
{
    // 3 m along x in two seconds; linear in between.
    const std::string prims = R"(
def Xform "lift"
{
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 48: (3, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "platform" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
        bool physics:kinematicEnabled = 1
        double3 xformOp:translate = (0, 0, 2)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
def Cube "still" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    bool physics:kinematicEnabled = 1
    vector3f physics:velocity = (0, 1, 0)
    double3 xformOp:translate = (0, 9, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)";
    const Run         run   = simulated(prims);
    CHECK(run.position(1, "/lift/platform").x == close_to(1.5, 1e-4));
    CHECK(run.position(2, "/lift/platform").x == close_to(3, 1e-4));
    CHECK(run.position(2, "/lift/platform").z == close_to(2, 1e-5));
    CHECK(run.position(2, "/still").y == close_to(11, 1e-3));  // what has no track goes on with its velocity
    CHECK(simulated(prims, false).position(2, "/lift/platform").x == close_to(0, 1e-6));
}
