#include "stages.h"

namespace mechane::physics {
using test::close_to;
using test::Parsed;

namespace {
// Two bodies 2 apart along x, for joints between them.
const std::string kBodies = R"(
def Xform "A" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    double3 xformOp:translate = (2, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)";
const std::string kEnds   = " rel physics:body0 = </A>  rel physics:body1 = </B>\n";
}  // namespace

TEST_CASE("a side resolves to the body at or above its target, and its frame goes with it (PHY-093)")
{
    // A at (1,2,3) scale 2; K child of A at x = 5; C collider at x = 7 scale 3 with a child; X plain at x = 9 scale 3.
    const std::string world = R"(
def Xform "A" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    double3 xformOp:translate = (1, 2, 3)
    float3 xformOp:scale = (2, 2, 2)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    def Xform "K" {
        double3 xformOp:translate = (5, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
def Cube "C" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
    double3 xformOp:translate = (7, 0, 0)
    float3 xformOp:scale = (3, 3, 3)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    def Xform "Kid" {}
}
def Xform "X" {
    double3 xformOp:translate = (9, 0, 0)
    float3 xformOp:scale = (3, 3, 3)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
}
def Xform "Other" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
)";
    struct {
        const char* rel;
        const char* frame_body;
        Vec3d       position, in_world;
    } table[] = {
        {"", "", {1, 0, 0}, {1, 0, 0}},
        {"rel physics:body0 = </A>", "/A", {2, 0, 0}, {3, 2, 3}},
        {"rel physics:body0 = </A/K>", "/A", {12, 0, 0}, {13, 2, 3}},
        {"rel physics:body0 = </C>", "/C", {3, 0, 0}, {10, 0, 0}},
        {"rel physics:body0 = </C/Kid>", "/C", {3, 0, 0}, {10, 0, 0}},
        {"rel physics:body0 = </X>", "", {12, 0, 0}, {12, 0, 0}},
    };
    for (const auto& row : table) {
        CAPTURE(row.rel);
        const Parsed p(
            world + "def PhysicsJoint \"J\" { point3f physics:localPos0 = (1, 0, 0)\n rel physics:body1 = </Other>\n" +
            row.rel + "\n}");
        const Joint& j = p.joint("/J");
        CHECK(j.frame_body0.text() == row.frame_body);
        CHECK_VEC(j.frame0.p, row.position, 1e-6);
        CHECK_VEC(j.X_WF0.p, row.in_world, 1e-6);
        CHECK(j.valid);
    }
    const std::string missing = world +
                                "def PhysicsJoint \"J\" { point3f physics:localPos0 = (1, 0, 0)\n rel physics:body1 = "
                                "</Other>\n rel physics:body0 = </Nowhere>\n}";
    const Parsed      p(missing), reference(missing, test::strict());
    CHECK_FALSE(p.joint("/J").valid);
    CHECK(p.joint("/J").reasons == std::vector<std::string>{"PHY_JOINT_TARGET_MISSING"});
    CHECK(reference.joint("/J").valid);
    CHECK_VEC(reference.joint("/J").frame0.p, (Vec3d{1, 0, 0}), 0);
}

TEST_CASE("rotations are normalised, and zero is the identity (PHY-094)")
{
    const Parsed p(kBodies + "def PhysicsJoint \"J\" {" + kEnds +
                   "quatf physics:localRot0 = (2, 0, 0, 2)\n quatf physics:localRot1 = (0, 0, 0, 0) }");
    const double h = std::sqrt(0.5);
    CHECK(test::angle_between(p.joint("/J").frame0.q, Quatd{0, 0, h, h}) < 1e-9);
    CHECK(p.joint("/J").frame1.q == Quatd{});
}

TEST_CASE("which limits count (PHY-095, PHY-096, PHY-097, PHY-098)")
{
    struct {
        const char* type;
        const char* limits;
        bool        enabled, reference_enabled, locked;
    } table[] = {
        {"PhysicsRevoluteJoint", "float physics:lowerLimit = -90\n float physics:upperLimit = 90", true, true, false},
        {"PhysicsRevoluteJoint", "float physics:lowerLimit = -90", true, false, false},
        {"PhysicsPrismaticJoint", "float physics:upperLimit = 1", true, true, false},
        {"PhysicsRevoluteJoint", "float physics:lowerLimit = -1e38\n float physics:upperLimit = inf", false, false,
         false},
        {"PhysicsRevoluteJoint", "", false, false, false},
        {"PhysicsRevoluteJoint", "float physics:lowerLimit = 10\n float physics:upperLimit = -10", true, true, true},
        {"PhysicsPrismaticJoint", "float physics:lowerLimit = 0\n float physics:upperLimit = 0", true, true, true},
    };
    for (const auto& row : table) {
        CAPTURE(row.limits);
        const std::string text = kBodies + "def " + row.type + " \"J\" {" + kEnds + row.limits + "\n}";
        const Parsed      p(text), reference(text, test::strict());
        CHECK(p.joint("/J").limit.enabled == row.enabled);
        CHECK(reference.joint("/J").limit.enabled == row.reference_enabled);
        CHECK(p.joint("/J").limit.locked == row.locked);
    }
    const Parsed inverted(kBodies + "def PhysicsRevoluteJoint \"J\" {" + kEnds +
                          "float physics:lowerLimit = 10\n float physics:upperLimit = -10 }");
    CHECK(inverted.found.count("PHY_JOINT_LIMIT_INVERTED") == 1);
    CHECK(inverted.joint("/J").limit.dof == Dof::rot_x);  // the axis falls back to X
}

TEST_CASE("cones and distances count only where they are not negative (PHY-099, PHY-100)")
{
    struct {
        const char* cone;
        bool        enabled;
    } cones[] = {{"float physics:coneAngle0Limit = 10\n float physics:coneAngle1Limit = 0", true},
                 {"float physics:coneAngle0Limit = 10", false},
                 {"", false}};
    for (const auto& row : cones) {
        const Parsed p(kBodies + "def PhysicsSphericalJoint \"J\" {" + kEnds + row.cone + "\n}");
        CHECK(p.joint("/J").cone_enabled == row.enabled);
    }
    const Parsed p(kBodies + "def PhysicsDistanceJoint \"J\" {" + kEnds + "float physics:maxDistance = 2 }");
    CHECK_FALSE(p.joint("/J").min_enabled);
    CHECK(p.joint("/J").max_enabled);
}

TEST_CASE(
    "a generic joint lists its degrees of freedom in one order, and reports those that are none (PHY-012, PHY-101)")
{
    const Parsed p(kBodies + R"(def PhysicsJoint "J" (
    prepend apiSchemas = ["PhysicsLimitAPI:rotZ", "PhysicsLimitAPI:transX", "PhysicsLimitAPI:distance", "PhysicsLimitAPI:linear", "PhysicsDriveAPI:rotZ", "PhysicsDriveAPI:transY"]
) {)" + kEnds + R"(
    float limit:transX:physics:low = -1
    float limit:transX:physics:high = 2
    float limit:rotZ:physics:low = 5
    float limit:rotZ:physics:high = -5
    float drive:transY:physics:stiffness = 7
})");
    const Joint& j = p.joint("/J");
    REQUIRE(j.limits.size() == 3);
    CHECK(j.limits[0].dof == Dof::distance);
    CHECK_FALSE(j.limits[0].enabled);
    CHECK(j.limits[1].dof == Dof::trans_x);
    CHECK(j.limits[1].lower == -1);
    CHECK(j.limits[1].upper == 2);
    CHECK(j.limits[2].dof == Dof::rot_z);
    CHECK(j.limits[2].locked);
    CHECK(p.found.count("PHY_JOINT_LIMIT_INVERTED") == 0);  // that is how one is locked
    REQUIRE(j.drives.size() == 2);
    CHECK(j.drives[0].dof == Dof::trans_y);
    CHECK(j.drives[0].stiffness == 7);
    CHECK(j.drives[1].enabled);
    CHECK(p.found.count("PHY_DOF_UNKNOWN") == 1);
}

