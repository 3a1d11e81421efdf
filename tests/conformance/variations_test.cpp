#include "conformance/checking.h"

using namespace mechane;
using namespace mechane::conformance;

// The same faults in other clothes: samples instead of values, other layers, variants, instances, packages.

namespace {

std::string link(const std::string& name, const std::string& ops, const std::string& order, const std::string& more = "")
{
    return "def Xform \"" + name +
           "\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]\n    kind = "
           "\"subcomponent\"\n)\n{\n    float physics:mass = 1\n" +
           ops + "    uniform token[] xformOpOrder = [" + order + "]\n" + more + "}\n";
}

constexpr const char* kPose =
    "    quatf xformOp:orient = (1, 0, 0, 0)\n    double3 xformOp:translate = (0, 0, 0)\n";
constexpr const char* kOrder = "\"xformOp:translate\", \"xformOp:orient\"";

/// A clean root prim with these lines.
std::string root(const std::string& lines)
{
    return layer("def Xform \"robot\" (\n    assetInfo = { string identifier = \"u\"\n        string version = \"1\" }\n"
                 "    kind = \"component\"\n)\n{\n" +
                 lines + "}\n");
}

/// A prism over an L: a notched mesh all of whose points lie on its hull.
std::string notched(const std::string& name, const std::string& approximation, const std::string& arrays = "")
{
    return "def Mesh \"" + name +
           "\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\", \"MaterialBindingAPI\"])\n{\n"
           "    int[] faceVertexCounts = [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]\n"
           "    int[] faceVertexIndices = [0,2,1, 0,3,2, 0,5,3, 3,5,4, 6,7,8, 6,8,9, 6,9,11, 9,10,11,\n"
           "        0,1,7, 0,7,6, 1,2,8, 1,8,7, 2,3,9, 2,9,8, 3,4,10, 3,10,9, 4,5,11, 4,11,10, 5,0,6, 5,6,11]\n"
           "    rel material:binding:physics = </robot/Contact/rubber>\n    uniform token physics:approximation = \"" +
           approximation +
           "\"\n    point3f[] points = [(0,0,0),(2,0,0),(2,1,0),(1,1,0),(1,2,0),(0,2,0),(0,0,1),(2,0,1),(2,1,1),(1,1,1),"
           "(1,2,1),(0,2,1)]\n    token purpose = \"guide\"\n" +
           arrays + "}\n";
}

std::size_t in_robot(const std::string& fragment, std::string_view id, std::string_view variant = {})
{ return count(checked(fixture_stage(fragment)), id, variant); }

}  // namespace

TEST_CASE("a body's scale is found at any sample, behind its inverse, and behind a rotation (REP-1.1-j)")
{
    const std::string samples = "    float3 xformOp:scale.timeSamples = { 0: (1, 1, 1), 1: (2, 2, 2) }\n";
    CHECK(in_robot(link("a", kPose + samples, std::string(kOrder) + ", \"xformOp:scale\""), "REP-1.1-j") == 1);
    const std::string ones = "    float3 xformOp:scale.timeSamples = { 0: (1, 1, 1), 1: (1, 1, 1) }\n";
    CHECK(in_robot(link("a", kPose + ones, std::string(kOrder) + ", \"xformOp:scale\""), "REP-1.1-j") == 0);
    const std::string two = "    float3 xformOp:scale = (2, 2, 2)\n";
    CHECK(in_robot(link("a", kPose + two, std::string(kOrder) + ", \"xformOp:scale\", \"!invert!xformOp:scale\""),
                   "REP-1.1-j") == 1);
    // Rows of the matrix keep the length one: 45 degrees about z, then sqrt(1.5) and sqrt(0.5).
    const std::string turned =
        "    quatf xformOp:orient = (0.9238795, 0, 0, 0.3826834)\n    double3 xformOp:translate = (0, 0, 0)\n"
        "    float3 xformOp:scale = (1.2247449, 0.7071068, 1)\n";
    CHECK(in_robot(link("a", turned, "\"xformOp:translate\", \"xformOp:scale\", \"xformOp:orient\""), "REP-1.1-j") == 1);
    CHECK(in_robot("<<body a>>\ndef PhysicsFixedJoint \"j\" { rel physics:body1 = </robot/a>\n"
                   "    float3 xformOp:scale = (1, 1, 2) }\n",
                   "REP-1.1-j", "joint") == 1);
}

