#include "conformance/checking.h"
#include "conformance/fixing.h"
#include "mechane/usd/start_value.h"

using namespace mechane;
using namespace mechane::conformance;

/// What fix leaves as it is, because a repair would change what it does not see, or what nobody asked it about.

TEST_CASE("a scale and a unit over what could not be read stay: what is missing would come back in another size")
{
    const Fixed fixed(R"(
def Xform "gripper" (
    references = @package://nowhere_description/gripper.usda@
)
{
    float xformOp:rotateX = 90
    float3 xformOp:scale = (0.001, 0.001, 0.001)
    uniform token[] xformOpOrder = ["xformOp:rotateX", "xformOp:scale"]
}
)");
    CHECK(fixed.left("REP-1.1-i", "unread") != nullptr);
    CHECK(fixed.value<Vec3d>("/robot/gripper.xformOp:scale").x == doctest::Approx(0.001));

    const std::string root =
        "#usda 1.0\n(\n    defaultPrim = \"robot\"\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n)\n"
        "def Xform \"robot\"\n{\n    def Xform \"part\" (\n        references = @./part.usda@\n"
        "    )\n    {\n    }\n}\n";
    const Fixed broken({{"robot.usda", root}, {"part.usda", "#usda 1.0\ndef Xform \"part\" {{{\n"}});
    CHECK(broken.left("REP-1.1-a", "unread") != nullptr);
    CHECK(broken.left("REP-1.1-e", "unread") != nullptr);
    CHECK(broken.after->metadata().meters_per_unit == doctest::Approx(0.01));
}

namespace {

const std::string kFaces =
    "int[] faceVertexCounts = [3, 3, 3, 3]\n"
    "int[] faceVertexIndices = [0, 1, 2, 0, 3, 1, 1, 3, 2, 0, 2, 3]\n"
    "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n";

}  // namespace

TEST_CASE("faces that several meshes show are not turned for one of them (REP-3.4-b)")
{
    const std::string shared = "class Mesh \"_m\" {\n" + kFaces + "}\n";
    const std::string left =
        "def Mesh \"v\" ( inherits = </robot/_m> ) { uniform token orientation = \"leftHanded\" }\n";
    const Fixed fixed(shared + left + "def Mesh \"w\" ( inherits = </robot/_m> ) {}\n");
    CHECK(fixed.left("REP-3.4-b", "shared-faces") != nullptr);
    CHECK(fixed.value<std::vector<int>>("/robot/w.faceVertexIndices")[1] == 1);
    // Where the orientation is said with the faces, it is said for all.
    const Fixed alike(
        "class Mesh \"_m\" {\nuniform token orientation = \"leftHanded\"\n" + kFaces +
        "}\ndef Mesh \"v\" ( inherits = </robot/_m> ) {}\ndef Mesh \"w\" ( inherits = </robot/_m> ) {}\n");
    CHECK_FALSE(alike.found("REP-3.4-b"));
    for (const char* mesh : {"/robot/v", "/robot/w"}) {
        CHECK(alike.value<std::vector<int>>((std::string(mesh) + ".faceVertexIndices").c_str())[1] == 2);
        CHECK(alike.value<std::string>((std::string(mesh) + ".orientation").c_str()) == "rightHanded");
    }
}

TEST_CASE("a variant that orients faces of all variants leaves them as they are (REP-3.4-b)")
{
    const Fixed fixed(
        "def Mesh \"m\" ( variantSets = \"side\"\n variants = { string side = \"l\" } ) {\n" + kFaces +
        "variantSet \"side\" = {\n\"l\" { uniform token orientation = \"leftHanded\" }\n\"r\" {}\n}\n}\n");
    CHECK(fixed.left("REP-3.4-b", "state-dependent-edit") != nullptr);
    CHECK(fixed.value<std::vector<int>>("/robot/m.faceVertexIndices")[1] == 1);
}

TEST_CASE("opinions that do not count below an instance are not brought to life (REP-1.2.6-a)")
{
    const std::string part = "class Xform \"_arm\" {\n<<body link>>\n}\n";
    const std::string own =
        "def Xform \"arm\" (\n inherits = </robot/_arm>\n instanceable = true\n"
        " kind = \"subcomponent\"\n)\n{\n";
    const Fixed dead(part + own + "over \"link\" { float physics:mass = 50 }\ndef Sphere \"extra\" {}\n}\n");
    CHECK(dead.left("REP-1.2.6-a", "unsafe") != nullptr);
    CHECK_FALSE(dead.after->prim_at(usd::Path("/robot/arm/extra")));
    const Fixed plain(part + own + "}\n");
    CHECK_FALSE(plain.found("REP-1.2.6-a"));
}

TEST_CASE("a ROS frame has a pose of its own, also as the only child of the default prim (REP-1.1-l)")
{
    const Fixed fixed(R"(
def Xform "a" (
    prepend apiSchemas = ["RosFrameAPI"]
)
{
    quatf xformOp:orient = (0.70710677, 0, 0, 0.70710677)
    uniform token[] xformOpOrder = ["xformOp:orient"]

    def Cube "look" {}
}
)");
    CHECK(fixed.value<Quatd>("/robot/a.xformOp:orient").z == doctest::Approx(0.70710677));
}

