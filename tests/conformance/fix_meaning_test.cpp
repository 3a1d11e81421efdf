// Repairs that could change what an asset means: they keep it, or are left out with their reason.
#include "conformance/fixing.h"

using namespace mechane;
using namespace mechane::conformance;
using test::close_to;

TEST_CASE(
    "a repair that would move another user of its source is left out with its reason; the others are made (REP-T-147)")
{
    // Both wheels are placed by one spec, and the right one turns its operation: written anew for the one, the other
    // would follow. The box beside them has nothing to do with it.
    const std::map<std::string, std::string> files{
        {"part.usda",
         "#usda 1.0\n( defaultPrim = \"part\" )\ndef Xform \"part\"\n{\n def Xform \"wheel\"\n {\n  float3 "
         "xformOp:rotateXYZ = (0, 0, 30)\n  uniform token[] xformOpOrder = [\"xformOp:rotateXYZ\"]\n  def Cube \"rim\" "
         "{ double3 xformOp:translate = (1, 0, 0)\n uniform token[] xformOpOrder = [\"xformOp:translate\"] }\n }\n}\n"},
        {"robot.usda",
         "#usda 1.0\n(\n defaultPrim = \"robot\"\n metersPerUnit = 1\n upAxis = \"Z\"\n)\ndef Xform \"robot\"\n{\n"
         " def \"left\" ( references = @./part.usda@ ) {}\n def \"right\" ( references = @./part.usda@ )\n {\n"
         "  over \"wheel\" { float3 xformOp:rotateXYZ = (0, 0, 90) }\n }\n def Cube \"box\"\n {\n  float3 "
         "xformOp:rotateXYZ = (0, 0, 45)\n  uniform token[] xformOpOrder = [\"xformOp:rotateXYZ\"]\n }\n}\n"}};
    FixOptions euler;
    euler.select = {"REP-1.1-i"};
    const Fixed fixed(files, euler);
    CHECK(fixed.left("REP-1.1-i", "would-move") != nullptr);
    for (const char* path : {"/robot/left/wheel/rim", "/robot/right/wheel/rim", "/robot/box"}) {
        CAPTURE(path);
        CHECK(largest_difference(fixed.before->world_matrix(fixed.before->prim_at(usd::Path(path))),
                                 fixed.after->world_matrix(fixed.after->prim_at(usd::Path(path)))) <= 1e-6);
    }
    CHECK(fixed.value<std::vector<usd::Token>>("/robot/box.xformOpOrder").back() == usd::Token("xformOp:orient"));
    CHECK(fixed.again(euler).edits.empty());
}

TEST_CASE("what resets the transform stack is turned with the world, also inside instances")
{
    const Fixed fixed(std::map<std::string, std::string>{{"robot.usda", R"(#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Y"
)
def Xform "robot"
{
    def Xform "loose" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] )
    {
        double3 xformOp:translate = (1, 2, 3)
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
        def Cube "box" {}
    }
    def "one" (
        instanceable = true
        references = </kit>
    ) {}
    def "two" (
        instanceable = true
        references = </kit>
    ) {}
}
class Xform "kit"
{
    def Cube "lid"
    {
        double3 xformOp:translate = (0, 5, 0)
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
    }
}
)"}});
    // (x, y, z) of a world with Y up is (x, -z, y) of one with Z up.
    const auto at = [&](const char* path) {
        return usd::transform_point(fixed.after->world_matrix(fixed.after->prim_at(usd::Path(path))), Vec3d{});
    };
    CHECK(length(at("/robot/loose/box") - Vec3d{1, -3, 2}) <= 1e-12);
    CHECK(length(at("/robot/one/lid") - Vec3d{0, 0, 5}) <= 1e-12);
    CHECK(length(at("/robot/two/lid") - Vec3d{0, 0, 5}) <= 1e-12);
    CHECK(fixed.again({}).edits.empty());
}