TEST_CASE("a mirror below a mirror is a mirror (REP-1.1-f)")
{
    const std::string mirror = "    float3 xformOp:scale = (-1, 1, 1)\n";
    const std::string body   = link("a", kPose + mirror, std::string(kOrder) + ", \"xformOp:scale\"");
    CHECK(in_robot("def Xform \"g\" {\n" + mirror + "    uniform token[] xformOpOrder = [\"xformOp:scale\"]\n" + body +
                       "}\n",
                   "REP-1.1-f") == 1);
    const Report one = checked(fixture_stage(body));
    CHECK_MESSAGE(count(one, "REP-1.1-f") == 1, listed(one));
    CHECK_MESSAGE(count(one, "REP-1.1-g") == 0, listed(one));
}

TEST_CASE("a root that turns at some time is rotated, and so is one whose only child turns everything (REP-1.1-l)")
{
    CHECK(count(checked(root("    quatf xformOp:orient.timeSamples = { 0: (1, 0, 0, 0), 1: (0, 1, 0, 0) }\n"
                             "    uniform token[] xformOpOrder = [\"xformOp:orient\"]\n")),
                "REP-1.1-l") == 1);
    const auto shim = [](const std::string& orient, const std::string& beside = "") {
        return checked(root("    def Xform \"shim\" { quatf xformOp:orient = " + orient +
                            "\n    uniform token[] xformOpOrder = [\"xformOp:orient\"]\n    def Cube \"c\" {} }\n" +
                            beside));
    };
    const Report quarter = shim("(0.70710677, -0.70710677, 0, 0)", "def Scope \"Looks\" { def Material \"m\" {} }\n");
    REQUIRE_MESSAGE(count(quarter, "REP-1.1-l", "rotation-shim") == 1, listed(quarter));
    CHECK(find(quarter, "REP-1.1-l")->severity == Severity::warning);
    CHECK(count(shim("(0, 0, 0, 1)"), "REP-1.1-l") == 1);
    CHECK(count(shim("(0.9238795, 0.3826834, 0, 0)"), "REP-1.1-l") == 0);                      // 45 degrees
    CHECK(count(shim("(0.5, 0.5, 0.5, 0.5)"), "REP-1.1-l") == 0);                              // about a diagonal
    CHECK(count(shim("(0, 0, 0, 1)", "def Cube \"other\" {}\n"), "REP-1.1-l") == 0);           // not everything
}

TEST_CASE("what moves is seen at its samples: equal ones, and those that no operation lists, move nothing (REP-1.3-p)")
{
    const auto with = [](const std::string& ops, const std::string& order) {
        return in_robot(link("a", "    quatf xformOp:orient = (1, 0, 0, 0)\n" + ops, order), "REP-1.3-p");
    };
    const std::string move = "    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 1: (1, 0, 0) }\n";
    CHECK(with(move, kOrder) == 1);
    CHECK(with("    double3 xformOp:translate.timeSamples = { 0: (1, 0, 0), 1: (1, 0, 0) }\n", kOrder) == 0);
    CHECK(with("    double3 xformOp:translate = (0, 0, 0)\n"
               "    double3 xformOp:translate:old.timeSamples = { 0: (0, 0, 0), 1: (1, 0, 0) }\n",
               kOrder) == 0);
    // A body that resets the stack is not carried by what stands above it.
    const auto carried = [&](const std::string& first) {
        return in_robot("def Xform \"g\" {\n" + move + "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n" +
                            link("a", kPose, first + kOrder) + "}\n",
                        "REP-1.3-p");
    };
    CHECK(carried("") == 1);
    CHECK(carried("\"!resetXformStack!\", ") == 0);
}