TEST_CASE("a collider that is all that is seen of its link stays visible, whatever its own name (REP-1.3.1-a)")
{
    const std::string collider = "def Cube \"Collision\" ( prepend apiSchemas = [\"PhysicsCollisionAPI\"] ) {}\n";
    const Fixed       named("<<link a>>\n" + collider + "}\n");
    CHECK(named.left("REP-1.3.1-a", "shared-visual") != nullptr);
    CHECK(named.after->purpose(named.after->prim_at(usd::Path("/robot/a/Collision"))).text() == "default");
    // A floor is not seen by the visuals of the links beside it.
    const Fixed floor(
        "def Cube \"floor\" ( prepend apiSchemas = [\"PhysicsCollisionAPI\"] ) {}\n<<link a>>\n"
        "def Sphere \"look\" {}\n}\n");
    CHECK(floor.left("REP-1.3.1-a", "shared-visual") != nullptr);
    CHECK(floor.after->purpose(floor.after->prim_at(usd::Path("/robot/floor"))).text() == "default");
}

TEST_CASE("a frame that hangs on a link beside it stays a body (REP-1.3-q)")
{
    const Fixed fixed(
        "<<link a>>\ndef Cube \"look\" {}\n}\n"
        "def Xform \"tool_frame\" (\n prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]\n"
        " kind = \"subcomponent\"\n)\n{\n}\n"
        "def PhysicsFixedJoint \"hold\" {\n rel physics:body0 = </robot/a>\n"
        "rel physics:body1 = </robot/tool_frame>\n}\n");
    CHECK(fixed.left("REP-1.3-q", "unsafe") != nullptr);
    CHECK(fixed.after->prim_at(usd::Path("/robot/tool_frame")).has_api("PhysicsRigidBodyAPI"));
}

TEST_CASE("an operation that something is linked to is not removed (REP-1.1-i)")
{
    const std::string turned =
        "float3 xformOp:rotateXYZ = (10, 20, 30)\n"
        "uniform token[] xformOpOrder = [\"xformOp:rotateXYZ\"]\n";
    const Fixed watched("def Xform \"a\" {\n" + turned +
                        "}\ndef Scope \"x\" { rel x:watch = </robot/a.xformOp:rotateXYZ> }\n");
    CHECK(watched.left("REP-1.1-i", "linked-operation") != nullptr);
    CHECK(watched.after->prim_at(usd::Path("/robot/a")).attribute("xformOp:rotateXYZ"));
    const Fixed connected("def Xform \"a\" {\n" + turned + "}\ndef Xform \"b\" {\n" + turned +
                          "float3 xformOp:rotateXYZ.connect = </robot/a.xformOp:rotateXYZ>\n}\n");
    CHECK(connected.after->prim_at(usd::Path("/robot/b")).attribute("xformOp:rotateXYZ"));
    CHECK(connected.after->prim_at(usd::Path("/robot/a")).attribute("xformOp:rotateXYZ"));
}

TEST_CASE("units: a light that is normalised keeps its brightness, and a size of samples alone its first one")
{
    const std::string head =
        "#usda 1.0\n(\n    defaultPrim = \"robot\"\n    metersPerUnit = 0.01\n    upAxis = \"Z\"\n)\n";
    const Fixed fixed(head +
                      "def Xform \"robot\" {\n"
                      "def RectLight \"panel\" {\n float inputs:intensity = 100\n"
                      "bool inputs:normalize = 1\n float inputs:width = 50\n}\n"
                      "def RectLight \"unsaid\" { bool inputs:normalize = 1 }\n"
                      "def Cube \"c\" { double size.timeSamples = { 0: 4, 1: 6 } }\n}\n");
    // Intensity / area: the area falls by 1e-4 in numbers, and so does the intensity.
    CHECK(fixed.value<double>("/robot/panel.inputs:intensity") == doctest::Approx(0.01));
    CHECK(fixed.value<double>("/robot/unsaid.inputs:intensity") == doctest::Approx(1e-4));
    const usd::Attribute size = fixed.after->prim_at(usd::Path("/robot/c")).attribute("size");
    CHECK(usd::start_as<double>(size).value_or(0) == doctest::Approx(0.04));
}

TEST_CASE("a smooth surface that is drawn is not cut into triangles (REP-3.4-a)")
{
    const std::string quad =
        "int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]\n"
        "int[] faceVertexIndices = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, "
        "5, 7, 3]\npoint3f[] points = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, "
        "1), (1, 1, 0), (1, 1, 1)]\n";
    const auto mesh = [&](const std::string& more) {
        return "def Mesh \"m\" ( prepend apiSchemas = [\"PhysicsCollisionAPI\"] ) {\n" + quad + more + "}\n";
    };
    CHECK(Fixed(mesh("")).left("REP-3.4-a", "subdivision") != nullptr);
    CHECK_FALSE(Fixed(mesh("uniform token subdivisionScheme = \"none\"\n")).found("REP-3.4-a"));
    CHECK_FALSE(Fixed(mesh("token purpose = \"guide\"\n")).found("REP-3.4-a"));
}

TEST_CASE("samples without a default are where the first of them is: a repair that writes it moves nothing (REP-1.1-h)")
{
    const Fixed fixed(
        "def Xform \"a\" {\n matrix4d xformOp:transform.timeSamples = {\n"
        "0: ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1)),\n"
        "1: ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (4, 5, 6, 1)),\n}\n"
        "uniform token[] xformOpOrder = [\"xformOp:transform\"]\ndef Cube \"c\" {}\n}\n");
    CHECK_FALSE(fixed.found("REP-1.1-h"));
    CHECK(fixed.after->prim_at(usd::Path("/robot/a")).attribute("xformOp:translate").get_or<Vec3d>({}, 1.0).x ==
          doctest::Approx(4));
}
