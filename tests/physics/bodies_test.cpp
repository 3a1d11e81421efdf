#include "stages.h"

namespace mechane::physics {
using test::close_to;
using test::Parsed;

TEST_CASE("only active, defined, concrete prims are read, whatever their visibility and purpose (PHY-017, PHY-018)")
{
    const Parsed p(R"(
def Xform "Off" (active = false  prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
class Xform "Kind" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
over "Opinion" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
def Cube "Hidden" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { token visibility = "invisible" }
def Cube "Guide" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { uniform token purpose = "guide" }
)");
    CHECK(p.model.bodies.empty());
    CHECK(p.model.colliders.size() == 2);
}

TEST_CASE("prototypes of a point instancer are not bodies (PHY-019)")
{
    const Parsed p(R"(
def PointInstancer "I" {
    def Cube "Proto" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
}
def Cube "After" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
)");
    CHECK(p.model.bodies.empty());
    CHECK(p.model.colliders.size() == 1);
    CHECK(p.found.count("PHY_INSTANCER") == 1);
}

TEST_CASE("an instanced body is one body for each instance, with targets of its own (PHY-020, PHY-108)")
{
    const Parsed p(R"(
def Xform "Robot" {
    def Cube "A" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
    def Cube "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
    def PhysicsFixedJoint "J" { rel physics:body0 = </Robot/A>  rel physics:body1 = </Robot/B> }
}
def "One" (instanceable = true  prepend references = </Robot>) {}
def "Two" (instanceable = true  prepend references = </Robot>) {}
)");
    CHECK(p.model.bodies.size() == 6);
    CHECK(p.model.bodies[static_cast<std::size_t>(p.joint("/Two/J").body1)].path.text() == "/Two/B");
    CHECK(p.owner("/One/A") == "/One/A");
}

TEST_CASE(
    "overlapping roots give each prim once, missing ones a warning, excluded ones nothing (PHY-021, PHY-022, PHY-023)")
{
    ParseOptions options;
    options.roots   = {usd::Path("/W"), usd::Path("/W/B"), usd::Path("/Missing")};
    options.exclude = {usd::Path("/W/B/Skip")};
    const Parsed p(R"(
def Xform "W" {
    def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        def Cube "C" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
        def Xform "Skip" { def Cube "D" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {} }
        def Cube "E" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
    }
}
def Cube "Outside" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
)",
                   options);
    CHECK(p.model.bodies.size() == 1);
    CHECK(p.body("/W/B").colliders.size() == 2);
    CHECK(p.model.colliders.size() == 2);
    CHECK(p.found.count("PHY_ROOT_MISSING") == 1);
}

TEST_CASE("a disabled body owns nothing: its colliders belong to the enabled one above, or are static (PHY-026)")
{
    const Parsed p(R"(
def Xform "Outer" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Cube "Inner" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { bool physics:rigidBodyEnabled = false }
}
def Cube "Alone" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { bool physics:rigidBodyEnabled = false }
)");
    CHECK(p.owner("/Outer/Inner") == "/Outer");
    CHECK(p.owner("/Alone").empty());
    CHECK(p.model.bodies.size() == 3);
    CHECK(p.body("/Alone").colliders.empty());
}

TEST_CASE(
    "a body below a body is one of its own, with a warning unless its transform is reset; by the schema's text it is "
    "none (PHY-027, PHY-028)")
{
    const char*  stage = R"(
def Xform "Outer" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Cube "Nested" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
    def Cube "Reset" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { uniform token[] xformOpOrder = ["!resetXformStack!"] }
}
)";
    const Parsed p(stage);
    CHECK(p.model.bodies.size() == 3);
    CHECK(p.owner("/Outer/Nested") == "/Outer/Nested");
    CHECK(p.found.count("PHY_BODY_NESTED") == 1);

    ParseOptions options;
    options.nested_bodies = NestedBodies::schema;
    const Parsed q(stage, options);
    CHECK(q.model.bodies.size() == 2);
    CHECK(q.owner("/Outer/Nested") == "/Outer");
    CHECK(q.owner("/Outer/Reset") == "/Outer/Reset");
}

TEST_CASE("links that a converter nests are one finding for the stage, with how many they are (PHY-027)")
{
    const Parsed p(R"(
def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        def Xform "c" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
    }
    def Xform "d" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
}
)");
    CHECK(p.model.bodies.size() == 4);
    REQUIRE(p.found.count("PHY_BODY_NESTED") == 1);
    CHECK(p.found.find("PHY_BODY_NESTED")->message.find("3 bodies lie below others, first </a/b> below </a>") == 0);
}

TEST_CASE("a collider that resets its transform still belongs to the body above (PHY-029)")
{
    // The body is at x = 3 and the collider at the world's origin: (-3, 0, 0) from the body.
    const Parsed p(R"(
def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    double3 xformOp:translate = (3, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "C" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { uniform token[] xformOpOrder = ["!resetXformStack!"] }
}
)");
    CHECK(p.owner("/B/C") == "/B");
    CHECK_VEC(p.collider("/B/C").X_BS.p, (Vec3d{-3, 0, 0}), 1e-12);
}

TEST_CASE("a body without a transform is invalid, and valid as the reference reads it (PHY-030)")
{
    const char*  stage = R"(def Scope "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {})";
    const Parsed p(stage), reference(stage, test::strict());
    CHECK_FALSE(p.body("/B").valid);
    CHECK(p.body("/B").reasons == std::vector<std::string>{"PHY_BODY_NOT_XFORMABLE"});
    CHECK(reference.body("/B").valid);
}