TEST_CASE("a notch between points that all lie on the hull is a notch (REP-1.3.1-b, -c, -d)")
{
    CHECK(in_robot(link("a", kPose, kOrder, notched("m", "convexHull")), "REP-1.3.1-c") == 1);
    CHECK(in_robot(link("a", kPose, kOrder, notched("m", "none")), "REP-1.3.1-b", "default-fidelity") == 1);
    const auto set = [](const std::string& owner, const std::string& mesh) {
        return "def Xform \"" + owner +
               "\" (\n prepend variantSets = \"collision_fidelity\"\n variants = { string collision_fidelity = \"base\" }\n"
               ")\n{\n variantSet \"collision_fidelity\" = { \"base\" {\n" +
               mesh + " }\n } }\n";
    };
    CHECK(in_robot(link("a", kPose, kOrder, set("c", notched("m", "none"))), "REP-1.3.1-d") == 1);
    CHECK(in_robot(link("a", kPose, kOrder, set("c", notched("m", "convexHull"))), "REP-1.3.1-d") == 0);
    // What stands still may have any mesh, but no other word than these.
    CHECK(in_robot(set("wall", notched("m", "none")), "REP-1.3.1-d") == 0);
    CHECK(in_robot(set("wall", notched("m", "meshSimplification")), "REP-1.3.1-d") == 1);
}

TEST_CASE("PhysicsCollisionAPI on what is no Gprim makes colliders of the Gprims below (rep-0158 2.5)")
{
    const auto group = [](const std::string& more, const std::string& below) {
        return fixture_stage("def Xform \"g\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n" + more +
                             "def Mesh \"q\" { int[] faceVertexCounts = [4]\n int[] faceVertexIndices = [0, 1, 2, 3]\n"
                             " point3f[] points = [(0,0,0),(1,0,0),(1,1,0),(0,1,0)] }\n" +
                             below + "}\n");
    };
    const Report all = checked(group("", "def Cube \"c\" {}\n"));
    CHECK_MESSAGE(count(all, "REP-3.4-a") == 1, listed(all));
    CHECK_MESSAGE(count(all, "REP-1.3.1-a") == 2, listed(all));
    CHECK_MESSAGE(count(all, "REP-1.3.4-a") == 2, listed(all));
    CHECK(count(checked(group("bool physics:collisionEnabled = 0\n", "")), "REP-3.4-a") == 0);
    // A body below begins anew.
    CHECK(count(checked(group("", "<<link b>>\n def Cube \"own\" {} }\n")), "REP-1.3.1-a") == 1);
}

TEST_CASE("colliders that are animated, broken or hulls are judged too (REP-3.4-a, -f)")
{
    const auto mesh = [](const std::string& arrays) {
        return "def Mesh \"m\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\", "
               "\"MaterialBindingAPI\"]) { rel material:binding:physics = </robot/Contact/rubber>\n"
               "token purpose = \"guide\"\n" +
               arrays + "}\n";
    };
    CHECK(in_robot(mesh("int[] faceVertexCounts = [4]\n int[] faceVertexIndices = [0, 1, 2, 3]\n point3f[] "
                        "points.timeSamples = { 1: [(0,0,0),(1,0,0),(1,1,0),(0,1,0)] }\n"),
                   "REP-3.4-a") == 1);
    CHECK(in_robot(mesh("int[] faceVertexCounts = [4]\n int[] faceVertexIndices = [0, 1, 2, 9]\n point3f[] "
                        "points = [(0,0,0),(1,0,0),(1,1,0),(0,1,0)]\n"),
                   "REP-3.4-a") == 1);
    const std::string crossing =
        "int[] faceVertexCounts = [3, 3, 3, 3, 3, 3, 3, 3]\n int[] faceVertexIndices = "
        "[0,2,1,0,1,3,1,2,3,0,3,2,4,6,5,4,5,7,5,6,7,4,7,6]\n point3f[] points = [(0,0,0),(1,0,0),(0,1,0),(0,0,1),"
        "(0.2,0.2,-0.5),(1.2,0.2,-0.5),(0.2,1.2,-0.5),(0.2,0.2,0.5)]\n uniform token physics:approximation = ";
    for (const char* how : {"convexHull", "sdf", "convexDecomposition"}) {
        const Report report = checked(fixture_stage(mesh(crossing + "\"" + how + "\"\n")));
        REQUIRE_MESSAGE(count(report, "REP-3.4-f") == 1, listed(report));
        CHECK(find(report, "REP-3.4-f")->severity == Severity::warning);
    }
    const Report exact = checked(fixture_stage(mesh(crossing + "\"none\"\n")));
    REQUIRE(count(exact, "REP-3.4-f") == 1);
    CHECK(find(exact, "REP-3.4-f")->severity == Severity::error);
}

