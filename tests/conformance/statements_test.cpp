#include <string>

#include "conformance/checking.h"

using namespace mechane;
using namespace mechane::conformance;

namespace {

/// What a fragment in the default prim of a clean asset gives.
struct Row {
    const char* statement;
    const char* fragment;
    const char* id;        ///< rule that is asked
    int         findings;  ///< how many of it
};

std::string topic(const std::string& lines, const std::string& apis = "\"RosTopicAPI\"")
{ return "def Xform \"t\" ( prepend apiSchemas = [" + apis + "] )\n{\n" + lines + "}\n"; }

std::string publisher(const std::string& name, const std::string& more = "    double ros:topic:publish_rate = 10\n")
{
    return topic("    string ros:topic:name = \"" + name +
                 "\"\n    token ros:topic:role = \"publisher\"\n"
                 "    string ros:topic:type = \"sensor_msgs/msg/Image\"\n" +
                 more);
}

std::string body(const std::string& lines, const std::string& apis = "\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"")
{
    return "def Xform \"x\" (\n    prepend apiSchemas = [" + apis +
           "]\n    kind = \"subcomponent\"\n)\n{\n"
           "    float physics:mass = 1\n    quatf xformOp:orient = (1, 0, 0, 0)\n    double3 xformOp:translate = (0, "
           "0, 0)\n"
           "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n" +
           lines + "}\n";
}

}  // namespace

TEST_CASE("transforms: mirrors, identity rotations and rotations of the root (REP-T-010, REP-T-025, REP-T-026)")
{
    const Report mirrored =
        checked(fixture_stage("def Xform \"x\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", "
                              "\"PhysicsMassAPI\"]\n    kind = \"subcomponent\"\n)\n"
                              "{\n    float physics:mass = 1\n    float3 xformOp:scale = (-1, 1, 1)\n    uniform "
                              "token[] xformOpOrder = [\"xformOp:scale\"]\n}\n"));
    CHECK(count(mirrored, "REP-1.1-f") == 1);
    const auto root = [](const char* ops) {
        return layer(
            std::string(
                "def Xform \"robot\" (\n    assetInfo = { string identifier = \"u\"\n        string version = \"1\" }\n"
                "    kind = \"component\"\n)\n{\n") +
            ops + "}\n");
    };
    CHECK(
        count(
            checked(root(
                "    quatf xformOp:orient = (1, 0, 0, 0)\n    uniform token[] xformOpOrder = [\"xformOp:orient\"]\n")),
            "REP-1.1-l") == 0);
    CHECK(count(checked(root(
                    "    float xformOp:rotateX = -90\n    uniform token[] xformOpOrder = [\"xformOp:rotateX\"]\n")),
                "REP-1.1-l") == 1);
}

TEST_CASE("kinds, default prims and names of scenes (REP-T-038, REP-T-053, REP-T-062, REP-T-063)")
{
    CHECK(count(checked(layer(
                    "def Xform \"robot\" ( assetInfo = { string identifier = \"u\"\n string version = \"1\" } ) {}\n")),
                "REP-1.2.2-a") == 1);
    CHECK(count(checked(
                    layer("def Xform \"robot\" ( kind = \"component\" ) { def Xform \"a\" ( kind = \"component\" ) {}\n"
                          "    def Xform \"b\" ( kind = \"component\" ) {} }\n")),
                "REP-1.2.2-b") == 1);
    CHECK(count(checked(layer("def Xform \"robot\" ( active = false ) {}\n")), "REP-1.2.5-b") == 1);
    const Report file = checked(fixture_stage("def Xform \"a\" { custom token my:what = \"robot.usd\" }\n"));
    REQUIRE(find(file, "REP-1.2.5-m") != nullptr);
    CHECK(find(file, "REP-1.2.5-m")->severity == Severity::error);
    CHECK(count(checked(fixture_stage("def Xform \"a\" { custom string modelPathColor = \"red\" }\n")),
                "REP-1.2.5-m") == 0);
}

TEST_CASE("articulations and joints: roots of one tree, deleted roots, anchors (REP-T-072, REP-T-078)")
{
    const auto tree = [](const char* gripper) {
        return fixture_stage(
            std::string("<<body a>>\n<<body b>>\ndef PhysicsRevoluteJoint \"j\" (\n    prepend apiSchemas = "
                        "[\"PhysicsArticulationRootAPI\"]\n)\n{\n    rel physics:body0 = </robot/a>\n    rel "
                        "physics:body1 = </robot/b>\n    float physics:lowerLimit = -90\n    float "
                        "physics:upperLimit = 90\n}\nover \"b\" (\n    ") +
            gripper + "\n)\n{\n}\n");
    };
    // The second `over` merges with the body of the template in one layer only through a reference.
    const Files parts{{"robot.usda", entry("prepend references = @./base.usda@")}, {"base.usda", tree("doc = \"\"")}};
    CHECK(count(checked_files(parts), "REP-1.3-f") == 0);
    const std::string two  = R"(
<<body a>>
<<body b>>
<<body c>>
def PhysicsRevoluteJoint "j1" ( %s )
{
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}
def PhysicsRevoluteJoint "j2" ( prepend apiSchemas = ["PhysicsArticulationRootAPI"] )
{
    rel physics:body0 = </robot/b>
    rel physics:body1 = </robot/c>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}
)";
    const auto        with = [&](const std::string& apis) {
        std::string text = two;
        text.replace(text.find("%s"), 2, apis);
        return checked(fixture_stage(text));
    };
    CHECK(count(with("prepend apiSchemas = [\"PhysicsArticulationRootAPI\"]"), "REP-1.3-f") == 1);
    CHECK(count(with("delete apiSchemas = [\"PhysicsArticulationRootAPI\"]"), "REP-1.3-f") == 0);
    const Report anchor =
        checked(fixture_stage("<<body a>>\ndef Xform \"ground\" {}\ndef PhysicsFixedJoint \"anchor\"\n{\n    rel "
                              "physics:body0 = </robot/ground>\n    "
                              "rel physics:body1 = </robot/a>\n}\n"));
    REQUIRE(find(anchor, "REP-1.3-o") != nullptr);
    CHECK(find(anchor, "REP-1.3-o")->severity == Severity::warning);
}

