// Repairs that meet: two of one mesh, those of what instances share, of classes and variants, and of layers that hold
// links.
#include "conformance/checking.h"
#include "conformance/fixing.h"

using namespace mechane;
using namespace mechane::conformance;

namespace {

std::string inserted(std::string text, const std::string& what)
{
    text.insert(text.rfind('}'), what);
    return text;
}

std::string part(const std::string& name, const std::string& text)
{
    std::string out = layer("def Xform \"" + name + "\"\n{\n" + text + "}\n");
    out.replace(out.find("\"robot\""), 7, "\"" + name + "\"");
    return out;
}

std::string scan(const std::string& type)
{
    return "<<link a>>\ndef Xform \"t\" (\n    prepend apiSchemas = [\"RosTopicAPI\"]\n)\n{\n"
           "    string ros:topic:name = \"scan\"\n    double ros:topic:publish_rate = 10\n"
           "    token ros:topic:role = \"publisher\"\n    string ros:topic:type = \"" +
           type + "\"\n}\n}\n";
}

std::string type_of(const Fixed& fixed)
{ return fixed.after->prim_at(usd::Path("/robot/a/t")).attribute("ros:topic:type").get<std::string>().value_or(""); }

}  // namespace

TEST_CASE("a left-handed collider of polygons is turned over and cut (REP-3.4-a, -b, -d)")
{
    const Fixed fixed(
        "def Mesh \"m\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"])\n{\n"
        "    int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]\n"
        "    int[] faceVertexIndices = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]\n"
        "    point3f[] points = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, "
        "1)]\n"
        "    token orientation = \"leftHanded\"\n    token subdivisionScheme = \"none\"\n"
        "    token physics:approximation = \"convexHull\"\n    token purpose = \"guide\"\n}\n");
    CHECK_FALSE(fixed.found("REP-3.4-a"));
    CHECK_FALSE(fixed.found("REP-3.4-b"));
    CHECK_FALSE(fixed.found("REP-3.4-d"));
    CHECK_FALSE(fixed.found("REP-3.4-g"));
    CHECK(fixed.value<std::vector<int>>("/robot/m.faceVertexCounts") == std::vector<int>(12, 3));
}

TEST_CASE("a common type is found in another case, without its package and under another family (REP-2.3-a)")
{
    CHECK(type_of(Fixed(scan("sensor_msgs/msg/laserScan"))) == "sensor_msgs/msg/LaserScan");
    CHECK(type_of(Fixed(scan("Sensor_Msgs/msg/laser_scan"))) == "sensor_msgs/msg/LaserScan");
    CHECK(type_of(Fixed(scan("LaserScan"))) == "sensor_msgs/msg/LaserScan");
    CHECK(type_of(Fixed(scan("sensor_msgs/srv/Imu"))) == "sensor_msgs/msg/Imu");
    // Nobody has the first; several packages have the second.
    CHECK(Fixed(scan("Nothing")).left("REP-2.3-a", "type") != nullptr);
    CHECK(Fixed(scan("Pose2D")).left("REP-2.3-a", "type") != nullptr);
}

TEST_CASE("a scale in what instances share goes down once for all of them (REP-1.1-k)")
{
    const std::string grouped =
        "def Xform \"g\"\n{\n    float3 xformOp:scale = (2, 2, 2)\n"
        "    uniform token[] xformOpOrder = [\"xformOp:scale\"]\n"
        "    def Cube \"c\" { double size = 1 }\n}\n";
    std::string scene;
    for (const char* name : {"u", "v"})
        scene += std::string("def \"") + name +
                 "\" (\n    instanceable = true\n    prepend references = @./unit.usda@\n)\n{\n}\n";
    const Fixed fixed({{"robot.usda", inserted(entry(""), scene)}, {"unit.usda", part("unit", grouped)}});
    CHECK_FALSE(fixed.found("REP-1.1-k"));
    for (const char* cube : {"/robot/u/g/c", "/robot/v/g/c"}) {
        CHECK(largest_difference(fixed.after->world_matrix(fixed.after->prim_at(usd::Path(cube).parent())),
                                 usd::Matrix4d{}) == 0);
        const usd::Prim c = fixed.after->prim_at(usd::Path(cube));
        CHECK(c.is_instance_proxy());
        CHECK(fixed.after->world_matrix(c)(0, 0) * c.attribute("size").get<double>().value_or(0) == doctest::Approx(2));
    }
    // A prim that is no instance is made of the same spec: what it shows is not theirs alone.
    const Fixed open(
        {{"robot.usda", inserted(entry(""), scene + "def \"w\" (prepend references = @./unit.usda@) {}\n")},
         {"unit.usda", part("unit", grouped)}});
    CHECK(open.left("REP-1.1-k", "instance") != nullptr);
}