TEST_CASE("faces that two subsets of one family claim (REP-3.1-f)")
{
    const auto subsets = [](const char* second, const char* family) {
        return in_robot(std::string("def Mesh \"m\" { int[] faceVertexCounts = [3, 3]\n int[] faceVertexIndices = [0,1,2,"
                                    "0,2,3]\n point3f[] points = [(0,0,0),(1,0,0),(1,1,0),(0,1,0)]\n") +
                            "def GeomSubset \"a\" { uniform token elementType = \"face\"\n uniform token familyName = "
                            "\"materialBind\"\n int[] indices = [0] }\n"
                            "def GeomSubset \"b\" { uniform token elementType = \"face\"\n uniform token familyName = \"" +
                            family + "\"\n int[] indices = " + second + " } }\n",
                        "REP-3.1-f", "overlap");
    };
    CHECK(subsets("[0, 1]", "materialBind") == 1);
    CHECK(subsets("[1]", "materialBind") == 0);
    CHECK(subsets("[0, 1]", "regions") == 0);
}

TEST_CASE("limits in other words, and limits that are radians (REP-1.3-d, -e, GAP-106)")
{
    const auto joint = [](const std::string& type, const std::string& lines, const std::string& head = "") {
        return "<<body a>>\n<<body b>>\ndef " + type + " \"j\" " + head +
               " { rel physics:body0 = </robot/a>\n rel physics:body1 = </robot/b>\n" + lines + "}\n";
    };
    CHECK(in_robot(joint("PhysicsSphericalJoint", ""), "REP-1.3-d", "cone") == 1);
    CHECK(in_robot(joint("PhysicsSphericalJoint", "float physics:coneAngle0Limit = -1\n"), "REP-1.3-d") == 0);
    CHECK(in_robot(joint("PhysicsDistanceJoint", ""), "REP-1.3-d", "distance") == 1);
    const Report free = checked(fixture_stage(
        joint("PhysicsJoint", "", "(prepend apiSchemas = [\"PhysicsLimitAPI:transX\", \"PhysicsLimitAPI:rotZ\"])")));
    REQUIRE_MESSAGE(count(free, "REP-1.3-d", "axes") == 1, listed(free));
    CHECK(find(free, "REP-1.3-d")->severity == Severity::info);
    CHECK(find(free, "REP-1.3-d")->message.find("transY, transZ, rotX, rotY") != std::string::npos);
    const auto limits = [&](const char* lower, const char* upper) {
        return in_robot(joint("PhysicsRevoluteJoint", std::string("float physics:lowerLimit = ") + lower +
                                                          "\nfloat physics:upperLimit = " + upper + "\n"),
                        "REP-1.3-e", "radians");
    };
    CHECK(limits("-3.14159", "3.14159") == 1);
    CHECK(limits("0", "2.0944") == 1);
    CHECK(limits("-1.5708", "1.5708") == 1);
    CHECK(limits("0", "0") == 0);
    CHECK(limits("-90", "90") == 0);
    CHECK(limits("-3", "3") == 0);
    CHECK(limits("-6.5449847", "6.5449847") == 0);  // 25 times 15 degrees is more than a turn
    // Samples are opinions too.
    CHECK(in_robot(joint("PhysicsPrismaticJoint", "float physics:lowerLimit.timeSamples = { 0: 0 }\nfloat "
                                                  "physics:upperLimit.timeSamples = { 0: 1 }\n"),
                   "REP-1.3-d") == 0);
}

