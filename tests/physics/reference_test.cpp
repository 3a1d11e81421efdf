// What only OpenUSD's parser answers, each measured on 26.11. tests/differential/test_random_physics.py compares the
// whole.
#include <nlohmann/json.hpp>

#include "mechane/physics/dump.h"
#include "stages.h"

namespace mechane::physics {
using test::Parsed;

namespace {

nlohmann::json reference(const std::string& stage)
{
    const Parsed p(stage, test::strict());
    return nlohmann::json::parse(dump_physics(p.model, primitive_mass_info));
}

nlohmann::json object(const nlohmann::json& dump, const std::string& kind, const std::string& path)
{
    for (const auto& one : dump["objects"][kind])
        if (one["primPath"] == path) return one;
    FAIL("no " << kind << " " << path);
    return {};
}

std::vector<std::string> paths(const nlohmann::json& dump, const std::string& kind)
{
    std::vector<std::string> out;
    for (const auto& one : dump["objects"][kind]) out.push_back(one["primPath"]);
    return out;
}
using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("a merged group is listed once for a collider, and the last group takes the place of one that went (PHY-087)")
{
    const auto group = [](const std::string& name, const std::string& merge) {
        return "def PhysicsCollisionGroup \"" + name +
               "\" (prepend apiSchemas = [\"CollectionAPI:colliders\"]) { rel collection:colliders:includes = </C>  " +
               (merge.empty() ? "" : "string physics:mergeGroup = \"" + merge + "\"") + " }\n";
    };
    const auto dump =
        reference("def Cube \"C\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {}\n" + group("g0", "") +
                  group("g1", "x") + group("g2", "x") + group("g3", "x") + group("g4", "y") + group("g5", "y"));
    CHECK(paths(dump, "CollisionGroup") == Paths{"/g0", "/g1", "/g5"});
    CHECK(object(dump, "CollisionGroup", "/g5")["mergedGroups"] == Paths{"/g5", "/g4"});
    CHECK(object(dump, "CubeShape", "/C")["collisionGroups"] == Paths{"/g0", "/g1", "/g5"});
}

TEST_CASE("a joint to a static collider roots no articulation, one that is off does, and so does a body that is off")
{
    const std::string root = "\"PhysicsArticulationRootAPI\"";
    const auto        dump = reference(R"(
def Cube "wall" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
def Xform "off" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI"]) { bool physics:rigidBodyEnabled = 0 }
def PhysicsFixedJoint "between" (prepend apiSchemas = [)" +
                                       root + R"(]) { rel physics:body0 = </wall>  rel physics:body1 = </a> }
def PhysicsFixedJoint "idle" (prepend apiSchemas = [)" +
                                       root + R"(]) { rel physics:body1 = </a>  bool physics:jointEnabled = 0 })");
    CHECK_FALSE(object(dump, "Articulation", "/between")["isValid"]);
    CHECK(object(dump, "Articulation", "/between")["articulatedJoints"].empty());
    CHECK(object(dump, "Articulation", "/idle")["rootPrims"] == Paths{"/idle"});
    // Within the walk the wall is the world.
    CHECK(object(dump, "Articulation", "/idle")["articulatedBodies"] == Paths{""});
    CHECK(object(dump, "Articulation", "/off")["rootPrims"] == Paths{"/off"});
}

TEST_CASE("what a component holds already is not searched for further roots")
{
    const auto dump = reference(R"(
def Xform "W" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        def Xform "hidden" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
    }
    def PhysicsFixedJoint "j" { rel physics:body0 = </W/a>  rel physics:body1 = </W/b> }
})");
    CHECK(object(dump, "Articulation", "/W")["rootPrims"] == Paths{"/W/a"});
}

TEST_CASE("the mass of a body that is off is that of what lies below it, and axes are kept without a mass")
{
    const auto dump = reference(R"(
def Xform "off" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    bool physics:rigidBodyEnabled = 0
    def Cube "mine" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double size = 1 }
    def Xform "on" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        def Cube "its" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double size = 1 }
    }
}
def Xform "bare" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) { quatf physics:principalAxes = (0, 1, 0, 0) })");
    CHECK(dump["mass"]["/off"]["mass"] == 1000);
    CHECK(dump["mass"]["/off/on"]["mass"] == 1000);
    CHECK(dump["mass"]["/bare"]["mass"] == -1);
    CHECK(dump["mass"]["/bare"]["principalAxes"] == std::vector<double>{0, 1, 0, 0});
}

TEST_CASE("an inactive collider anchors a joint, and a cloud without widths is placed nowhere")
{
    const auto dump = reference(R"(
def Cube "C" (active = false  prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
def PhysicsFixedJoint "j" { rel physics:body0 = </C>  rel physics:body1 = </B> }
def Points "P" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
    point3f[] points = [(1, 2, 3)]  double3 xformOp:translate = (1, 2, 3)  uniform token[] xformOpOrder = ["xformOp:translate"]
})");
    CHECK(object(dump, "FixedJoint", "/j")["body0"] == "/C");
    CHECK(object(dump, "SpherePointsShape", "/P")["localPos"] == std::vector<double>{0, 0, 0});
}

TEST_CASE("a material is nothing else where its schema is applied first, and none where another one is (PHY-025)")
{
    const char* stage = R"(
def Cube "solid" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMaterialAPI", "PhysicsRigidBodyAPI"]) {}
def Cube "stuff" (prepend apiSchemas = ["PhysicsMassAPI", "PhysicsMaterialAPI", "PhysicsCollisionAPI", "PhysicsRigidBodyAPI"]) {}
def Scope "trunk" (prepend apiSchemas = ["PhysicsArticulationRootAPI", "PhysicsMaterialAPI"]) {}
def PhysicsFixedJoint "hold" (prepend apiSchemas = ["PhysicsMaterialAPI"]) { rel physics:body1 = </solid> }
def PhysicsFixedJoint "root" (prepend apiSchemas = ["PhysicsArticulationRootAPI", "PhysicsMaterialAPI"]) { rel physics:body1 = </solid> }
def Material "pure" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {}
)";
    const auto  dump  = reference(stage);
    CHECK(paths(dump, "RigidBodyMaterial") == Paths{"/stuff", "/hold", "/pure"});
    CHECK(paths(dump, "CubeShape") == Paths{"/solid"});
    CHECK(paths(dump, "RigidBody") == Paths{"/solid"});
    CHECK(paths(dump, "FixedJoint") == Paths{"/root"});
    const Parsed strict(stage, test::strict());
    CHECK(strict.found.count("PHY_API_MISPLACED") == 5);  // what is left out is told, of each but the material
    const Parsed ours(stage);
    CHECK(ours.model.bodies.size() == 2);
    CHECK(ours.model.colliders.size() == 2);
    CHECK(ours.model.joints.size() == 2);
    CHECK(ours.model.materials.size() == 4);  // a joint is none
}

TEST_CASE("half extents carry the signs of a mirroring scale (PHY-039)")
{
    const auto dump = reference(R"(
def Cube "C" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
    float3 xformOp:scale = (-2, 3, 4)  uniform token[] xformOpOrder = ["xformOp:scale"]
})");
    CHECK(object(dump, "CubeShape", "/C")["halfExtents"] == std::vector<double>{-2, -3, -4});
}

}  // namespace mechane::physics