namespace {

/// A stage with Y up, or a scale above, whose one instancer copies a body to (1, 2, 3).
std::map<std::string, std::string> copying(const std::string& above, const std::string& prototype,
                                           const std::string& inside, const std::string& beside = "")
{
    return {{"robot.usda", "#usda 1.0\n(\n defaultPrim = \"robot\"\n kilogramsPerUnit = 1\n metersPerUnit = 1\n " +
                               std::string(above.empty() ? "upAxis = \"Y\"" : "upAxis = \"Z\"") +
                               "\n)\ndef Xform \"robot\"\n{\n" + above +
                               " def PointInstancer \"many\"\n {\n  int[] protoIndices = [0]\n  point3f[] positions = "
                               "[(1, 2, 3)]\n  rel prototypes = <" +
                               prototype + ">\n" + inside + " }\n" + beside + "}\n"}};
}

/// Where the copy stands.
usd::Matrix4d copy_of(const usd::Stage& stage, const char* prototype)
{
    const usd::Prim many = stage.prim_at(usd::Path("/robot/many"));
    const auto      at   = many.attribute("positions").get<std::vector<Vec3d>>().value_or(std::vector<Vec3d>(1));
    return stage.local_matrix(stage.prim_at(usd::Path(prototype))) * usd::from_pose({at.front(), Quatd{0, 0, 0, 1}}) *
           stage.world_matrix(many);
}

const std::string kCopied = R"( def Xform "part" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] )
 {
  double3 xformOp:translate = (0, 0.5, 0)
  uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
  def Cube "box" { double size = 2 }
 }
)";

}  // namespace

TEST_CASE("what an instancer copies stays where its copies are, though it leaves the stack by itself")
{
    // A copy takes the operations of what it copies and stands where the instancer puts it.
    const Fixed turned(copying("", "/robot/many/part", kCopied));
    CHECK(turned.value<Vec3d>("/robot/many/part.xformOp:translate") == Vec3d{0, 0.5, 0});
    // (x, y, z) of a world with Y up is (x, -z, y) of one with Z up.
    const usd::Matrix4d copy = copy_of(*turned.after, "/robot/many/part");
    CHECK(length(usd::transform_point(copy, Vec3d{}) - Vec3d{1, -3, 2.5}) <= 1e-6);
    CHECK(length(usd::transform_point(copy, Vec3d{0, 1, 0}) - Vec3d{1, -3, 3.5}) <= 1e-6);

    const Fixed scaled(
        copying(" float3 xformOp:scale = (2, 2, 2)\n uniform token[] xformOpOrder = "
                "[\"xformOp:scale\"]\n",
                "/robot/many/part", kCopied));
    CHECK(scaled.value<std::vector<Vec3d>>("/robot/many.positions").front() == Vec3d{2, 4, 6});
    CHECK(scaled.value<Vec3d>("/robot/many/part.xformOp:translate") == Vec3d{0, 1, 0});
    CHECK(scaled.value<Vec3d>("/robot/many/part/box.xformOp:scale") == Vec3d{2, 2, 2});
}

TEST_CASE("what an instancer elsewhere copies keeps its operations, or the copies would be moved twice")
{
    const Fixed turned(copying("", "/robot/part", "", kCopied));
    CHECK(turned.left("REP-1.1-e", "instance") != nullptr);
    CHECK(largest_difference(copy_of(*turned.before, "/robot/part"), copy_of(*turned.after, "/robot/part")) <= 1e-6);
    // Left with Y up, the copy is where it was.
    CHECK(turned.after->metadata().up_axis == 'Y');
}