TEST_CASE("each loop is said: at a body with two parents, or at the joint that closes it (GAP-085)")
{
    const std::string bodies = "<<body a>>\n<<body b>>\n<<body c>>\n<<body d>>\n<<body e>>\n<<body f>>\n";
    // b has two parents; the circle d, e, f has none such.
    const Report both = checked(fixture_stage(
        bodies + "<<root r a b>>\n<<joint s a c>>\n<<joint t c b>>\n<<joint u a d>>\n<<joint v d e>>\n<<joint w e f>>\n"
                 "<<joint loop f d>>\n"));
    CHECK_MESSAGE(count(both, "REP-1.3-j") == 2, listed(both));  // b, and d behind a and f
    CHECK_MESSAGE(count(both, "REP-1.3-i") == 0, listed(both));
    const Report apart = checked(fixture_stage(
        bodies + "<<root r a b>>\n<<joint s a c>>\n<<joint t c b>>\n<<joint u d a>>\n<<joint v d e>>\n<<joint w e f>>\n"
                 "<<joint loop f d>>\n"));
    CHECK_MESSAGE(count(apart, "REP-1.3-j") == 1, listed(apart));
    CHECK_MESSAGE(count(apart, "REP-1.3-i") == 1, listed(apart));
}

TEST_CASE("frames of links, of contexts and from outside share one table (REP-2.7-h)")
{
    const std::string two_tips = "<<anchor a>>\n<<body a>>\n<<joint j a tip>>\n<<body tip>>\n<<joint k tip arm/tip>>\n"
                                 "def Scope \"arm\" { <<body tip>> }\n";
    CHECK(in_robot(two_tips, "REP-2.7-h") == 1);
    CHECK(in_robot("<<anchor a>>\n<<body a>>\ndef Xform \"f\" (prepend apiSchemas = [\"RosFrameAPI\"]) { string "
                   "ros:frame:id = \"a\" }\n",
                   "REP-2.7-h") == 1);
    CHECK(in_robot("def Xform \"f\" (prepend apiSchemas = [\"RosFrameAPI\"]) { string ros:frame:id = \"world\" }\n",
                   "REP-2.7-h", "parent-frame") == 1);
    // A body that no joint connects is no frame.
    CHECK(in_robot("<<body f>>\ndef Scope \"s\" { def Xform \"f\" (prepend apiSchemas = [\"RosFrameAPI\"]) {} }\n",
                   "REP-2.7-h") == 0);
    const auto fleet = [](const char* head) {
        const auto one = [](const std::string& name) {
            return "def Xform \"" + name +
                   "\" ( prepend apiSchemas = [\"RosContextAPI\"]\n kind = \"component\" ) { string "
                   "ros:context:namespace = \"" +
                   name + "\"\n def Xform \"base\" ( prepend apiSchemas = [\"RosFrameAPI\"] ) {} }\n";
        };
        return count(checked(std::string(kMeta) + "def Xform \"robot\" ( assetInfo = { string identifier = \"u\"\n string "
                                                  "version = \"1\" }\n kind = \"assembly\"\n" +
                             head + ") {\n" + one("r1") + one("r2") + "}\n"),
                     "REP-2.7-h");
    };
    CHECK(fleet("prepend apiSchemas = [\"RosContextAPI\"]\n") == 1);  // one topic of transforms for both
    CHECK(fleet("") == 0);
}

