// The schemas of UsdPhysics as this program carries them, and stages as OpenUSD ships them.
#include "stages.h"

namespace mechane::physics {
using test::Parsed;
using test::stage_from;

TEST_CASE("every attribute of the schemas has the type, the fallback and the variability of the table (PHY-010)")
{
    const std::string apis =
        "(prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\", \"PhysicsCollisionAPI\", "
        "\"PhysicsMeshCollisionAPI\", \"PhysicsMaterialAPI\", \"PhysicsFilteredPairsAPI\"])";
    const auto stage = stage_from("def PhysicsScene \"scene\" { }\ndef Mesh \"m\" " + apis + R"( { }
def PhysicsCollisionGroup "group" { }
def PhysicsJoint "d6" (prepend apiSchemas = ["PhysicsLimitAPI:rotX", "PhysicsDriveAPI:rotX"]) { }
def PhysicsRevoluteJoint "hinge" { }
def PhysicsPrismaticJoint "slider" { }
def PhysicsSphericalJoint "ball" { }
def PhysicsDistanceJoint "rope" { }
)");
    const struct {
        const char* prim;
        const char* attribute;
        const char* type;
        const char* fallback;  ///< as text; null: none
        bool        uniform = false;
    } table[] = {
        {"/scene", "physics:gravityDirection", "vector3f", "(0, 0, 0)"},
        {"/scene", "physics:gravityMagnitude", "float", "-inf"},
        {"/m", "physics:rigidBodyEnabled", "bool", "1"},
        {"/m", "physics:kinematicEnabled", "bool", "0"},
        {"/m", "physics:startsAsleep", "bool", "0", true},
        {"/m", "physics:velocity", "vector3f", "(0, 0, 0)"},
        {"/m", "physics:angularVelocity", "vector3f", "(0, 0, 0)"},
        {"/m", "physics:mass", "float", "0"},
        {"/m", "physics:density", "float", "0"},
        {"/m", "physics:centerOfMass", "point3f", "(-inf, -inf, -inf)"},
        {"/m", "physics:diagonalInertia", "float3", "(0, 0, 0)"},
        {"/m", "physics:principalAxes", "quatf", "(0, 0, 0, 0)"},
        {"/m", "physics:collisionEnabled", "bool", "1"},
        {"/m", "physics:approximation", "token", "none", true},
        {"/m", "physics:dynamicFriction", "float", "0"},
        {"/m", "physics:staticFriction", "float", "0"},
        {"/m", "physics:restitution", "float", "0"},
        {"/group", "physics:invertFilteredGroups", "bool", nullptr},
        {"/group", "physics:mergeGroup", "string", nullptr},
        {"/d6", "physics:localPos0", "point3f", "(0, 0, 0)"},
        {"/d6", "physics:localPos1", "point3f", "(0, 0, 0)"},
        {"/d6", "physics:localRot0", "quatf", "(1, 0, 0, 0)"},
        {"/d6", "physics:localRot1", "quatf", "(1, 0, 0, 0)"},
        {"/d6", "physics:jointEnabled", "bool", "1"},
        {"/d6", "physics:collisionEnabled", "bool", "0"},
        {"/d6", "physics:excludeFromArticulation", "bool", "0", true},
        {"/d6", "physics:breakForce", "float", "inf"},
        {"/d6", "physics:breakTorque", "float", "inf"},
        {"/d6", "limit:rotX:physics:low", "float", "-inf"},
        {"/d6", "limit:rotX:physics:high", "float", "inf"},
        {"/d6", "drive:rotX:physics:type", "token", "force", true},
        {"/d6", "drive:rotX:physics:targetPosition", "float", "0"},
        {"/d6", "drive:rotX:physics:targetVelocity", "float", "0"},
        {"/d6", "drive:rotX:physics:stiffness", "float", "0"},
        {"/d6", "drive:rotX:physics:damping", "float", "0"},
        {"/d6", "drive:rotX:physics:maxForce", "float", "inf"},
        {"/hinge", "physics:axis", "token", "X", true},
        {"/hinge", "physics:lowerLimit", "float", "-inf"},
        {"/hinge", "physics:upperLimit", "float", "inf"},
        {"/slider", "physics:axis", "token", "X", true},
        {"/slider", "physics:lowerLimit", "float", "-inf"},
        {"/slider", "physics:upperLimit", "float", "inf"},
        {"/ball", "physics:axis", "token", "X", true},
        {"/ball", "physics:coneAngle0Limit", "float", "-1"},
        {"/ball", "physics:coneAngle1Limit", "float", "-1"},
        {"/rope", "physics:minDistance", "float", "-1"},
        {"/rope", "physics:maxDistance", "float", "-1"},
    };
    for (const auto& row : table) {
        CAPTURE(row.prim);
        CAPTURE(row.attribute);
        const auto attribute = stage->prim_at(usd::Path(row.prim)).attribute(row.attribute);
        REQUIRE(attribute);
        CHECK(attribute.type_name() == row.type);
        CHECK(attribute.uniform() == row.uniform);
        CHECK(attribute.value().empty() == (row.fallback == nullptr));
        if (row.fallback != nullptr) CHECK(attribute.value().to_text() == row.fallback);
    }
    const struct {
        const char* prim;
        const char* relationship;
    } relationships[] = {{"/m", "physics:simulationOwner"},
                         {"/m", "physics:filteredPairs"},
                         {"/group", "physics:filteredGroups"},
                         {"/d6", "physics:body0"},
                         {"/d6", "physics:body1"}};
    for (const auto& row : relationships) CHECK(stage->prim_at(usd::Path(row.prim)).relationship(row.relationship));
}

TEST_CASE("the seven sample scenes of UsdPhysics parse with the counts that OpenUSD finds (PHY-127)")
{
    MCH_NEEDS_CORPUS();
    constexpr std::size_t kNoSuchType = 99;
    const struct {
        const char* name;
        std::size_t bodies, colliders, joints, groups, materials;
    } table[] = {
        {"BoxOnBox", 1, 2, 0, 0, 0},
        {"BoxOnQuad", 1, 2, 0, 0, 0},
        {"SpheresWithMaterial", 2, 3, 0, 0, 2},
        {"GroupFiltering", 2, 3, 0, 1, 0},
        {"PairFiltering", 2, 3, 0, 0, 0},
        {"Joints", 1, 2, 1, 0, 0},
        {"DistanceJoint", 1, 2, kNoSuchType, 0, 0},  // the file spells a joint type that no schema has
    };
    for (const auto& row : table) {
        CAPTURE(row.name);
        const auto stage = usd::Stage::open(
            (*test::corpus() / "openusd/usdPhysics_examples" / ("usdPhysics" + std::string(row.name) + ".usda"))
                .string());
        REQUIRE(stage);
        Diagnostics found;
        const auto  model = parse(**stage, {}, found);
        CHECK(model.scenes.size() == 1);
        CHECK_FALSE(model.scenes[0].synthesized);
        CHECK(model.bodies.size() == row.bodies);
        CHECK(model.colliders.size() == row.colliders);
        CHECK(model.groups.size() == row.groups);
        CHECK(model.materials.size() == row.materials);
        if (row.joints == kNoSuchType) {
            CHECK(model.joints.empty());
            CHECK(found.count("PHY_NAME_SUSPECT") >= 1);
        } else {
            CHECK(model.joints.size() == row.joints);
        }
    }
}

}  // namespace mechane::physics