TEST_CASE("a drive is the instance that speaks of the joint's motion; nonsense in it is corrected (PHY-102, PHY-103)")
{
    const Parsed p(kBodies + R"(
def PhysicsRevoluteJoint "R" (prepend apiSchemas = ["PhysicsDriveAPI:angular", "PhysicsDriveAPI:linear", "PhysicsLimitAPI:rotX"]) {)" +
                   kEnds + R"(
    uniform token drive:angular:physics:type = "acceleration"
    float drive:angular:physics:stiffness = -4
    float drive:angular:physics:damping = 3
    float drive:angular:physics:targetPosition = 30
    float drive:angular:physics:maxForce = -50
}
def PhysicsPrismaticJoint "P" {)" +
                   kEnds + R"(}
def PhysicsFixedJoint "F" (prepend apiSchemas = ["PhysicsDriveAPI:linear"]) {)" +
                   kEnds + "}");
    const Drive& d = p.joint("/R").drive;
    CHECK(d.enabled);
    CHECK(d.acceleration);
    CHECK(d.stiffness == 0);
    CHECK(d.damping == 3);
    CHECK(d.target_position == 30);
    CHECK(d.max_force == 50);
    CHECK_FALSE(p.joint("/P").drive.enabled);
    CHECK(p.joint("/P").drive.max_force == close_to(3.4028234663852886e38, 1e-9));  // measured: FLT_MAX without a drive
    CHECK(p.found.count("PHY_DRIVE_NEGATIVE") == 1);
    CHECK(p.found.count("PHY_DRIVE_MAXFORCE") == 1);
    CHECK(p.found.count("PHY_DRIVE_IGNORED") == 2);
    CHECK(p.found.count("PHY_LIMIT_IGNORED") == 1);
}