TEST_CASE("pictures are stamped with the optical frame, wherever their topic stands (REP-2.8-c)")
{
    const std::string topic =
        "def Xform \"image\" ( prepend apiSchemas = [\"RosTopicAPI\"] ) { string ros:topic:name = \"image\"\n double "
        "ros:topic:publish_rate = 30\n token ros:topic:role = \"publisher\"\n string ros:topic:type = "
        "\"sensor_msgs/msg/Image\" }\n";
    const std::string frame = "def Xform \"optical\" ( prepend apiSchemas = [\"RosFrameAPI\"] ) { quatf xformOp:orient = "
                              "(0, 1, 0, 0)\n uniform token[] xformOpOrder = [\"xformOp:orient\"] }\n";
    const auto at = [&](const std::string& inside) {
        return checked(fixture_stage("<<anchor a>>\n<<link a>>\n" + inside + "}\n"));
    };
    CHECK(count(at("def Camera \"eye\" { " + frame + "}\n" + topic), "REP-2.8-c") == 1);
    CHECK(count(at("def Camera \"eye\" {}\n" + topic), "REP-2.8-c") == 1);  // beside it, without any frame
    CHECK(count(at("def Xform \"mast\" { def Camera \"eye\" { " + frame + "} }\n" + topic), "REP-2.8-c") == 1);
    const Report apart = at("def Xform \"mast\" { def Camera \"eye\" {} }\n" + topic);
    CHECK(count(apart, "REP-2.8-c") == 0);
    CHECK_MESSAGE(count(apart, "REP-2.8-a", "apart") == 1, listed(apart));
    std::string inside = frame;
    inside.insert(inside.rfind('}'), "\n" + topic);
    CHECK(count(at("def Camera \"eye\" { " + inside + "}\n"), "REP-2.8-c") == 0);
}

TEST_CASE("what a sensor's or controller's property says of transport (REP-4.2.1-b)")
{
    const auto sensor = [](const std::string& line) {
        return in_robot("<<link a>>\n<<topic scan>>\ndef Xform \"lidar\" ( prepend apiSchemas = [\"SensorLidarAPI\"] ) {\n" +
                            line + "\n}\n}\n",
                        "REP-4.2.1-b");
    };
    for (const char* line :
         {"string sensor:topic_name = \"scan\"", "string sensor:lidar:topicName = \"scan\"",
          "string sensor:camera:imageTopic = \"scan\"", "token sensor:qos:reliability = \"reliable\"",
          "int sensor:lidar:qosDepth = 5", "string sensor:frame_id = \"lidar\"", "string sensor:frame = \"lidar\"",
          "string control:action_name = \"follow\"", "rel sensor:transport = </robot/a>",
          "rel sensor:lidar:publisher = </robot/nope>", "rel sensor:lidar:topic = </robot/a>"})
        CHECK_MESSAGE(sensor(line) == 1, line);
    for (const char* line : {"float sensor:frame_rate = 30", "int sensor:lidar:channels = 3",
                             "float control:actionScale = 0.5", "rel sensor:transport = </robot/a/scan>",
                             "rel sensor:lidar:output = </robot/a/scan>", "rel sensor:lidar:pattern = </robot/a>"})
        CHECK_MESSAGE(sensor(line) == 0, line);
}

