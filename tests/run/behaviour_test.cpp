#include "mechane/run/behaviour.h"

#include <doctest/doctest.h>

#include "support/support.h"

using namespace mechane;
using namespace mechane::run;

namespace {

constexpr const char* kHead =
    "#usda 1.0\n(\n    defaultPrim = \"World\"\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n"
    "def Xform \"World\"\n{\n    def PhysicsScene \"scene\"\n    {\n    }\n";

/// A box of 1 kg; `more` are lines of the body.
std::string box(const std::string& name, const std::string& at, const std::string& more = "")
{
    return "def Cube \"" + name +
           "\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\", "
           "\"PhysicsCollisionAPI\"]\n)\n{\n    float physics:mass = 1\n    double size = 0.1\n    double3 "
           "xformOp:translate = " +
           at + "\n    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n" + more + "}\n";
}

/// A hinge about y at the world's origin; the box hangs 0.5 m out along x: 4.9 N m of gravity.
std::string arm(const std::string& apis, const std::string& lines)
{
    return box("arm", "(0.5, 0, 0)") + "def PhysicsRevoluteJoint \"hinge\" (\n    prepend apiSchemas = [" + apis +
           "]\n)\n{\n    uniform token physics:axis = \"Y\"\n    rel physics:body1 = </World/arm>\n    point3f "
           "physics:localPos1 = (-0.5, 0, 0)\n" +
           lines + "}\n";
}

std::vector<Behaviour> judged(const std::string& prims, const SceneOptions& options = {})
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write("stage.usda", kHead + prims + "}\n");
    Diagnostics                 found;
    auto                        seen = check_behaviour(file, options, 1, found);
    REQUIRE_MESSAGE(seen, (seen ? "" : seen.error().message));
    REQUIRE(seen->size() == behaviour_rules().size());
    return std::move(*seen);
}

const Behaviour& of(const std::vector<Behaviour>& all, std::string_view name)
{
    for (const Behaviour& b : all)
        if (b.rule->name == name) return b;
    FAIL("no such rule");
    return all.front();
}

}  // namespace

TEST_CASE("a box that is dropped settles, a ball that was pushed rolls on")
{
    const auto box_seen = judged(box("a", "(0, 0, 1)"));
    CHECK(of(box_seen, "drop").verdict == Verdict::ok);
    CHECK(of(box_seen, "hold").verdict == Verdict::not_applicable);
    CHECK(of(box_seen, "overlap").verdict == Verdict::ok);
    const auto ball_seen = judged(
        "def Sphere \"ball\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", "
        "\"PhysicsCollisionAPI\"]\n)\n{\n    double radius = 0.1\n    vector3f physics:velocity = (1, 0, "
        "0)\n}\n");
    const Behaviour& rolls = of(ball_seen, "drop");
    CHECK(rolls.verdict == Verdict::failed);
    CHECK(rolls.path == "/World/ball");
    CHECK(rolls.recording.frames.size() == 601);
}

TEST_CASE("a drive with gains for another unit lets the arm hang")
{
    // The stiffness is per degree: 0.1 holds 4.9 N m 49 degrees below its target, 10 within half a degree.
    const auto drive = [](const char* stiffness) {
        return judged(arm("\"PhysicsDriveAPI:angular\"", std::string("    float drive:angular:physics:stiffness = ") +
                                                             stiffness +
                                                             "\n    float drive:angular:physics:damping = "
                                                             "0.1\n"));
    };
    CHECK(of(drive("10"), "hold").verdict == Verdict::ok);
    const auto       seen = drive("0.1");
    const Behaviour& hang = of(seen, "hold");
    CHECK(hang.verdict == Verdict::failed);
    CHECK(hang.path == "/World/hinge");
}