TEST_CASE("joints of what an instancer copies keep their frames where bodies lose their scale")
{
    const Fixed fixed(
        copying(" float3 xformOp:scale = (2, 2, 2)\n uniform token[] xformOpOrder = "
                "[\"xformOp:scale\"]\n",
                "/robot/many/part", R"( def Xform "part"
 {
  def PhysicsFixedJoint "weld" { rel physics:body0 = </robot/arm>
   rel physics:body1 = </robot/many/part/hand>
   point3f physics:localPos0 = (1, 2, 3)
   point3f physics:localPos1 = (0.5, 0, 0) }
  def Xform "hand" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] )
  {
   float3 xformOp:scale = (3, 3, 3)
   uniform token[] xformOpOrder = ["xformOp:scale"]
  }
 }
)",
                R"( def Xform "arm" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] )
 {
  float3 xformOp:scale = (2, 2, 2)
  uniform token[] xformOpOrder = ["xformOp:scale"]
 }
)"));
    CHECK(length(fixed.value<Vec3d>("/robot/many/part/weld.physics:localPos0") - Vec3d{4, 8, 12}) <= 1e-6);
    const auto on_hand = [](const usd::Stage& stage) {
        const Vec3d at = stage.prim_at(usd::Path("/robot/many/part/weld"))
                             .attribute("physics:localPos1")
                             .get<Vec3d>()
                             .value_or(Vec3d{});
        return usd::transform_point(stage.world_matrix(stage.prim_at(usd::Path("/robot/many/part/hand"))), at);
    };
    CHECK(length(on_hand(*fixed.before) - Vec3d{3, 0, 0}) <= 1e-6);
    CHECK(length(on_hand(*fixed.after) - Vec3d{3, 0, 0}) <= 1e-6);
}

TEST_CASE("a kinematic base that a joint holds from then on has no velocity left, which moved nothing before")
{
    const Fixed fixed(R"(
<<body tip>>
<<joint j base tip>>
def Xform "base" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI"]
    kind = "subcomponent"
)
{
    bool physics:kinematicEnabled = 1
    vector3f physics:velocity = (1, 2, 3)
    vector3f physics:angularVelocity = (10, 20, 30)
}
)");
    REQUIRE(fixed.after->prim_at(usd::Path("/robot/base_anchor")));
    CHECK_FALSE(fixed.value<bool>("/robot/base.physics:kinematicEnabled"));
    for (const char* name : {"physics:velocity", "physics:angularVelocity"})
        CHECK_FALSE(fixed.after->prim_at(usd::Path("/robot/base")).attribute(name).authored());
}

TEST_CASE("a body without weight keeps the unit of mass that it had (REP-T-004)")
{
    const Fixed fixed(std::map<std::string, std::string>{{"robot.usda", R"(#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 0.001
    metersPerUnit = 0.01
    upAxis = "Z"
)
def Xform "robot"
{
    def Xform "frame" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {}
    def Cube "box" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"] ) {}
}
)"}});
    CHECK(fixed.value<double>("/robot/frame.physics:mass") == close_to(0.001, 1e-9));
    // A ball of 1 g and 0.1 m: 0.4 m r^2 = 4e-6 kg m^2.
    CHECK(fixed.value<Vec3d>("/robot/frame.physics:diagonalInertia").x == close_to(4e-6, 1e-12));
    CHECK_FALSE(fixed.after->prim_at(usd::Path("/robot/box")).attribute("physics:mass").authored());
}

TEST_CASE("what a scaled body says in its own space is scaled with it: centre of mass and velocity")
{
    const Fixed fixed(R"(
def Xform "arm" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    point3f physics:centerOfMass = (1, 2, 3)
    vector3f physics:velocity = (3, 2, 1)
    float physics:mass = 1
    float3 xformOp:scale = (2, 3, 4)
    uniform token[] xformOpOrder = ["xformOp:scale"]
}
)");
    CHECK(length(fixed.value<Vec3d>("/robot/arm.physics:centerOfMass") - Vec3d{2, 6, 12}) <= 1e-6);
    CHECK(length(fixed.value<Vec3d>("/robot/arm.physics:velocity") - Vec3d{6, 6, 4}) <= 1e-6);
}