TEST_CASE("what a relationship leads to and no variant has is said by the rule of who needs it (REP-1.2.4-c)")
{
    const std::string bodies = "<<body a>>\n<<body b>>\n<<joint lead a b>>\n";
    const Report      mimic  = checked(fixture_stage(
        bodies + "<<body c>>\ndef PhysicsRevoluteJoint \"j\" (prepend apiSchemas = [\"ExtendedPhysicsMimicAPI\"]) { rel "
                       "physics:body0 = </robot/b>\n rel physics:body1 = </robot/c>\n rel ext_physics:mimic:joint = "
                       "</robot/nope> }\n"));
    CHECK_MESSAGE(count(mimic, "REP-4.2.2-c") == 1, listed(mimic));
    CHECK(count(mimic, "REP-1.2.4-c") == 0);
    const Report control = checked(fixture_stage(
        bodies + "def Xform \"c\" { custom rel control:targets = </robot/nope> }\n"));
    CHECK_MESSAGE(count(control, "REP-4.2.3-a") == 1, listed(control));
    CHECK(count(control, "REP-1.2.4-c") == 0);
    // A look that exists nowhere is nobody else's.
    CHECK(in_robot("def Cube \"c\" (prepend apiSchemas = [\"MaterialBindingAPI\"]) { rel material:binding = "
                   "</robot/nope>\n token purpose = \"guide\" }\n",
                   "REP-1.2.4-c") == 1);
    const auto variants = [](const std::string& inside, const std::string& outside = "") {
        return checked(fixture_stage(outside + "<<variants g look plain>>\n\"plain\" { }\n\"rich\" {\n" + inside +
                                     "}\n}\n}\n"));
    };
    const Report contact = variants("def Material \"m\" (prepend apiSchemas = [\"PhysicsMaterialAPI\"]) {}\n",
                                    "<<collider c g/m>>\n");
    CHECK_MESSAGE(count(contact, "REP-1.2.4-c") == 1, listed(contact));
    CHECK(count(contact, "REP-1.3.4-a") == 0);
    const Report unseen = variants("def Sphere \"s\" {}\n");
    REQUIRE_MESSAGE(count(unseen, "REP-1.2.4-c") == 1, listed(unseen));
    CHECK(find(unseen, "REP-1.2.4-c")->severity == Severity::warning);
    CHECK(count(variants("def Sphere \"s\" {}\n", "def Cube \"always\" {}\n"), "REP-1.2.4-c") == 0);
    const Report bare = checked(fixture_stage(
        "<<link a>>\n<<variants g shape plain>>\n\"plain\" { }\n\"rich\" { def Cube \"c\" (prepend apiSchemas = "
        "[\"PhysicsCollisionAPI\"]) { token purpose = \"guide\" } }\n}\n}\n}\n"));
    CHECK_MESSAGE(count(bare, "REP-1.2.4-c") == 1, listed(bare));
}

TEST_CASE("a body that is a frame and nothing more is known by evidence (REP-1.3-q, GAP-106)")
{
    const auto with = [](const std::string& name, const std::string& apis, const std::string& lines, const char* joint) {
        return checked(fixture_stage("<<anchor a>>\n<<body a>>\n<<placed " + name + " PhysicsRigidBodyAPI " + apis + ">>\n" +
                                     lines + "}\n" + joint));
    };
    const char* fixed = "def PhysicsFixedJoint \"j\" { rel physics:body0 = </robot/a>\n rel physics:body1 = </robot/x_frame> }\n";
    const char* plain = "def PhysicsFixedJoint \"j\" { rel physics:body0 = </robot/a>\n rel physics:body1 = </robot/x> }\n";
    const Report token = with("x_frame", "PhysicsMassAPI", "float physics:mass = 0.0001\n", fixed);
    REQUIRE_MESSAGE(count(token, "REP-1.3-q") == 1, listed(token));
    CHECK(find(token, "REP-1.3-q")->severity == Severity::error);
    const Report framed = with("x", "RosFrameAPI", "", plain);
    CHECK_MESSAGE(count(framed, "REP-1.3-q") == 1, listed(framed));
    for (const char* silent : {"REP-2.7-i", "REP-1.3-l", "REP-1.3-m"}) CHECK_MESSAGE(count(framed, silent) == 0, silent);
    const Report unsaid = with("x", "PhysicsMassAPI", "float physics:mass = 0.001\n", plain);
    REQUIRE_MESSAGE(count(unsaid, "REP-1.3-q") == 1, listed(unsaid));
    CHECK(find(unsaid, "REP-1.3-q")->severity == Severity::warning);
    CHECK(count(with("x_frame", "PhysicsMassAPI", "float physics:mass = 0.5\n", fixed), "REP-1.3-q") == 0);
    CHECK(count(with("x", "RosFrameAPI", "def Cube \"c\" { token purpose = \"guide\" }\n", plain), "REP-1.3-q") == 0);
}