TEST_CASE("a sheared body is an error, a mirrored one a warning, a singular one is left out (PHY-031)")
{
    const Parsed p(R"(
def Xform "Sheared" {
    float3 xformOp:scale = (2, 1, 1)
    uniform token[] xformOpOrder = ["xformOp:scale"]
    def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        float xformOp:rotateZ = 45
        uniform token[] xformOpOrder = ["xformOp:rotateZ"]
    }
}
def Xform "Mirrored" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    float3 xformOp:scale = (-1, 1, 1)
    uniform token[] xformOpOrder = ["xformOp:scale"]
}
def Cube "Flat" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {
    float3 xformOp:scale = (1, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:scale"]
}
def Cube "Nan" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {
    double3 xformOp:translate = (nan, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)");
    CHECK(p.body("/Sheared/B").sheared);
    CHECK(p.found.count("PHY_BODY_SHEAR") == 1);
    CHECK(p.body("/Mirrored").mirrored);
    CHECK(p.found.count("PHY_BODY_MIRRORED") == 1);
    CHECK_FALSE(p.body("/Flat").valid);
    // usd/ leaves out an op that is no number; what counts here is that none gets through.
    for (const Body& b : p.model.bodies) CHECK(is_finite(b.X_WB));
    for (const Collider& c : p.model.colliders) CHECK(is_finite(c.X_BS));
}

TEST_CASE("flags, velocities and mass values are read in stage units; NaN counts as unset (PHY-016, PHY-032)")
{
    const Parsed p(R"(
def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
    bool physics:kinematicEnabled = true
    uniform bool physics:startsAsleep = true
    vector3f physics:velocity = (1, 2, 3)
    vector3f physics:angularVelocity = (90, 0, 0)
    float physics:mass = nan
    double physics:density = 250
    point3f physics:centerOfMass = (1, 2, -inf)
}
)");
    const Body&  b = p.body("/B");
    CHECK(b.kinematic);
    CHECK(b.starts_asleep);
    CHECK_VEC(b.velocity, (Vec3d{1, 2, 3}), 0);
    CHECK_VEC(b.angular_velocity, (Vec3d{90, 0, 0}), 0);
    CHECK(b.mass.mass == 0);
    CHECK(p.found.count("PHY_VALUE_NAN") == 2);  // of the mass and of the centre of mass
    CHECK(b.mass.has_density());
    CHECK(b.mass.density == 250);   // a double where the schema says float (PHY-014)
    CHECK_FALSE(b.mass.has_com());  // one component not finite (PHY-073)
}

TEST_CASE("velocities are turned by the chosen frame, and local ones are stretched too (PHY-033, GAP-093)")
{
    // Parent: 90 degrees about z. Body: 90 degrees about z, scale 2. So local x points along -x of the world, twice as
    // long.
    const Parsed p(R"(
def Xform "P" {
    float xformOp:rotateZ = 90
    uniform token[] xformOpOrder = ["xformOp:rotateZ"]
    def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        float xformOp:rotateZ = 90
        float3 xformOp:scale = (2, 2, 2)
        uniform token[] xformOpOrder = ["xformOp:rotateZ", "xformOp:scale"]
        vector3f physics:velocity = (1, 0, 0)
        vector3f physics:angularVelocity = (10, 0, 0)
    }
}
)");
    struct {
        VelocityFrame frame;
        Vec3d         linear, angular;
    } table[] = {
        {VelocityFrame::local, {-2, 0, 0}, {-10, 0, 0}},
        {VelocityFrame::rotation_only, {-1, 0, 0}, {-10, 0, 0}},
        {VelocityFrame::parent, {0, 1, 0}, {0, 10, 0}},
        {VelocityFrame::world, {1, 0, 0}, {10, 0, 0}},
    };
    for (const auto& row : table) {
        const WorldVelocity v = world_velocity(p.body("/P/B"), row.frame);
        CHECK_VEC(v.linear, row.linear, 1e-6);
        CHECK_VEC(v.angular, row.angular, 1e-5);
    }
}

TEST_CASE(
    "a transform with samples only is taken at the earliest, and at the default time as the reference reads it "
    "(PHY-034)")
{
    const char*  stage = R"(
def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    double3 xformOp:translate.timeSamples = { 1: (5, 0, 0), 2: (6, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)";
    const Parsed p(stage), reference(stage, test::strict());
    CHECK_VEC(p.body("/B").X_WB.p, (Vec3d{5, 0, 0}), 0);
    CHECK(p.found.count("PHY_SAMPLED_ONLY") == 1);
    CHECK_VEC(reference.body("/B").X_WB.p, (Vec3d{}), 0);
}

TEST_CASE("Newton's schemas bring their UsdPhysics base")
{
    const Parsed p(R"(
def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "NewtonMassAPI"]) {
    float physics:mass = 3
    def Cube "C" (prepend apiSchemas = ["NewtonCollisionAPI"]) {}
    def Sphere "S" (prepend apiSchemas = ["NewtonSDFCollisionAPI"]) {}
    def Mesh "M" (prepend apiSchemas = ["NewtonMeshCollisionAPI"]) {
        uniform token physics:approximation = "convexHull"
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    }
}
def Xform "Root" (prepend apiSchemas = ["NewtonArticulationRootAPI"]) {}
def Material "Mat" (prepend apiSchemas = ["NewtonMaterialAPI"]) {}
)");
    CHECK(p.body("/B").colliders.size() == 3);
    CHECK(p.body("/B").mass.mass == 3);
    CHECK(p.collider("/B/M").approximation == Approximation::convex_hull);
    CHECK(p.model.articulations.size() == 1);
    CHECK(p.model.materials.size() == 1);
}

}  // namespace mechane::physics