TEST_CASE("joints that join nothing are invalid, each with its reason (PHY-104, PHY-105, PHY-106)")
{
    const Parsed p(kBodies + R"(
def Cube "Static" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { bool physics:rigidBodyEnabled = false }
def PhysicsFixedJoint "Self" { rel physics:body0 = </A>  rel physics:body1 = </A> }
def PhysicsFixedJoint "Nothing" {}
def PhysicsFixedJoint "Anchored" { rel physics:body0 = </Static>  rel physics:body1 = </A> }
def PhysicsFixedJoint "Many" { rel physics:body0 = [</A>, </B>]  rel physics:body1 = </B> }
)");
    CHECK(p.joint("/Self").reasons == std::vector<std::string>{"PHY_JOINT_SELF"});
    CHECK(p.joint("/Nothing").reasons == std::vector<std::string>{"PHY_JOINT_NO_BODY"});
    CHECK(p.joint("/Anchored").valid);
    CHECK(p.joint("/Anchored").frame_body0.text() == "/Static");
    CHECK(p.joint("/Anchored").body0 == kNone);
    CHECK(p.joint("/Many").valid);
    CHECK(p.model.bodies[static_cast<std::size_t>(p.joint("/Many").body0)].path.text() == "/A");
    CHECK(p.found.count("PHY_JOINT_MULTI_TARGET") == 1);
}

TEST_CASE("break limits of zero or less are said, and frames that do not meet too (PHY-107)")
{
    const Parsed p(kBodies + "def PhysicsFixedJoint \"J\" {" + kEnds +
                   "float physics:breakForce = 0\n float physics:breakTorque = -3 }");
    CHECK(p.joint("/J").break_force == 0);
    CHECK(p.joint("/J").break_torque == kInfinity);
    CHECK(p.found.count("PHY_BREAK_NONPOSITIVE") == 2);
    CHECK(p.found.count("PHY_JOINT_FRAME_GAP") == 1);  // the bodies are 2 apart and both frames lie at their origins
    const Parsed meets(kBodies + "def PhysicsFixedJoint \"J\" {" + kEnds + "point3f physics:localPos0 = (2, 0, 0) }");
    CHECK(meets.found.count("PHY_JOINT_FRAME_GAP") == 0);
}

TEST_CASE("frames are apart by metres, whatever the unit of the stage: 1 mm is what counts (PHY-107)")
{
    // 0.05 units: 5 cm, 0.5 mm and 0.05 mm
    const std::string joint = kBodies + "def PhysicsFixedJoint \"J\" {" + kEnds + "point3f physics:localPos0 = (2.05, 0, 0) }";
    CHECK(Parsed(joint).found.count("PHY_JOINT_FRAME_GAP") == 1);
    CHECK(Parsed(joint, "metersPerUnit = 0.01 kilogramsPerUnit = 1 upAxis = \"Z\"").found.count("PHY_JOINT_FRAME_GAP") == 0);
    CHECK(Parsed(joint, "metersPerUnit = 0.001 kilogramsPerUnit = 1 upAxis = \"Z\"").found.count("PHY_JOINT_FRAME_GAP") == 0);
    CHECK(Parsed(joint, "metersPerUnit = 1000 kilogramsPerUnit = 1 upAxis = \"Z\"").found.count("PHY_JOINT_FRAME_GAP") == 1);
}

TEST_CASE("a joint with the API of a collider is no anchor, but OpenUSD's parser takes it for one")
{
    const std::string text = kBodies + R"(
def PhysicsFixedJoint "J" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
    rel physics:body0 = </A>
    rel physics:body1 = </B>
}
def PhysicsFixedJoint "K" {
    rel physics:body0 = </A>
    rel physics:body1 = </J>
}
)";
    CHECK(Parsed(text, test::strict()).joint("/K").frame_body1.text() == "/J");
    CHECK(Parsed(text).joint("/K").frame_body1.empty());
}

}  // namespace mechane::physics