TEST_CASE("joint names without a context are compared where one was chosen (REP-2.10-b, GAP-106)")
{
    const auto with = [](const std::string& first, const std::string& second) {
        return count(checked(root("<<body a>>\n<<body b>>\n<<body c>>\ndef PhysicsFixedJoint \"j1\" { rel physics:body0 = "
                                  "</robot/a>\n rel physics:body1 = </robot/b>\n" +
                                  first +
                                  " }\ndef Scope \"s\" { def PhysicsFixedJoint \"j1\" { rel physics:body0 = </robot/b>\n rel "
                                  "physics:body1 = </robot/c>\n" +
                                  second + " } }\n")),
                     "REP-2.10-b");
    };
    CHECK(with("", "") == 0);
    CHECK(with("custom string ros:joint:name = \"j1\"\n", "") == 1);
    CHECK(with("custom string ros:joint:name = \"e\"\n", "custom string ros:joint:name = \"e\"\n") == 1);
    CHECK(with("custom string ros:joint:name = \"e\"\n", "custom string ros:joint:name = \"f\"\n") == 0);
}

TEST_CASE("a sensor of a robot stands below one of its links (REP-2.2-b)")
{
    CHECK(in_robot("<<body a>>\n<<topic scan>>\n", "REP-2.2-b", "no-link") == 1);
    CHECK(in_robot("<<link a>>\n<<topic scan>>\n}\n", "REP-2.2-b") == 0);
    CHECK(in_robot("<<topic scan>>\n", "REP-2.2-b") == 0);
}

TEST_CASE("a value that was taken back is no value (REP-2-b)")
{
    CHECK(in_robot("def Xform \"t\" { string ros:topic:name = None }\n", "REP-2-b") == 0);
    CHECK(in_robot("def Xform \"t\" { string ros:topic:name = \"n\" }\n", "REP-2-b", "unapplied") == 1);
}

TEST_CASE("a texture is the same one when the material's interface or a sample names it (REP-3.1-d, REP-3.2-a, -c)")
{
    const auto look = [](const std::string& interface, const std::string& file) {
        return checked(fixture_stage(
            "def Material \"look\" {\n" + interface +
            "token outputs:surface.connect = </robot/look/s.outputs:surface>\n"
            "def Shader \"s\" { uniform token info:id = \"UsdPreviewSurface\"\n float inputs:roughness.connect = "
            "</robot/look/t.outputs:r>\n token outputs:surface }\n"
            "def Shader \"t\" { uniform token info:id = \"UsdUVTexture\"\n" +
            file +
            " float outputs:r }\n}\ndef Cube \"box\" (prepend apiSchemas = [\"MaterialBindingAPI\"]) { rel material:binding = "
            "</robot/look> }\n"));
    };
    const std::string connected = "asset inputs:file.connect = </robot/look.inputs:tex>\n";
    CHECK(count(look("asset inputs:tex = @./a.<UDIM>.png@\n", connected), "REP-3.1-d") == 1);
    CHECK(count(look("asset inputs:tex = @./a.tga@\n", connected), "REP-3.2-a") == 1);
    CHECK(count(look("asset inputs:tex = @./a.jpg@\n", connected), "REP-3.2-c") == 1);
    CHECK(count(look("", "asset inputs:file.timeSamples = { 0: @./a.jpg@ }\n"), "REP-3.2-c") == 1);
    CHECK(count(look("asset inputs:tex = @./a.png@\n", connected), "REP-3.2-c") == 0);
}