TEST_CASE("numbers of vendors follow the units by the resolvers' tables; one for axes of both kinds is left")
{
    const Fixed fixed(std::map<std::string, std::string>{{"robot.usda", R"(#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 0.01
    upAxis = "Z"
)
def Xform "robot"
{
    def Xform "a" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {}
    def Xform "b" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {}
    def PhysicsRevoluteJoint "turns" { rel physics:body1 = </robot/a>
        float newton:armature = 2
        double mjc:springref = 20
        float newton:velocityLimit = 90 }
    def PhysicsPrismaticJoint "slides" { rel physics:body0 = </robot/a>
        rel physics:body1 = </robot/b>
        float newton:armature = 2
        float newton:velocityLimit = 90
        double mjc:springref = 20
        double mjc:ref = -5
        float newton:mimicCoef0 = 50 }
    def PhysicsJoint "both" { rel physics:body0 = </robot/a>
        rel physics:body1 = </robot/b>
        float newton:armature = 2 }
}
)"}});
    // Inertias take the square of 0.01, masses nothing, speeds of sliding 0.01, of turning nothing.
    CHECK(fixed.value<double>("/robot/turns.newton:armature") == close_to(2e-4, 1e-9));
    CHECK(fixed.value<double>("/robot/turns.newton:velocityLimit") == 90);
    CHECK(fixed.value<double>("/robot/slides.newton:armature") == 2);
    CHECK(fixed.value<double>("/robot/slides.newton:velocityLimit") == close_to(0.9, 1e-6));
    CHECK(fixed.value<double>("/robot/slides.newton:mimicCoef0") == close_to(0.5, 1e-6));
    CHECK(fixed.value<double>("/robot/turns.mjc:springref") == 20);
    CHECK(fixed.value<double>("/robot/slides.mjc:springref") == close_to(0.2, 1e-9));
    CHECK(fixed.value<double>("/robot/slides.mjc:ref") == close_to(-0.05, 1e-9));
    CHECK(fixed.value<double>("/robot/both.newton:armature") == 2);
    CHECK(fixed.left("REP-1.1-a", "mixed-axes") != nullptr);
}

TEST_CASE(
    "units follow the joint that an opinion is about, in a reference of another name, in a variant, selected or not, "
    "and "
    "in an instance (REP-1.1-a, REP-T-083)")
{
    // 10 cm + 25 cm/rad of the leader in a part, other numbers over it; 1 degree is pi/180 rad.
    const std::string head = "#usda 1.0\n(\n defaultPrim = \"";
    const std::string tail = "\"\n metersPerUnit = 0.01\n kilogramsPerUnit = 1\n upAxis = \"Z\"\n)\n";
    const std::string part =
        head + "part" + tail +
        "def Xform \"part\"\n{\n def Xform \"a\" ( prepend apiSchemas = [\"PhysicsRigidBodyAPI\"] ) {}\n def Xform "
        "\"b\" ( "
        "prepend apiSchemas = [\"PhysicsRigidBodyAPI\"] ) {}\n def Xform \"c\" ( prepend apiSchemas = "
        "[\"PhysicsRigidBodyAPI\"] ) {}\n def PhysicsRevoluteJoint \"lead\" { rel physics:body0 = </part/a>\n rel "
        "physics:body1 = </part/b>\n float physics:lowerLimit = -30\n float physics:upperLimit = 30 }\n def "
        "PhysicsPrismaticJoint \"follow\" ( prepend apiSchemas = [\"NewtonMimicAPI\"] ) { rel physics:body0 = "
        "</part/b>\n "
        "rel physics:body1 = </part/c>\n float physics:lowerLimit = -20\n float physics:upperLimit = 20\n rel "
        "newton:mimicJoint = </part/lead>\n float newton:mimicCoef0 = 10\n float newton:mimicCoef1 = 25 }\n}\n";
    const std::string over =
        "over \"lead\" { float physics:lowerLimit = -45 }\n over \"follow\" { float physics:lowerLimit = -15\n float "
        "newton:mimicCoef1 = 75 }\n";
    const auto scene = [&](const std::string& inside) {
        return std::map<std::string, std::string>{
            {"part.usda", part}, {"robot.usda", head + "robot" + tail + "def Xform \"robot\"\n{\n" + inside + "}\n"}};
    };
    const std::string variants =
        " def \"r\" ( references = @./part.usda@\n prepend variantSets = \"k\"\n variants = { "
        "string k = \"KEY\" } ) {\n variantSet \"k\" = {\n \"on\" {\n " +
        over + " }\n \"off\" {\n }\n }\n }\n";
    const auto with = [&](const char* key) {
        std::string text = variants;
        return text.replace(text.find("KEY"), 3, key);
    };
    struct Row {
        const char* what;
        std::string inside;
        bool        over;
    };
    const Row rows[] = {{"reference", " def \"r\" ( references = @./part.usda@ ) {}\n", false},
                        {"payload, over", " def \"r\" ( payload = @./part.usda@ ) {\n " + over + " }\n", true},
                        {"instance", " def \"r\" ( instanceable = true\n references = @./part.usda@ ) {}\n", false},
                        {"variant", with("on"), true},
                        {"variant that is not selected", with("off"), false}};
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Fixed fixed(scene(row.inside));
        // On the stage as repaired, whichever layer and schema says it, in metres and degrees.
        const auto joint = fixed.after->prim_at(usd::Path("/robot/r/follow"));
        REQUIRE(joint);
        CHECK(joint.attribute("ext_physics:mimic:offset").get_or<double>(0) == close_to(0.1, 1e-6));
        CHECK(joint.attribute("ext_physics:mimic:multiplier").get_or<double>(0) ==
              close_to((row.over ? 0.75 : 0.25) * 3.14159265358979 / 180, 1e-7));
        CHECK(joint.relationship("ext_physics:mimic:joint").targets() ==
              std::vector<usd::Path>{usd::Path("/robot/r/lead")});
        CHECK(joint.attribute("physics:lowerLimit").get_or<double>(0) == close_to(row.over ? -0.15 : -0.2, 1e-6));
        CHECK(fixed.after->prim_at(usd::Path("/robot/r/lead")).attribute("physics:lowerLimit").get_or<double>(0) ==
              (row.over ? -45 : -30));
    }
}