TEST_CASE(
    "a layer that makes links comes by reference; what is large in it gets a payload of its own (REP-1.2.3-b, -d)")
{
    const std::string cloud = "def Points \"p\" { int[] primvars:table = [" + zeros(1001) + "] }\n";
    const Fixed       fixed(
        {{"robot.usda", entry("prepend references = [@./physics.usda@, @./content.usda@]")},
         {"physics.usda", layer("over \"robot\" { over \"a\" (prepend apiSchemas = "
                                "[\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]) { float physics:mass = 1 } }\n")},
         {"content.usda", layer("def Xform \"robot\" { def Xform \"a\" (kind = \"subcomponent\") {\n"
                                "    quatf xformOp:orient = (1, 0, 0, 0)\n    double3 xformOp:translate = (0, 0, 0)\n"
                                "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n" +
                                cloud + "} }\n")}});
    for (const char* rule : {"REP-1.2.1-c", "REP-1.2.3-b", "REP-1.2.3-c", "REP-1.2.3-d"})
        CHECK_MESSAGE(!fixed.found(rule), rule);
    for (const FixEdit& edit : fixed.result.edits) CHECK(std::string(edit.rule->id) != "REP-1.2.3-d");
}

TEST_CASE(
    "a vendor's words in a class and its prims in a variant leave by a second entry (REP-1.2.1-j, REP-1.3-u, REP-2-a)")
{
    const std::string feature =
        "class Xform \"_make\" { def Xform \"car\" (prepend apiSchemas = [\"PhysxVehicleAPI\"]) {} }\n";
    const Fixed kept(entry("prepend inherits = </_make>") + feature);
    CHECK_FALSE(kept.found("REP-1.3-u"));
    CHECK(kept.file("physx.usda").find("PhysxVehicleAPI") != std::string::npos);
    CHECK(kept.file("robot.usda").find("PhysxVehicleAPI") == std::string::npos);
    const std::string graph =
        "def OmniGraph \"graph\" { def OmniGraphNode \"n\" { token node:type = "
        "\"isaacsim.ros2.bridge.ROS2PublishLaserScan\"\n custom string inputs:topicName = "
        "\"/scan\" } }\n";
    const Fixed varied(
        inserted(entry("prepend variantSets = \"make\"\n    variants = { string make = \"one\" }"),
                 "variantSet \"make\" = { \"one\" {\n" + graph +
                     "def Xform \"s\" (prepend apiSchemas = [\"RosTopicAPI\"]) { string ros:topic:name = "
                     "\"/scan\"\n token ros:topic:role = \"publisher\"\n string ros:topic:type = "
                     "\"sensor_msgs/msg/LaserScan\"\n double ros:topic:publish_rate = 10 } } \"two\" {} }\n"));
    CHECK_FALSE(varied.found("REP-2-a"));
    CHECK(varied.file("robot.usda").find("OmniGraph") == std::string::npos);
    CHECK(varied.file("isaac.usda").find("OmniGraphNode") != std::string::npos);
}

TEST_CASE("the file that a path with backslashes names comes with the asset (REP-1.2.5-g)")
{
    const Fixed fixed({{"robot.usda", inserted(entry(""), "def \"b\" (prepend references = @geo\\bolt.usda@) {}\n")},
                       {"geo/bolt.usda", part("bolt", "def Cube \"c\" {}\n")}});
    CHECK_FALSE(fixed.found("REP-1.2.5-g"));
    CHECK_FALSE(fixed.found("REP-1.2.5-k"));
    CHECK(fixed.after->prim_at(usd::Path("/robot/b/c")));
}
