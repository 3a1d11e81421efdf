// Rules reach what only instances show, what is animated from its first sample on, and no further than the catalogue
// says.
#include "conformance/checking.h"

using namespace mechane;
using namespace mechane::conformance;

namespace {

/// A part that the entry shows by instances.
Report shown(const std::string& part, int instances = 2)
{
    std::string scene;
    for (int i = 0; i < instances; ++i)
        scene += "def \"unit_" + std::to_string(i) +
                 "\" (\n    instanceable = true\n    prepend references = @./unit.usda@\n) {}\n";
    std::string top = entry("");
    top.insert(top.rfind('}'), scene);
    std::string unit = layer("def Xform \"unit\"\n{\n" + part + "}\n");
    unit.replace(unit.find("\"robot\""), 7, "\"unit\"");
    return checked_files({{"robot.usda", top}, {"unit.usda", unit}});
}

std::string tetrahedron(const std::string& faces, const std::string& more = "",
                        const std::string& counts = "3, 3, 3, 3")
{
    return "def Mesh \"m\"\n{\n    int[] faceVertexCounts = [" + counts + "]\n    int[] faceVertexIndices = [" + faces +
           "]\n    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n"
           "    uniform token subdivisionScheme = \"none\"\n" +
           more + "}\n";
}

constexpr const char* kInwards = "0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2";

const std::string kAnimatedCamera =
    "<<link a>>\ndef Camera \"eye\" {\n def Xform \"tip\" (prepend apiSchemas = [\"RosFrameAPI\"]) {\n"
    "  quatf xformOp:orient.timeSamples = { 0: <<turn>> }\n"
    "  uniform token[] xformOpOrder = [\"xformOp:orient\"] } } }\n";

Report camera(const std::string& turn)
{
    std::string text = kAnimatedCamera;
    text.replace(text.find("<<turn>>"), 8, turn);
    return checked(text);
}

}  // namespace

TEST_CASE("what instances show is judged at the first of them")
{
    const Report winding = shown(tetrahedron(kInwards));
    CHECK_MESSAGE(count(winding, "REP-3.4-d") == 1, listed(winding));
    const Report looks =
        shown("def Material \"a\" {}\ndef Material \"b\" {}\n" +
              tetrahedron("0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3",
                          "rel material:binding = </unit/a>\n rel material:binding:full = </unit/b>\n"));
    CHECK_MESSAGE(count(looks, "REP-3.1-c") == 1, listed(looks));
    const Report arcs = shown("def Xform \"inner\" (instanceable = true) { def Cube \"c\" {} }\n");
    CHECK_MESSAGE(count(arcs, "REP-3.5-c") == 1, listed(arcs));
    const Report sets = shown(
        "def Xform \"v\" (prepend variantSets = \"tool\") { variantSet \"tool\" = { \"a\" { def Cube \"c\" {} } \"b\" "
        "{} } }\n");
    CHECK_MESSAGE(count(sets, "REP-1.2.4-a") == 1, listed(sets));
}

TEST_CASE("an optical frame that is animated is judged where its motion begins (REP-2.8-b)")
{
    CHECK(count(camera("(0, 1, 0, 0)"), "REP-2.8-b") == 0);
    CHECK(count(camera("(1, 0, 0, 0)"), "REP-2.8-b") == 1);
}

TEST_CASE("a loose body is a frame only by its schema (REP-2.7-i)")
{
    const std::string frame =
        "def Xform \"crate\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\", "
        "\"RosFrameAPI\"]) { float physics:mass = 1\n def Cube \"c\" {} }\n";
    CHECK(count(checked("<<anchor a>>\n<<link a>> }\n" + frame), "REP-2.7-i") == 0);
}