TEST_CASE("a collider is no guide while geometry below it would be hidden with it (REP-1.3.1-a)")
{
    const Fixed fixed(R"(
def Cube "seen" {}

def Cube "wall" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{
    rel material:binding:physics = </robot/Contact/rubber>

    def Sphere "lamp" {}
}
)");
    CHECK(fixed.left("REP-1.3.1-a", "shared-visual") != nullptr);
    CHECK(fixed.after->purpose(fixed.after->prim_at(usd::Path("/robot/wall/lamp"))) == usd::Token("default"));
}

TEST_CASE("axes beside an inertia that is computed turn it: they go only when unsafe repairs are wanted (REP-1.3-r)")
{
    const std::string text = R"(
def Xform "arm" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    quatf physics:principalAxes = (0.8, 0, 0, 0.6)
    double3 xformOp:translate = (0, 0, 0)
    quatf xformOp:orient = (1, 0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}
)";
    const Fixed       safe(text);
    CHECK(safe.left("REP-1.3-r", "unsafe") != nullptr);
    CHECK(safe.after->prim_at(usd::Path("/robot/arm")).attribute("physics:principalAxes").authored());
    FixOptions wanted;
    wanted.unsafe = true;
    const Fixed unsafe(text, wanted);
    CHECK_FALSE(unsafe.after->prim_at(usd::Path("/robot/arm")).attribute("physics:principalAxes").authored());
}

TEST_CASE("numbers that are no inertia stay what they are (REP-1.3-s)")
{
    const Fixed fixed(R"(
def Xform "arm" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    float[] newton:inertia = [1, 1, 1, 0, 0, 4]
    double3 xformOp:translate = (0, 0, 0)
    quatf xformOp:orient = (1, 0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}
)");
    // About the axis between y and -z the moment is 1 - 4 < 0.
    CHECK(fixed.left("REP-1.3-s", "bad-inertia") != nullptr);
    CHECK_FALSE(fixed.after->prim_at(usd::Path("/robot/arm")).attribute("physics:diagonalInertia").authored());
}

TEST_CASE("what an instance keeps from being repaired is repaired once the instance is one no more, in the same run")
{
    const Fixed fixed(std::map<std::string, std::string>{{"robot.usda", R"(#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "robot"
{
    def "arm" (
        instanceable = true
        references = </kit>
    )
    {
        float3 xformOp:scale = (2, 2, 2)
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }
}
class Xform "kit"
{
    def Xform "link" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] )
    {
        double3 xformOp:translate = (1, 0, 0)
        quatf xformOp:orient = (1, 0, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
        def Cube "box" {}
    }
}
)"}});
    CHECK(fixed.left("REP-1.1-k", "instance") == nullptr);
    CHECK(fixed.again({}).edits.empty());
}
