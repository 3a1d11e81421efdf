#include "stages.h"

namespace mechane::physics {
using test::close_to;
using test::Parsed;

TEST_CASE("unset gravity is the earth's along minus the up axis, in stage units (PHY-002)")
{
    struct {
        const char* metadata;
        Vec3d       gravity;
    } table[] = {
        {"metersPerUnit = 1 upAxis = \"Z\"", {0, 0, -9.81}},
        {"metersPerUnit = 0.01 upAxis = \"Y\"", {0, -981, 0}},
        {"metersPerUnit = 1 upAxis = \"X\"", {-9.81, 0, 0}},
        {"upAxis = \"Z\"", {0, 0, -981}},  // OpenUSD's default unit is the centimetre (PHY-001)
    };
    for (const auto& row : table) {
        CAPTURE(row.metadata);
        const Parsed p("def PhysicsScene \"S\" {}", row.metadata);
        REQUIRE(p.model.scenes.size() == 1);
        CHECK_VEC(p.model.scenes[0].gravity, row.gravity, 1e-6);
    }
}

TEST_CASE("gravity direction is normalised and a magnitude of zero gives none (PHY-003, PHY-004)")
{
    const Parsed p(
        R"(def PhysicsScene "S" { vector3f physics:gravityDirection = (0, 3, 4)  float physics:gravityMagnitude = 0 })");
    CHECK_VEC(p.model.scenes[0].gravity_direction, (Vec3d{0, 0.6, 0.8}), 1e-7);
    CHECK(p.model.scenes[0].gravity == Vec3d{});
}

TEST_CASE(
    "a negative magnitude means the earth's with a warning, and is taken raw under the reference's rules (PHY-004)")
{
    const char*  stage = R"(def PhysicsScene "S" { float physics:gravityMagnitude = -1 })";
    const Parsed p(stage), reference(stage, test::strict());
    CHECK(p.found.count("PHY_GRAVITY_NEGATIVE") == 1);
    CHECK_VEC(p.model.scenes[0].gravity, (Vec3d{0, 0, -9.81}), 1e-9);
    CHECK(p.model.scenes[0].gravity_magnitude == -1);
    CHECK_VEC(reference.model.scenes[0].gravity, (Vec3d{0, 0, 1}), 1e-9);
}

TEST_CASE("gravity that is no number is reported and the earth's is used")
{
    const Parsed p(
        R"(def PhysicsScene "S" { vector3f physics:gravityDirection = (nan, 0, 0)  float physics:gravityMagnitude = inf })");
    CHECK(is_finite(p.model.scenes[0].gravity));
    CHECK(p.found.has_errors());
}

TEST_CASE("a stage without a scene gets a default one (PHY-005)")
{
    const Parsed p("def Xform \"A\" {}");
    REQUIRE(p.model.scenes.size() == 1);
    CHECK(p.model.scenes[0].synthesized);
    CHECK(p.model.scenes[0].path.empty());
    CHECK(p.found.count("PHY_SCENE_MISSING") == 1);
}

TEST_CASE("objects go to their owner, and those without one to the first scene (PHY-006, DYN-111)")
{
    const Parsed p(R"(
def PhysicsScene "S1" {}
def PhysicsScene "S2" {}
def Xform "Free" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
def Xform "Owned" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { rel physics:simulationOwner = </S2> }
def Xform "Lost" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { rel physics:simulationOwner = </Nowhere> }
def Xform "Torn" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { rel physics:simulationOwner = [</Nowhere>, </S2>] }
)");
    CHECK(p.body("/Free").scene == 0);
    CHECK(p.body("/Owned").scene == 1);
    CHECK(p.body("/Lost").scene == 0);
    CHECK(p.body("/Torn").scene == 1);
    CHECK(p.found.count("PHY_OWNER_INVALID") == 1);
    CHECK(p.found.count("PHY_OWNER_MULTIPLE") == 1);
}

TEST_CASE(
    "the owner filter keeps bodies by owner, their colliders with them, static colliders by their own (PHY-119, "
    "PHY-120)")
{
    const char* stage = R"(
def PhysicsScene "S1" {}
def PhysicsScene "S2" {}
def Cube "B1" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {
    rel physics:simulationOwner = </S1>
}
def Xform "B0" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Cube "C" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { rel physics:simulationOwner = </S2> }
}
def Cube "Static2" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { rel physics:simulationOwner = </S2> }
def PhysicsFixedJoint "J" { rel physics:body0 = </B1>  rel physics:body1 = </B0> }
)";
    struct {
        std::vector<usd::Path>   owners;
        std::vector<std::string> bodies, colliders;
        std::size_t              scenes, joints;
    } table[] = {
        {{usd::Path("/S1")}, {"/B1"}, {"/B1"}, 1, 0},
        {{usd::Path("/S2")}, {}, {"/Static2"}, 1, 0},
        {{usd::Path()}, {"/B0"}, {"/B0/C"}, 0, 0},
        {{usd::Path("/S1"), usd::Path()}, {"/B1", "/B0"}, {"/B1", "/B0/C"}, 1, 1},
    };
    for (const auto& row : table) {
        ParseOptions options;
        options.owners = row.owners;
        const Parsed             p(stage, options);
        std::vector<std::string> bodies, colliders;
        for (const Body& b : p.model.bodies) bodies.push_back(b.path.text());
        for (const Collider& c : p.model.colliders) colliders.push_back(c.path.text());
        CHECK(bodies == row.bodies);
        CHECK(colliders == row.colliders);
        CHECK(p.model.scenes.size() == row.scenes);
        CHECK(p.model.joints.size() == row.joints);
        for (const Body& b : p.model.bodies)
            for (const Index c : b.colliders)
                CHECK(p.model.colliders[static_cast<std::size_t>(c)].path.has_prefix(b.path));
    }
}

TEST_CASE("names that documents misspell are reported, and read as meant on request (PHY-013)")
{
    const char*  stage = R"(
def PhysicsScene "S" { vector3f gravity = (0, 0, -5) }
def PhysicsCollisionGroup "G" {}
def Cube "A" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { vector3f velocity = (1, 2, 3)  rel physics:collisionGroup = </G> }
def "Loose" (prepend apiSchemas = ["PhysicsCollisionGroup"]) {}
def RevoluteJoint "J" { rel physics:body1 = </A> }
def DistancePhysicsJoint "D" { rel physics:body1 = </A> }
)";
    const Parsed p(stage);
    CHECK(p.found.count("PHY_NAME_SUSPECT") == 6);
    CHECK(p.model.joints.empty());
    CHECK_VEC(p.model.scenes[0].gravity, (Vec3d{0, 0, -9.81}), 1e-9);

    ParseOptions lenient;
    lenient.lenient_names = true;
    const Parsed q(stage, lenient);
    CHECK(q.joint("/J").kind == JointKind::revolute);
    CHECK(q.joint("/D").kind == JointKind::distance);
    CHECK_VEC(q.model.scenes[0].gravity, (Vec3d{0, 0, -5}), 1e-6);
    CHECK_VEC(q.body("/A").velocity, (Vec3d{1, 2, 3}), 1e-6);
    CHECK(q.collider("/A").groups == std::vector<Index>{0});
}

}  // namespace mechane::physics