TEST_CASE("a stop that gives way under gravity is seen")
{
    const char* stops = "    float physics:lowerLimit = -30\n    float physics:upperLimit = 30\n";
    CHECK(of(judged(arm("\"PhysicsDriveAPI:angular\"", stops)), "limits").verdict == Verdict::ok);
    SceneOptions options;
    options.import.schema_resolvers = {"physx"};
    // 4.9 N m on 0.01 N m a degree, or thereabouts.
    const auto seen = judged(
        arm("\"PhysxLimitAPI:angular\"", std::string(stops) + "    float physxLimit:angular:stiffness = 0.01\n    "
                                                              "float physxLimit:angular:damping = 0.01\n"),
        options);
    const Behaviour& stop = of(seen, "limits");
    CHECK_MESSAGE(stop.verdict == Verdict::failed, stop.message);
    CHECK(stop.path == "/World/hinge");
}

TEST_CASE("limits are judged where there are some: none, one, or both, of joints that turn and slide")
{
    const auto limits = [](const char* lines, const std::string& kind = "PhysicsRevoluteJoint") {
        std::string text = arm("\"PhysicsDriveAPI:angular\"", lines);
        text.replace(text.find("PhysicsRevoluteJoint"), 20, kind);
        return of(judged(text), "limits");
    };
    CHECK(limits("").verdict == Verdict::not_applicable);
    CHECK(limits("").message == "no joint has a limit");
    CHECK(limits("", "PhysicsPrismaticJoint").verdict == Verdict::not_applicable);
    CHECK(limits("    float physics:lowerLimit = -inf\n    float physics:upperLimit = inf\n").verdict ==
          Verdict::not_applicable);
    // Gravity turns the arm about +y.
    CHECK(limits("    float physics:upperLimit = 30\n").message != "no joint has a limit");
    CHECK(limits("    float physics:upperLimit = 30\n").verdict == Verdict::ok);
    CHECK(limits("    float physics:lowerLimit = -1\n", "PhysicsPrismaticJoint").verdict == Verdict::ok);
}

TEST_CASE("a robot whose wheels follow a speed comes to rest: in a drop they are told to stand still")
{
    const std::string wheel =
        "def Cylinder \"wheel\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]\n)\n"
        "{\n    uniform token axis = \"Y\"\n    double radius = 0.1\n    double height = 0.05\n    double3 "
        "xformOp:translate = (0, 0.1, 0)\n    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}\n"
        "def PhysicsRevoluteJoint \"axle\" (\n    prepend apiSchemas = [\"PhysicsDriveAPI:angular\"]\n)\n{\n    uniform "
        "token physics:axis = \"Y\"\n    rel physics:body0 = </World/a>\n    rel physics:body1 = </World/wheel>\n    "
        "point3f physics:localPos0 = (0, 0.1, 0)\n    float drive:angular:physics:damping = 1\n    float "
        "drive:angular:physics:targetVelocity = 180\n}\n";
    const Behaviour drop = of(judged(box("a", "(0, 0, 0)") + wheel), "drop");
    CHECK_MESSAGE(drop.verdict == Verdict::ok, drop.message);
}

TEST_CASE("what turns on the spot is said to turn, not to go")
{
    const Behaviour spins = of(judged("def Sphere \"ball\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", "
                                      "\"PhysicsCollisionAPI\"]\n)\n{\n    double radius = 0.1\n    vector3f "
                                      "physics:angularVelocity = (0, 0, 6000)\n}\n"),
                               "drop");
    if (spins.verdict == Verdict::failed) CHECK(spins.message.ends_with("rad/s"));
}

TEST_CASE("parts that start inside each other are named")
{
    const auto       seen = judged(box("a", "(0, 0, 1)") + box("b", "(0.09, 0, 1)"));
    const Behaviour& meet = of(seen, "overlap");
    CHECK(meet.verdict == Verdict::failed);
    CHECK(meet.message == "deepest overlap of the start pose 10 mm");
    CHECK(meet.path == "/World/a, /World/b");
    CHECK(meet.recording.frames.size() == 1);
}