TEST_CASE("a part that holds nothing but geometry may be scaled where it is brought in (REP-1.1-k)")
{
    const auto with = [](const std::string& part) {
        std::string top = entry("");
        top.insert(top.rfind('}'),
                   "def \"bolt\" (prepend references = @./bolt.usda@)\n{\n"
                   "    float3 xformOp:scale = (2, 2, 2)\n"
                   "    uniform token[] xformOpOrder = [\"xformOp:scale\"]\n}\n");
        std::string bolt = layer("def Xform \"bolt\"\n{\n" + part + "}\n");
        bolt.replace(bolt.find("\"robot\""), 7, "\"bolt\"");
        return count(checked_files({{"robot.usda", top}, {"bolt.usda", bolt}}), "REP-1.1-k");
    };
    CHECK(with("def Cube \"c\" {}\n") == 0);
    CHECK(with("def Xform \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) { def Cube \"c\" {} }\n") == 1);
    CHECK(with("def Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {}\n") == 1);
    CHECK(count(checked("def Xform \"g\" { float3 xformOp:scale = (2, 2, 2)\n uniform token[] xformOpOrder = "
                        "[\"xformOp:scale\"]\n def Cube \"c\" {} }\n"),
                "REP-1.1-k") == 1);
}

TEST_CASE("what places many is large geometry too (REP-1.2.3-b)")
{
    const std::string grass = layer("def PointInstancer \"grass\" { int[] protoIndices = [" + zeros(1001) + "] }\n");
    const auto        with  = [&](const char* arc) {
        std::string top = entry("");
        top.insert(top.rfind('}'), "def PointInstancer \"grass\" (prepend " + std::string(arc) +
                                       " = @./geometries.usdc@</grass>) {}\n");
        return count(checked_files({{"robot.usda", top}, {"geometries.usdc", "#binary\n" + grass}}), "REP-1.2.3-b");
    };
    CHECK(with("references") == 1);
    CHECK(with("payload") == 0);
}

TEST_CASE("what is invisible is not seen by default (REP-1.2.4-c)")
{
    const auto with = [](const std::string& off) {
        return count(checked("def Xform \"v\" (prepend variantSets = \"lod\"\n variants = { string lod = \"off\" }) {\n"
                             "variantSet \"lod\" = { \"off\" { " +
                             off + " } \"on\" { def Cube \"c\" {} } } }\n"),
                     "REP-1.2.4-c");
    };
    CHECK(with("def Cube \"c\" { token visibility = \"invisible\" }") == 1);
    CHECK(with("def Scope \"s\" { token visibility = \"invisible\"\n def Cube \"c\" {} }") == 1);
    CHECK(with("def Cube \"c\" {}") == 0);
}

TEST_CASE("a list of schemas that takes everything away takes the root away (REP-1.3-h)")
{
    std::string top = entry("");
    top.insert(top.rfind('}'), "def \"arm\" (prepend references = @./arm.usda@) { over \"a\" (apiSchemas = []) {} }\n");
    std::string arm = layer(
        "def Xform \"arm\" { def Xform \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", "
        "\"PhysicsArticulationRootAPI\"]) {} }\n");
    arm.replace(arm.find("\"robot\""), 7, "\"arm\"");
    CHECK(count(checked_files({{"robot.usda", top}, {"arm.usda", arm}}), "REP-1.3-h") == 1);
}

TEST_CASE("faces whose counts do not add up are not looked at for intersections (REP-3.4-f)")
{
    const std::string collides = "    token physics:approximation = \"none\"\n";
    std::string       broken   = tetrahedron(kInwards, collides, "4, 3, 3, 3");
    broken.insert(broken.find('\n'), " (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"])");
    const Report report = checked(broken);
    CHECK(count(report, "REP-3.4-g") == 1);
    CHECK(count(report, "REP-3.4-f") == 0);
}

TEST_CASE("few faces need no instances (REP-3.5-a)")
{
    std::string small, large;
    for (int i = 0; i < 4; ++i) {
        const std::string name = "def Xform \"b" + std::to_string(i) + "\" { ";
        small += name + tetrahedron(kInwards) + "}\n";
        std::string faces = kInwards, counts = "3, 3, 3, 3";
        for (int n = 1; n < 20; ++n) faces += ", " + std::string(kInwards), counts += ", 3, 3, 3, 3";
        large += name + tetrahedron(faces, "", counts) + "}\n";
    }
    CHECK(count(checked(small), "REP-3.5-a") == 0);
    CHECK(count(checked(large), "REP-3.5-a") == 1);
}