TEST_CASE("bodies: animated without a flag, frames as bodies, impossible inertias, foreign names")
{
    const Row rows[] = {
        {"REP-T-080",
         "def Xform \"f\" ( prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"RosFrameAPI\"] ) { quatf xformOp:orient = "
         "(1, 0, 0, 0)\n"
         " double3 xformOp:translate = (0, 0, 0)\n uniform token[] xformOpOrder = [\"xformOp:translate\", "
         "\"xformOp:orient\"] }\n",
         "REP-1.3-q", 1},
        {"REP-T-134", "def Xform \"bolt\" ( instanceable = true ) {}\n", "REP-3.5-c", 1},
        {"REP-T-135", "def RectLight \"a\" {}\ndef DiskLight \"b\" {}\n", "REP-3.6-b", 2},
        {"REP-T-065",
         "def PointInstancer \"p\" { rel prototypes = </robot/p/proto>\n def Xform \"proto\" { def PhysicsFixedJoint "
         "\"j\" {} } }\n",
         "REP-1.2.6-b", 1},
    };
    for (const Row& row : rows) {
        CAPTURE(row.statement);
        const Report report = checked(fixture_stage(row.fragment));
        CHECK_MESSAGE(count(report, row.id) == static_cast<std::size_t>(row.findings), listed(report));
    }
    const Report animated = checked(fixture_stage(
        "def Xform \"x\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]\n    kind = "
        "\"subcomponent\"\n)\n"
        "{\n    float physics:mass = 1\n    quatf xformOp:orient = (1, 0, 0, 0)\n    double3 "
        "xformOp:translate.timeSamples = { 0: (0, "
        "0, 0), 1: (1, 0, 0) }\n    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n}\n"));
    CHECK(count(animated, "REP-1.3-p") == 1);  // (REP-T-079)
    CHECK(count(checked(fixture_stage(body("    float3 physics:diagonalInertia = (0.1, 0.1, 0.5)\n    quatf "
                                           "physics:principalAxes = (1, 0, 0, 0)\n"))),
                "REP-1.3-r", "triangle") == 1);
    CHECK(count(checked(fixture_stage(body("    custom float physics:foo = 1\n"))), "REP-1.4-b") == 1);  // (REP-T-094)
}

TEST_CASE("instances may not hold bodies (REP-T-064)")
{
    const Report report = checked_files(
        {{"robot.usda", entry("prepend references = @./base.usda@")},
         {"base.usda", layer("def Xform \"robot\" { def Xform \"arm\" ( instanceable = true\n prepend references = "
                             "@./arm.usda@ ) {} }\n")},
         {"arm.usda",
          layer(
              "def Xform \"robot\" { def Xform \"link\" ( prepend apiSchemas = [\"PhysicsRigidBodyAPI\"] ) {} }\n")}});
    CHECK_MESSAGE(count(report, "REP-1.2.6-a") == 1, listed(report));
}

