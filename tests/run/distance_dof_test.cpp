// The distance between the anchors of a PhysicsJoint: its range and its drive.
#include <fmt/format.h>

#include "mechane/run/scene.h"
#include "mechane/simulation/simulate.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::close_to;

namespace {

constexpr const char* kBob = R"(#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Z"
)
def PhysicsScene "scene"
{
}
def Sphere "bob" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{
    double radius = 1
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
    double3 xformOp:translate = (30, 0, -40)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)";

/// Where the bob is after each hundredth of a second [m].
std::vector<Vec3d> path_with(const std::string& joint, int frames = 300)
{
    const test::TemporaryFolder folder;
    Diagnostics                 found;
    auto                        scene = run::load_scene(folder.write("bob.usda", kBob + joint), {}, found);
    REQUIRE(scene);
    const auto done = run::simulate(scene->model, {.dt = 0.01, .frames = frames, .threads = 1}, found);
    REQUIRE(done);
    std::vector<Vec3d> path;
    for (const record::Frame& frame : done->recording.frames) path.push_back(static_cast<Vec3d>(frame.body_q[0].p));
    return path;
}

}  // namespace

TEST_CASE("a PhysicsJoint that limits only the distance is a distance joint (GAP-063, T-66a)")
{
    const auto generic = path_with(R"(def PhysicsJoint "string" (
    prepend apiSchemas = ["PhysicsLimitAPI:distance"]
)
{
    rel physics:body1 = </bob>
    float limit:distance:physics:low = 0
    float limit:distance:physics:high = 50
}
)");
    const auto special = path_with(R"(def PhysicsDistanceJoint "string"
{
    rel physics:body1 = </bob>
    float physics:minDistance = 0
    float physics:maxDistance = 50
}
)");
    REQUIRE(generic.size() == special.size());
    double longest = 0, shortest = 1;
    for (std::size_t i = 0; i < generic.size(); ++i) {
        CHECK(generic[i] == special[i]);
        longest  = std::max(longest, length(generic[i]));
        shortest = std::min(shortest, length(generic[i]));
    }
    CHECK(longest < 0.5 * 1.005);
    CHECK(shortest > 0.49);  // it swings on a taut string
    // The period of 0.5 m for small angles, 1.4185 s, times 1 + a^2/16 + 11 a^4/3072 for a = atan(3/4): 1.0272.
    double last = 0;
    for (std::size_t i = 1; i < generic.size() && last == 0; ++i)
        if (generic[i - 1].x > 0 && generic[i].x <= 0)
            last = 0.01 * (static_cast<double>(i) - generic[i].x / (generic[i].x - generic[i - 1].x));
    CHECK(last == close_to(1.4185 * 1.0272 / 4, 0.01));
}

TEST_CASE("a distance limits and drives on top of the joint's other axes (GAP-063)")
{
    // The bob may slide in the plane y = 0 only, hangs on a spring of 100 kg/s^2 with its rest at 30 cm: at rest it is
    // 30 cm + 9.81 N / (100 N/m) = 39.8 cm long, or as long as the limit lets it.
    const std::string joint = R"(def PhysicsJoint "tie" (
    prepend apiSchemas = ["PhysicsLimitAPI:transY", "PhysicsLimitAPI:distance", "PhysicsDriveAPI:distance"]
)
{{
    rel physics:body1 = </bob>
    float limit:transY:physics:low = 1
    float limit:transY:physics:high = -1
    float limit:distance:physics:high = {}
    float drive:distance:physics:targetPosition = 30
    float drive:distance:physics:stiffness = 100
    float drive:distance:physics:damping = 20
}}
)";
    const auto        rest  = path_with(fmt::format(fmt::runtime(joint), 60), 2000);
    CHECK(length(rest.back()) == close_to(0.30 + 9.81 / 100, 0.002));
    const auto hung = path_with(fmt::format(fmt::runtime(joint), 35), 2000);
    CHECK(length(hung.back()) == close_to(0.35, 0.002));
    for (const Vec3d& p : hung) CHECK(std::abs(p.y) < 1e-4);
}