TEST_CASE("an offset of a mimic that nobody writes in degrees is told where the asset came from URDF (REP-4.2.2-f)")
{
    const auto with = [](const std::string& info, const std::string& offset) {
        std::string text = layer(
            "def Xform \"robot\" (\n kind = \"component\"\n assetInfo = { string identifier = \"a\"\n"
            " string version = \"1.0.0\"\n" +
            info +
            "})\n{\n<<body a>>\n<<body b>>\n<<body c>>\n"
            "<<joint lead a b>>\ndef PhysicsRevoluteJoint \"f\" (prepend apiSchemas = "
            "[\"ExtendedPhysicsMimicAPI\"]) {\n rel physics:body0 = </robot/b>\n rel physics:body1 = "
            "</robot/c>\n rel ext_physics:mimic:joint = </robot/lead>\n float "
            "ext_physics:mimic:offset = " +
            offset + "\n}\n}\n");
        return count(checked(text), "REP-4.2.2-f");
    };
    const std::string urdf = " dictionary ros = { string package_uri = \"package://p/urdf/r.urdf\" }\n";
    CHECK(with(urdf, "1.57") == 1);
    CHECK(with(urdf, "2") == 0);
    CHECK(with("", "1.57") == 0);
}

TEST_CASE("small limits are radians only if one of them is round as such (REP-1.3-e)")
{
    const auto with = [](const std::string& limit) {
        std::string text = "<<body a>>\n<<body b>>\n<<body c>>\n<<body d>>\n";
        for (const auto& [name, b0, b1] : {std::array<const char*, 3>{"j", "a", "b"}, {"k", "b", "c"}, {"l", "c", "d"}})
            text += std::string("def PhysicsRevoluteJoint \"") + name + "\" { rel physics:body0 = </robot/" + b0 +
                    ">\n rel physics:body1 = </robot/" + b1 + ">\n float physics:lowerLimit = -" + limit +
                    "\n float physics:upperLimit = " + limit + " }\n";
        return count(checked(text), "REP-1.3-e", "radians");
    };
    CHECK(with("5") == 0);
    CHECK(with("1.57") == 1);
}

TEST_CASE("a collider that is mirrored from its first sample on is mirrored (REP-1.1-f)")
{
    const auto with = [](const char* scale) {
        return count(
            checked(std::string("<<link a>>\ndef Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { "
                                "float3 xformOp:scale.timeSamples = { 0: ") +
                    scale + " }\n uniform token[] xformOpOrder = [\"xformOp:scale\"] } }\n"),
            "REP-1.1-f");
    };
    CHECK(with("(-1, 1, 1)") == 1);
    CHECK(with("(2, 1, 1)") == 0);
}

TEST_CASE("a package is named behind two slashes (REP-1.2.5-j)")
{
    const auto with = [](const std::string& path) {
        return count(checked("def \"b\" (prepend references = @" + path + "@) {}\n"), "REP-1.2.5-j");
    };
    CHECK(with("package:acme/usd/bolt.usda") == 1);
    CHECK(with("package://acme/usd/bolt.usda") == 0);
}

TEST_CASE("a graph's node duplicates services and actions as it does topics (REP-2-a)")
{
    const auto with = [](const std::string& input, const std::string& name) {
        return count(checked("def Xform \"s\" (prepend apiSchemas = [\"RosServiceAPI\"]) { string ros:service:name = "
                             "\"reset\"\n token ros:service:role = \"server\"\n string ros:service:type = "
                             "\"std_srvs/srv/Trigger\" }\ndef OmniGraph \"g\" { def OmniGraphNode \"n\" { custom token "
                             "node:type = \"isaacsim.ros2.bridge.ROS2ServiceServer\"\n custom string inputs:" +
                             input + " = \"" + name + "\" } }\n"),
                     "REP-2-a");
    };
    CHECK(with("serviceName", "/robot/reset") == 1);
    CHECK(with("serviceName", "/robot/other") == 0);
    CHECK(with("topicName", "/robot/reset") == 0);
}