TEST_CASE("contact materials are judged once each, not once a collider (REP-T-093)")
{
    const Report plain = checked(fixture_stage(R"(
def Material "ice" {}
def Cube "a" ( prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"] ) { rel material:binding:physics = </robot/ice>
    token purpose = "guide" }
)"));
    CHECK(count(plain, "REP-1.3.4-b") == 1);
    const Report missing = checked(fixture_stage(R"(
def Material "ice" ( prepend apiSchemas = ["PhysicsMaterialAPI"] ) { float physics:staticFriction = 0.1
    float physics:dynamicFriction = 0.1 }
def Cube "a" ( prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"] ) { rel material:binding:physics = </robot/ice>
    token purpose = "guide" }
def Cube "b" ( prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"] ) { rel material:binding:physics = </robot/ice>
    token purpose = "guide" }
)"));
    CHECK(count(missing, "REP-1.3.4-c", "missing") == 1);
}

TEST_CASE("a number in place of a name is a finding, and what follows is still judged (REP-T-096)")
{
    const Report report = checked(fixture_stage(
        topic("    int ros:topic:name = 3\n    double ros:topic:publish_rate = 10\n    token ros:topic:role = "
              "\"publisher\"\n    string "
              "ros:topic:type = \"sensor_msgs/msg/LaserScan\"\n") +
        "def Xform \"u\" ( prepend apiSchemas = [\"RosTopicAPI\"] ) { string ros:topic:name = \"a//b\"\n double "
        "ros:topic:publish_rate = "
        "10\n token ros:topic:role = \"publisher\"\n string ros:topic:type = \"sensor_msgs/msg/LaserScan\" }\n"));
    CHECK(count(report, "REP-2-c") == 1);
    CHECK(count(report, "REP-2.3-c") == 1);
}

TEST_CASE("contexts: each robot may name its parent frame, namespaces differ (REP-T-098, REP-T-099)")
{
    const auto scene = [](const char* first, const char* second, const char* inner) {
        return std::string(kMeta) + "def Xform \"robot\" ( kind = \"assembly\" ) {\n" +
               "def Xform \"a\" ( kind = \"component\"\n prepend apiSchemas = [\"RosContextAPI\"] ) { string "
               "ros:context:namespace = \"" +
               first +
               "\"\n string ros:context:parent_frame = \"map\"\n def Xform \"f\" ( prepend apiSchemas = "
               "[\"RosFrameAPI\"] ) {}\n" +
               inner + "}\n" +
               "def Xform \"b\" ( kind = \"component\"\n prepend apiSchemas = [\"RosContextAPI\"] ) { string "
               "ros:context:namespace = \"" +
               second +
               "\"\n string ros:context:parent_frame = \"map\"\n def Xform \"f\" ( prepend apiSchemas = "
               "[\"RosFrameAPI\"] ) {} }\n}\n";
    };
    CHECK(count(checked(scene("robot_1", "robot_2", "")), "REP-2.1-c") == 0);
    CHECK(count(checked(scene("robot_1", "robot_2", "")), "REP-2.1.1-c") == 0);
    CHECK(count(checked(scene("robot_1", "robot_1", "")), "REP-2.1.1-c") == 1);
    CHECK(count(checked(scene("robot_1", "robot_2",
                              "def Xform \"arm\" ( prepend apiSchemas = [\"RosContextAPI\"] ) { string "
                              "ros:context:parent_frame = \"x\" }\n")),
                "REP-2.1-c") == 1);
}

TEST_CASE("placement of interfaces: not on a body, one for each prim (REP-T-103, REP-T-104, REP-T-119)")
{
    const Report on_body =
        checked(fixture_stage(body("    string ros:topic:name = \"scan\"\n    double ros:topic:publish_rate = 10\n    "
                                   "token ros:topic:role = \"publisher\"\n    string "
                                   "ros:topic:type = \"sensor_msgs/msg/LaserScan\"\n",
                                   "\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\", \"RosTopicAPI\"")));
    CHECK(count(on_body, "REP-2.2-b") == 1);
    const Report optical = checked(fixture_stage(body(R"(
    def Camera "eye"
    {
        def Xform "eye_optical_frame" ( prepend apiSchemas = ["RosFrameAPI", "RosTopicAPI"] )
        {
            quatf xformOp:orient = (0, 1, 0, 0)
            uniform token[] xformOpOrder = ["xformOp:orient"]
            string ros:topic:name = "image"
            double ros:topic:publish_rate = 10
            token ros:topic:role = "publisher"
            string ros:topic:type = "sensor_msgs/msg/Image"
            def Xform "info" ( prepend apiSchemas = ["RosTopicAPI"] )
            {
                string ros:topic:name = "camera_info"
                double ros:topic:publish_rate = 10
                token ros:topic:role = "publisher"
                string ros:topic:type = "sensor_msgs/msg/CameraInfo"
            }
        }
    }
)")));
    for (const char* id : {"REP-2.2-b", "REP-2.2-c", "REP-2.8-a", "REP-2.8-b"})
        CHECK_MESSAGE(count(optical, id) == 0, listed(optical));
    CHECK(count(checked(fixture_stage(topic("", "\"RosTopicAPI\", \"RosServiceAPI\""))), "REP-2.2-c") == 1);
}

TEST_CASE("topics: rates, qualities of service, frames of others (REP-T-108, REP-T-109, REP-T-110, REP-T-111)")
{
    const auto rate = [](const char* line) {
        return count(checked(fixture_stage(publisher("scan", line))), "REP-2.4-d");
    };
    CHECK(rate("") == 1);
    CHECK(rate("    double ros:topic:publish_rate = 0\n") == 1);
    CHECK(rate("    double ros:topic:publish_rate = nan\n") == 1);
    CHECK(rate("    double ros:topic:publish_rate = -5\n") == 1);
    CHECK(rate("    double ros:topic:publish_rate = 5\n") == 0);
    const std::string hz = "    double ros:topic:publish_rate = 10\n";
    CHECK(
        count(checked(fixture_stage(publisher("scan", hz + "    token ros:topic:qos:reliability = \"BestEffort\"\n"))),
              "REP-2.4-f") == 1);
    CHECK(
        count(checked(fixture_stage(publisher(
                  "scan", hz + "    token ros:topic:qos:history = \"keep_last\"\n    int ros:topic:qos:depth = 0\n"))),
              "REP-2.4-g") == 1);
    CHECK(count(checked(fixture_stage(publisher("scan", hz + "    bool ros:topic:qos:match_publisher = true\n"))),
                "REP-2.4-h") == 1);
    const Report frame = checked(
        fixture_stage("<<body a>>\n" + publisher("scan", hz + "    string ros:topic:override_frame_id = \"a\"\n")));
    REQUIRE(find(frame, "REP-2.4-e") != nullptr);
    CHECK(find(frame, "REP-2.4-e")->severity == Severity::error);
}

TEST_CASE("frames, clocks and joint names (REP-T-112, REP-T-113, REP-T-118, REP-T-120, REP-T-121, REP-T-122)")
{
    CHECK(count(checked(fixture_stage("def Scope \"f\" ( prepend apiSchemas = [\"RosFrameAPI\"] ) {}\n")),
                "REP-2.7-e") == 1);
    CHECK(count(checked(fixture_stage(
                    "def Xform \"f\" ( prepend apiSchemas = [\"RosFrameAPI\"] ) { string ros:frame:id = \"/cam\" }\n")),
                "REP-2.7-f") == 1);
    const std::string cam = " ( prepend apiSchemas = [\"RosFrameAPI\"] ) { string ros:frame:id = \"cam\" }\n";
    CHECK(count(checked(fixture_stage("def Xform \"f\"" + cam + "def Xform \"g\"" + cam)), "REP-2.7-h") == 1);
    const auto optical = [](const std::string& ops) {
        return checked(fixture_stage(
            "def Camera \"eye\" { def Xform \"f\" ( prepend apiSchemas = [\"RosFrameAPI\"] ) {\n" + ops + "} }\n"));
    };
    CHECK(count(optical("quatf xformOp:orient = (1, 0, 0, 0)\nuniform token[] xformOpOrder = [\"xformOp:orient\"]\n"),
                "REP-2.8-b") == 1);
    const Report turned =
        optical("float xformOp:rotateX = 180\nuniform token[] xformOpOrder = [\"xformOp:rotateX\"]\n");
    CHECK(count(turned, "REP-2.8-b") == 0);
    CHECK(count(turned, "REP-1.1-i") == 1);
    std::string clock = fixture_stage(publisher("clock"));
    clock.replace(clock.find("namespace = \"robot\""), 19, "namespace = \"\"");
    CHECK(count(checked(clock), "REP-2.9-a") == 1);
    CHECK(count(checked(fixture_stage(publisher("sensors/clock"))), "REP-2.9-a") == 0);
    CHECK(
        count(
            checked(fixture_stage(
                "def Xform \"t\" ( prepend apiSchemas = [\"RosActionAPI\"] ) { string ros:action:name = \"s\"\n token "
                "ros:action:role = \"server\"\n string ros:action:type = "
                "\"simulation_interfaces/action/SimulateSteps\" }\n")),
            "REP-2.9-b") == 1);
    const auto joints = [](const char* line) {
        return count(
            checked(fixture_stage(
                std::string("<<body a>>\n<<body b>>\n<<body c>>\n<<joint j1 a b>>\ndef PhysicsRevoluteJoint \"j2\"\n{\n"
                            "    rel physics:body0 = </robot/b>\n    rel physics:body1 = </robot/c>\n    float "
                            "physics:lowerLimit = -90\n    float physics:upperLimit = 90\n") +
                line + "}\n")),
            "REP-2.10-b");
    };
    CHECK(joints("") == 0);
    CHECK(joints("    custom string ros:joint:name = \"j1\"\n") == 1);
}

TEST_CASE("meshes: colliders are known by their schema, not by their purpose (REP-T-130, REP-T-133)")
{
    const auto quad = [](const char* apis, const char* more) {
        return checked(fixture_stage(
            std::string("def Mesh \"m\" ( prepend apiSchemas = [") + apis +
            "] ) {\n int[] faceVertexCounts = [4]\n int[] "
            "faceVertexIndices = [0, 1, 2, 3]\n point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n" +
            more + "}\n"));
    };
    CHECK(count(quad("\"PhysicsCollisionAPI\"", ""), "REP-3.4-a") == 1);
    CHECK(count(quad("\"MaterialBindingAPI\"", " token purpose = \"guide\"\n"), "REP-3.4-a") == 0);
    const Report open = quad("\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"",
                             " uniform token physics:approximation = \"none\"\n");
    REQUIRE(find(open, "REP-3.4-e") != nullptr);
    CHECK(find(open, "REP-3.4-e")->severity == Severity::error);
}

TEST_CASE("extensions: mimics, actuators, tables, controllers (REP-T-136, REP-T-137, REP-T-138)")
{
    const auto mimic = [](const char* first, const char* second) {
        return checked(fixture_stage(std::string(R"(
<<body a>>
<<body b>>
<<body c>>
def PhysicsRevoluteJoint "j1" ( prepend apiSchemas = ["ExtendedPhysicsMimicAPI", "PhysicsArticulationRootAPI"] )
{
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
    rel ext_physics:mimic:joint = )") +
                                     first + R"(
}
def PhysicsRevoluteJoint "j2" ( prepend apiSchemas = ["ExtendedPhysicsMimicAPI"] )
{
    rel physics:body0 = </robot/b>
    rel physics:body1 = </robot/c>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
    rel ext_physics:mimic:joint = )" +
                                     second + "\n}\n"));
    };
    CHECK(count(mimic("</robot/j2>", "</robot/j1>"), "REP-4.2.2-c", "cycle") == 1);
    CHECK(count(mimic("</robot/j1>", "</robot/j1>"), "REP-4.2.2-c", "self") == 1);
    CHECK(count(checked(fixture_stage(
                    "<<body a>>\n<<body b>>\n<<joint j1 a b>>\ndef PhysicsFixedJoint \"f\" ( prepend apiSchemas = "
                    "[\"ExtendedPhysicsMimicAPI\"] ) { rel physics:body1 = </robot/a>\n rel ext_physics:mimic:joint = "
                    "</robot/j1> }\n")),
                "REP-4.2.2-c", "follower") == 1);
    CHECK(
        count(
            checked(fixture_stage(
                "<<body a>>\ndef PhysicsFixedJoint \"f\" { rel physics:body1 = </robot/a> }\ndef Xform \"m\" ( prepend "
                "apiSchemas = [\"ExtendedPhysicsActuatorAPI\"] ) { rel ext_physics:actuator:targets = </robot/f> }\n")),
            "REP-4.2.2-d", "target") == 1);
    const auto table = [](const char* positions, const char* efforts) {
        return count(
            checked(fixture_stage(
                std::string("def Xform \"m\" ( prepend apiSchemas = [\"ExtendedPhysicsPositionBasedClampingAPI\"] ) {\n"
                            "float[] ext_physics:clamp_position:lookupPositions = ") +
                positions + "\nfloat[] ext_physics:clamp_position:lookupEfforts = " + efforts + "\n}\n")),
            "REP-4.2.2-e");
    };
    CHECK(table("[0, 1]", "[1]") == 1);
    CHECK(table("[1, 0]", "[1, 1]") == 1);
    CHECK(table("[0, 1]", "[1, 1]") == 0);
    const auto controllers = [](const char* more) {
        const std::string one =
            " ( prepend apiSchemas = [\"RosControlJointTrajectoryAPI\"] ) { rel ros:joint_trajectory:command_joints = "
            "</robot/j1>\n";
        return count(checked(fixture_stage("<<body a>>\n<<body b>>\n<<joint j1 a b>>\ndef Xform \"c\"" + one +
                                           "}\ndef Xform \"d\"" + one + more + "}\n")),
                     "REP-4.2.3-e");
    };
    CHECK(controllers("") == 1);
    CHECK(controllers("custom bool control:starts_enabled = false\n") == 0);
}

TEST_CASE("controllers: targets exist, and the drafts' interfaces and lengths are what they say (REP-4.2.3-a, -h)")
{
    const auto judged = [](const std::string& schema, const std::string& inside) {
        return checked(fixture_stage(
            "<<body a>>\n<<body b>>\n<<joint j1 a b>>\n<<topic scan>>\ndef Xform \"c\" (\n prepend apiSchemas = [\"" +
            schema + "\"]\n) {\n" + inside + "\n}\n"));
    };
    const std::string wheels =
        "rel ros:diff_drive:left_wheels = </robot/j1>\nrel ros:diff_drive:right_wheels = </robot/j1>\ndouble "
        "ros:diff_drive:wheel_radius = 0.1\ndouble ros:diff_drive:wheel_separation = 0.5\n";
    struct {
        std::string schema, inside;
        int         astray, drafts;
    } table[] = {
        {"RosControlDiffDriveAPI", wheels, 0, 0},
        {"RosControlDiffDriveAPI", wheels + "rel ros:diff_drive:odom = </robot/scan>", 0, 0},        // a publisher
        {"RosControlDiffDriveAPI", wheels + "rel ros:diff_drive:subscriber = </robot/scan>", 0, 1},  // no subscription
        {"RosControlDiffDriveAPI", wheels + "rel ros:diff_drive:odom = </robot/nope>", 0, 1},  // nowhere
        {"RosControlDiffDriveAPI", wheels + "rel ros:diff_drive:odom = </robot/a>", 0, 1},
        {"RosControlDiffDriveAPI", "rel ros:diff_drive:left_wheels = </robot/j1>", 0, 2},  // neither length
        {"RosControlJointTrajectoryAPI", "rel ros:joint_trajectory:command_joints = [</robot/j1>, </robot/nope>]", 1,
         0},
        {"RosControlJointTrajectoryAPI", "rel ros:joint_trajectory:command_joints = [</robot/j1>, </robot/scan>]", 1,
         0},
        {"RosControlJointTrajectoryAPI", "rel ros:joint_trajectory:command_joints = </robot/a>", 1, 0},  // a body
        {"RosControlRigidBodyTwistAPI", "rel ros:rigid_body_twist:body = </robot/j1>", 1, 0},
        {"RosControlGripperAPI", "rel ros:gripper:joints = </robot/j1>", 0, 1},  // said as info
    };
    for (const auto& row : table) {
        CAPTURE(row.schema);
        CAPTURE(row.inside);
        const Report report = judged(row.schema, row.inside);
        CHECK(count(report, "REP-4.2.3-a") == row.astray);
        CHECK(count(report, "REP-4.2.3-h") == row.drafts);
    }
    const Report unknown = judged("RosControlGripperAPI", "rel ros:gripper:joints = </robot/j1>");
    REQUIRE(find(unknown, "REP-4.2.3-h") != nullptr);
    CHECK(find(unknown, "REP-4.2.3-h")->severity == Severity::info);
    // A collection names targets as a relationship does; properties of control: make a controller without a schema.
    const auto collected = [](const std::string& members) {
        return checked(
            fixture_stage("<<body a>>\n<<body b>>\n<<joint j1 a b>>\ndef Xform \"c\" (\n prepend apiSchemas = "
                          "[\"CollectionAPI:joints\"]\n) {\ncustom bool control:starts_enabled = true\n" +
                          members + "}\n"));
    };
    CHECK(count(collected("rel collection:joints:includes = </robot/j1>\n"), "REP-4.2.3-a") == 0);
    CHECK(count(collected(""), "REP-4.2.3-a") == 1);
}

TEST_CASE("materials: what is seen has a preview surface, through node graphs too (REP-T-123, REP-T-124, REP-T-129)")
{
    CHECK(count(checked(fixture_stage("<<body a>>")), "REP-3.1-a") == 0);  // bound to a material of physics only
    const auto look = [](const std::string& inside) {
        return checked(fixture_stage("def Material \"look\" {\n" + inside +
                                     "}\ndef Cube \"box\" ( prepend apiSchemas = "
                                     "[\"MaterialBindingAPI\"] ) { rel material:binding = </robot/look> }\n"));
    };
    const Report mdl = look(
        "token outputs:mdl:surface.connect = </robot/look/s.outputs:out>\n def Shader \"s\" { uniform token "
        "info:implementationSource = \"sourceAsset\"\n token outputs:out }\n");
    REQUIRE(find(mdl, "REP-3.1-a") != nullptr);
    CHECK(find(mdl, "REP-3.1-a")->severity == Severity::error);
    const std::string preview =
        "def Shader \"s\" { uniform token info:id = \"UsdPreviewSurface\"\n token outputs:surface }\n";
    CHECK(count(look("token outputs:surface.connect = </robot/look/g.outputs:surface>\ndef NodeGraph \"g\" { token "
                     "outputs:surface.connect = "
                     "</robot/look/g/s.outputs:surface>\n" +
                     preview + "}\n"),
                "REP-3.1-a") == 0);
    const std::string noise = "def Shader \"n\" { uniform token info:id = \"ND_noise2d_float\"\n float outputs:out }\n";
    CHECK(count(look("token outputs:surface.connect = </robot/look/s.outputs:surface>\ndef Shader \"s\" { uniform "
                     "token info:id = "
                     "\"UsdPreviewSurface\"\n float inputs:roughness.connect = </robot/look/n.outputs:out>\n token "
                     "outputs:surface }\n" +
                     noise),
                "REP-3.3-a") == 1);
    CHECK(
        count(
            look(
                "token outputs:surface.connect = </robot/look/s.outputs:surface>\n token outputs:mdl:surface.connect = "
                "</robot/look/n.outputs:out>\n" +
                preview + noise),
            "REP-3.3-a") == 0);
}

TEST_CASE(
    "textures are judged by what they feed and what they are, not by their names (REP-T-125, REP-T-126, REP-T-127, "
    "REP-T-128)")
{
    const auto feeding = [](const std::string& input, const std::string& file) {
        return fixture_stage(
            "def Material \"look\" {\n token outputs:surface.connect = </robot/look/s.outputs:surface>\n def Shader "
            "\"s\" { uniform "
            "token info:id = \"UsdPreviewSurface\"\n " +
            input +
            ".connect = </robot/look/t.outputs:rgb>\n token outputs:surface }\n"
            " def Shader \"t\" { uniform token info:id = \"UsdUVTexture\"\n asset inputs:file = @" +
            file +
            "@\n float3 outputs:rgb }\n"
            "}\ndef Cube \"box\" ( prepend apiSchemas = [\"MaterialBindingAPI\"] ) { rel material:binding = "
            "</robot/look> }\n");
    };
    CHECK(count(checked(feeding("color3f inputs:diffuseColor", "./tex.2048.png")), "REP-3.1-d") == 0);
    CHECK(count(checked(feeding("color3f inputs:diffuseColor", "./tex.<UDIM>.png")), "REP-3.1-d") == 1);
    CHECK(count(checked(feeding("normal3f inputs:normal", "./surf_n.jpg")), "REP-3.2-c") == 1);
    CHECK(count(checked(feeding("color3f inputs:diffuseColor", "./normal_like_name.jpg")), "REP-3.2-c") == 0);
    // Signature and IHDR: 1 x 1, 16 bits, RGB.
    const std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x10\2\0\0\0", 29);
    const Report      deep =
        checked_files({{"robot.usda", feeding("color3f inputs:diffuseColor", "./deep.png")}, {"deep.png", png}});
    CHECK_MESSAGE(count(deep, "REP-3.2-b") == 1, listed(deep));
    CHECK(count(checked(fixture_stage("def DomeLight \"sky\" { asset inputs:texture:file = @./env.exr@ }\n")),
                "REP-3.2-f") == 1);
    CHECK(count(checked(fixture_stage("def DomeLight \"sky\" { asset inputs:texture:file = @./env.hdr@ }\n")),
                "REP-3.2-f") == 0);
}

TEST_CASE("variants: defaults are authored, exist, and are complete (REP-T-048, REP-T-049, REP-T-089, REP-T-090)")
{
    const auto set = [](const char* name, const char* selection, const char* variants) {
        return fixture_stage(std::string("def Xform \"visual\" (\n prepend variantSets = \"") + name + "\"\n" + selection +
                             ")\n{\n variantSet \"" + name + "\" = {\n" + variants + "}\n}\n");
    };
    const char*      two = " \"a\" {\n }\n \"b\" {\n }\n";
    usd::OpenOptions fallback;
    fallback.variant_fallbacks["g"] = {"a"};
    const auto stage                = usd::Stage::open_text(set("g", "", two), {}, fallback);
    REQUIRE(stage);
    CHECK(count(*check(**stage, {}), "REP-1.2.4-a") == 1);
    CHECK(count(checked(set("g", " variants = { string g = \"missing\" }\n", two)), "REP-1.2.4-b") == 1);
    CHECK(count(checked(set("visual_representation", " variants = { string visual_representation = \"mesh_medium\" }\n",
                            " \"high\" {\n }\n \"mesh_medium\" {\n }\n")),
                "REP-1.3.2-d") == 1);
    CHECK(count(checked(set("visual_representation", " variants = { string visual_representation = \"mesh_medium\" }\n",
                            " \"mesh_low\" {\n def Cube \"c\" ( prepend apiSchemas = [\"PhysicsCollisionAPI\"] ) {}\n "
                            "}\n \"mesh_medium\" {\n }\n")),
                "REP-1.3.2-f") == 1);
}

TEST_CASE("layers: what they hold, by content (REP-T-029..037)")
{
    const std::string base = layer("def Xform \"robot\" { def Xform \"a\" ( kind = \"subcomponent\" ) {} }\n");
    const std::string body_over =
        "over \"robot\" { over \"a\" ( prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"] ) { float "
        "physics:mass = 1 } }\n";
    const auto with = [&](const char* name, const std::string& text) {
        return checked_files(
            {{"robot.usda", entry(std::string("prepend references = [@./") + name + "@, @./base.usda@]")},
             {"base.usda", base},
             {name, text}});
    };
    CHECK(count(with("physics.usd", "#binary\n" + layer(body_over)), "REP-1.2.1-b") == 1);
    const std::string mesh =
        "def Mesh \"m\" ( prepend apiSchemas = [\"MaterialBindingAPI\"] ) { int[] faceVertexCounts = [3]\n int[] "
        "faceVertexIndices = [0, 1, 2]\n point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n rel material:binding = "
        "</robot/l> }\n";
    CHECK(count(with("geometries.usdc", "#binary\n" + layer("over \"robot\" {" + mesh + "}\n")), "REP-1.2.1-b") == 0);
    CHECK(count(with("geometries.usda",
                     layer("over \"robot\" { def Points \"p\" { int[] primvars:n = [" + zeros(20000) + "] } }\n")),
                "REP-1.2.1-c") == 1);
    CHECK(count(with("geometries.usda", layer("over \"robot\" {" + mesh + "}\n")), "REP-1.2.1-c") == 0);
    CHECK(
        count(
            with("geometries.usdc",
                 "#binary\n" +
                     layer("over \"robot\" { def Mesh \"m\" ( prepend apiSchemas = [\"PhysicsCollisionAPI\"] ) { int[] "
                           "faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 1, 2]\n point3f[] points = [(0, 0, "
                           "0), (1, 0, 0), (0, 1, 0)] } }\n")),
            "REP-1.2.1-d") == 1);
    CHECK(
        count(
            checked_files(
                {{"robot.usda", entry("prepend references = @./base.usda@")},
                 {"base.usda",
                  layer(
                      "def Xform \"robot\" { def Xform \"a\" ( prepend apiSchemas = [\"PhysicsMassAPI\"] ) {} }\n")}}),
            "REP-1.2.1-g") == 1);
    std::string heavy_entry = entry("prepend references = @./base.usda@");
    heavy_entry.replace(heavy_entry.rfind("{\n}"), 3, "{ def Mesh \"m\" {} }");
    CHECK(count(checked_files({{"robot.usda", heavy_entry}, {"base.usda", base}}), "REP-1.2.1-i") == 1);
    const Report vendor = with("physics.usda", layer("over \"robot\" { over \"a\" ( prepend apiSchemas = "
                                                     "[\"PhysicsMassAPI\"] ) { float physics:mass = 1\n custom float "
                                                     "physxRigidBody:linearDamping = 1 } }\n"));
    CHECK_MESSAGE(count(vendor, "REP-1.2.1-j") == 1, listed(vendor));
    CHECK(count(vendor, "REP-1.4-a") == 0);
    CHECK(count(with("ros.usda", layer("over \"robot\" ( prepend apiSchemas = [\"RosContextAPI\"] ) { string "
                                       "ros:context:namespace = \"r\"\n def OmniGraph "
                                       "\"g\" {} }\n")),
                "REP-1.2.1-j") == 1);
    CHECK(count(with("phys.usda", layer(body_over)), "REP-1.2.1-k") == 1);
}

TEST_CASE(
    "arcs: what payloads bring, and what classes (REP-T-040, REP-T-042, REP-T-044, REP-T-045, REP-T-046, REP-T-047, "
    "REP-T-102)")
{
    const std::string heavy =
        "#binary\n" + layer("def Xform \"robot\" { def Points \"p\" { int[] primvars:n = [" + zeros(2000) + "] } }\n");
    CHECK(count(checked_files(
                    {{"robot.usda", entry("prepend references = @./geometries.usdc@")}, {"geometries.usdc", heavy}}),
                "REP-1.2.3-b") == 1);
    CHECK(count(checked_files(
                    {{"robot.usda", entry("prepend payload = @./geometries.usdc@")}, {"geometries.usdc", heavy}}),
                "REP-1.2.3-b") == 0);
    const std::string links =
        "def Xform \"a\" ( kind = \"subcomponent\"\n prepend apiSchemas = [\"PhysicsRigidBodyAPI\", "
        "\"PhysicsMassAPI\"]\n %s ) { float "
        "physics:mass = 1\n double3 xformOp:translate = (0, 0, 0)\n quatf xformOp:orient = (1, 0, 0, 0)\n uniform "
        "token[] xformOpOrder = "
        "[\"xformOp:translate\", \"xformOp:orient\"]\n }\n";
    const auto link = [&](const std::string& more) {
        std::string text = links;
        text.replace(text.find("%s"), 2, more);
        return text;
    };
    // The whole robot inside a payload of the entry: tolerated with a warning, since a figure of the REP shows it.
    const Report inside = checked_files({{"robot.usda", entry("prepend payload = @./physics.usda@")},
                                         {"physics.usda", layer("def Xform \"robot\" {" + link("") + "}\n")}});
    REQUIRE_MESSAGE(find(inside, "REP-1.2.3-c") != nullptr, listed(inside));
    CHECK(find(inside, "REP-1.2.3-c")->severity == Severity::warning);
    CHECK(count(inside, "REP-1.2.3-d") == 0);
    const std::string mesh  = "#binary\n" + layer(
                                                "def Mesh \"m\" { int[] faceVertexCounts = [3]\n int[] "
                                                "faceVertexIndices = [0, 1, 2]\n point3f[] points = [(0, 0, "
                                                "0), (1, 0, 0), (0, 1, 0)] }\n");
    const Report      local = checked_files(
        {{"robot.usda", entry("prepend references = @./physics.usda@")},
         {"physics.usda", layer("def Xform \"robot\" {" + link("prepend payload = @./geometries.usdc@</m>") + "}\n")},
         {"geometries.usdc", mesh}});
    CHECK_MESSAGE(count(local, "REP-1.2.3-c") == 0, listed(local));
    const Report below = checked_files(
        {{"robot.usda", entry("prepend references = @./ros.usda@")},
         {"ros.usda",
          layer(
              "def Xform \"robot\" ( prepend apiSchemas = [\"RosContextAPI\"] ) { string ros:context:namespace = "
              "\"r\"\n def Xform \"look\" ( prepend payload "
              "= @./geometries.usdc@</m> ) { def Xform \"scan\" ( prepend apiSchemas = [\"RosTopicAPI\"] ) {} } }\n")},
         {"geometries.usdc", mesh}});
    CHECK_MESSAGE(count(below, "REP-2.2-d") == 0, listed(below));
    const Report camera =
        checked_files({{"robot.usda", entry("prepend payload = @./geometries.usda@")},
                       {"geometries.usda", layer("def Xform \"robot\" { def Camera \"eye\" {} }\n")}});
    CHECK(count(camera, "REP-1.2.3-e") == 1);
    const Report over =
        checked_files({{"robot.usda", entry("prepend references = @./base.usda@")},
                       {"base.usda", layer("def Xform \"robot\" { over \"arm\" ( prepend payload = "
                                           "@./geometries.usda@</arm> ) { over \"a\" ( prepend apiSchemas = "
                                           "[\"PhysicsRigidBodyAPI\"] ) {} } }\n")},
                       {"geometries.usda", layer("def Xform \"arm\" { def Xform \"a\" {} }\n")}});
    REQUIRE_MESSAGE(count(over, "REP-1.2.3-d") >= 1, listed(over));
    CHECK(find(over, "REP-1.2.3-d")->site.prim == "/robot/arm/a");
    const Report context = checked_files(
        {{"robot.usda", entry("prepend references = @./base.usda@")},
         {"base.usda",
          layer("def Xform \"robot\" { def Xform \"arm\" ( prepend payload = @./ros.usda@</arm> ) {} }\n")},
         {"ros.usda", layer("def Xform \"arm\" ( prepend apiSchemas = [\"RosContextAPI\"] ) { string "
                            "ros:context:namespace = \"arm\" }\n")}});
    CHECK(count(context, "REP-2.1.1-g") == 1);
    const Report own =
        checked(fixture_stage("class \"_link\" {}\n" + body("", "\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"")));
    CHECK(count(own, "REP-1.2.3-a") == 0);
}

TEST_CASE("asset paths: absolute, schemes, packages, what is missing and what lies outside")
{
    const auto path = [](const std::string& asset) {
        return checked(fixture_stage(
            "def Shader \"s\" { uniform token info:id = \"UsdUVTexture\"\n asset inputs:file = @" + asset + "@ }\n"));
    };
    // (REP-T-055)
    CHECK(count(checked(fixture_stage("def Xform \"a\" ( references = @/nowhere/x.usda@ ) {}\n")), "REP-1.2.5-f") == 1);
    CHECK(count(path("/nowhere/x.png"), "REP-1.2.5-f") == 1);
    CHECK(count(path("file:///nowhere/x.png"), "REP-1.2.5-f") == 1);
    CHECK(count(path("C:/x.png"), "REP-1.2.5-f") == 1);
    // (REP-T-057)
    CHECK(count(path("omniverse://host/x.png"), "REP-1.2.5-i") == 1);
    CHECK(count(path("HTTPS://host/x.png"), "REP-1.2.5-i") == 1);
    // (REP-T-058)
    CHECK(count(path("package://my_pkg"), "REP-1.2.5-j") == 1);
    CHECK(count(path("package://my_pkg/../../x.png"), "REP-1.2.5-j") == 1);
    const std::string part = "#usda 1.0\n( defaultPrim = \"robot\" )\ndef Xform \"robot\" {}\n";
    // (REP-T-056)
    const Report search =
        checked_files({{"robot.usda", entry("prepend references = @base.usda@")}, {"base.usda", part}});
    CHECK_MESSAGE(count(search, "REP-1.2.5-g") == 1, listed(search));
    // (REP-T-061)
    CHECK(count(checked_files({{"r/robot.usda", entry("prepend references = @../shared/base.usda@")},
                               {"shared/base.usda", part}}),
                "REP-1.2.5-h") == 1);
    CHECK(count(checked_files({{"robot.usda", entry("prepend references = @./missing.usda@")}}), "REP-1.2.5-k") == 1);
}

TEST_CASE("a layer that is brought in states the units of the asset (REP-T-007)")
{
    const Report report = checked_files(
        {{"robot.usda", entry("prepend references = @./base.usda@")},
         {"base.usda", "#usda 1.0\n(\n defaultPrim = \"robot\"\n metersPerUnit = 0.001\n)\ndef Xform \"robot\" {}\n"}});
    CHECK(count(report, "REP-1.1-d") == 1);
}
