#include "conformance/checking.h"

using namespace mechane;
using namespace mechane::conformance;

namespace {

/// Ids of all findings, each once, in the order of the report.
std::string ids(const Report& report)
{
    std::string text;
    for (const Finding& f : report.findings)
        if (const std::string id(f.rule->id); text.find(id + " ") == std::string::npos) text += id + " ";
    return text;
}

std::string body(const std::string& name, const std::string& lines, const std::string& ops)
{
    return "def Xform \"" + name +
           "\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]\n    kind = "
           "\"subcomponent\"\n)\n{\n    float physics:mass = 1\n" +
           lines + "    uniform token[] xformOpOrder = [" + ops + "]\n}\n";
}

}  // namespace

TEST_CASE("an asset of one layer is judged by the rule of its entry alone (GAP-080)")
{
    const Report report = checked_files(
        {{"robot.usda",
          fixture_stage("def Mesh \"m\" { point3f[] points = [(0, 0, 0)] }\n<<body a>>\n<<topic scan>>\n")}});
    CHECK(count(report, "REP-1.2.1-i") == 1);
    for (const char* id : {"REP-1.2.1-a", "REP-1.2.1-g", "REP-1.2.1-h"}) CHECK_MESSAGE(count(report, id) == 0, id);
}

TEST_CASE("a prim that is there to carry a feature adds no geometry to its layer (GAP-081)")
{
    const std::string base = layer("def Xform \"robot\" { def Xform \"a\" ( kind = \"subcomponent\" ) {} }\n");
    // The Xforms of the topic and of what stands above it are no geometry.
    const Report report =
        checked_files({{"robot.usda", entry("prepend references = [@./ros.usda@, @./base.usda@]")},
                       {"base.usda", base},
                       {"ros.usda", layer("def Xform \"robot\" ( prepend apiSchemas = [\"RosContextAPI\"] ) { string "
                                          "ros:context:namespace = \"r\"\n def Scope \"io\" { <<topic scan>> } }\n")}});
    CHECK_MESSAGE(count(report, "REP-1.2.1-a") == 0, listed(report));
    CHECK_MESSAGE(count(report, "REP-1.2.1-h") == 0, listed(report));
}

TEST_CASE("an over may be the default prim of a layer that arcs bring in (GAP-082)")
{
    const auto with = [](const char* specifier) {
        return checked_files({{"robot.usda", entry("prepend references = [@./physics.usda@, @./base.usda@]")},
                              {"base.usda", layer("def Xform \"robot\" {}\n")},
                              {"physics.usda", layer(std::string(specifier) + " \"robot\" {}\n")}});
    };
    CHECK_MESSAGE(count(with("over"), "REP-1.2.5-b") == 0, listed(with("over")));
}

TEST_CASE("one fault has one id (GAP-085)")
{
    // Euler angles, a matrix or a scale on a body are not also a wrong stack.
    CHECK(ids(checked(body("a", "    float xformOp:rotateX = 0\n", "\"xformOp:rotateX\""))) == "REP-1.1-i ");
    CHECK(ids(checked(body("a",
                           "    matrix4d xformOp:transform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, "
                           "1))\n",
                           "\"xformOp:transform\""))) == "REP-1.1-h ");
    CHECK(ids(checked(body("a", "    float3 xformOp:scale = (2, 2, 2)\n", "\"xformOp:scale\""))) == "REP-1.1-j ");
    const auto joint = [](const std::string& name, const std::string& from, const std::string& to) {
        return "def PhysicsRevoluteJoint \"" + name + "\" { rel physics:body0 = </robot/" + from +
               ">\n rel physics:body1 = </robot/" + to +
               ">\n float physics:lowerLimit = -90\n float physics:upperLimit = 90 }\n";
    };
    // c is the child of two: that is said, the loop that it makes is not.
    const Report two = checked("<<body a>>\n<<body b>>\n<<body c>>\n" + joint("ab", "a", "b") + joint("ac", "a", "c") +
                               joint("bc", "b", "c"));
    CHECK(count(two, "REP-1.3-j") == 1);
    CHECK(count(two, "REP-1.3-i") == 0);
    // An absolute path is not also missing or outside.
    const Report absolute = checked("def Xform \"a\" ( references = @/nowhere/x.usda@ ) {}\n");
    CHECK(count(absolute, "REP-1.2.5-f") == 1);
    CHECK(count(absolute, "REP-1.2.5-h") + count(absolute, "REP-1.2.5-i") + count(absolute, "REP-1.2.5-k") == 0);
}

TEST_CASE("kinematic bodies need no mass, switched-off colliders are none, visuals may be mirrored (GAP-087)")
{
    const auto one = [](const std::string& apis, const std::string& lines) {
        return checked("def Xform \"a\" (\n    prepend apiSchemas = [" + apis +
                       "]\n    kind = \"subcomponent\"\n)\n{\n    quatf xformOp:orient = (1, 0, 0, 0)\n    double3 "
                       "xformOp:translate = (0, 0, 0)\n    uniform token[] xformOpOrder = [\"xformOp:translate\", "
                       "\"xformOp:orient\"]\n" +
                       lines + "}\n");
    };
    CHECK(count(one("\"PhysicsRigidBodyAPI\"", ""), "REP-1.3-m") == 1);
    CHECK(count(one("\"PhysicsRigidBodyAPI\"", "    bool physics:kinematicEnabled = 1\n"), "REP-1.3-m") == 0);
    const auto collider = [](const char* lines) {
        return checked(std::string("def Cube \"c\" (\n    prepend apiSchemas = [\"PhysicsCollisionAPI\"]\n)\n{\n") +
                       lines + "}\n");
    };
    CHECK(count(collider(""), "REP-1.3.4-a") == 1);
    CHECK(count(collider(""), "REP-1.3.1-a") == 1);
    CHECK(ids(collider("    bool physics:collisionEnabled = 0\n")).empty());
    CHECK(count(checked("def Cube \"look\" { float3 xformOp:scale = (-1, 1, 1)\n uniform token[] xformOpOrder = "
                        "[\"xformOp:scale\"] }\n"),
                "REP-1.1-f") == 0);
}
