#include "conformance/checking.h"

using namespace mechane;
using namespace mechane::conformance;

namespace {

std::string link_prim(const std::string& name, const std::string& more)
{
    return "def Xform \"" + name +
           "\" ( kind = \"subcomponent\"\n prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"] ) { "
           "float "
           "physics:mass = 1\n double3 xformOp:translate = (0, 0, 0)\n quatf xformOp:orient = (1, 0, 0, 0)\n uniform "
           "token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n" +
           more + "}\n";
}

std::string joint(const std::string& name, const std::string& from, const std::string& to)
{
    return "def PhysicsRevoluteJoint \"" + name +
           "\" ( prepend apiSchemas = [\"PhysicsArticulationRootAPI\"] ) { rel physics:body0 = " + from +
           "\n rel physics:body1 = " + to + "\n float physics:lowerLimit = -90\n float physics:upperLimit = 90 }\n";
}

}  // namespace

TEST_CASE("a prop stands on its origin; a robot need not (REP-T-027)")
{
    const std::string crate = "def Cube \"crate\" { double size = 1 }\n";
    std::string       prop  = entry("");
    prop.replace(prop.rfind("{\n}"), 3, "{ " + crate + "}");
    CHECK(count(checked(prop), "REP-1.1-m") == 1);
    // The clean asset of the fixtures has a context: a robot.
    CHECK(count(checked(fixture_stage(crate)), "REP-1.1-m") == 0);
}

TEST_CASE("a layer of looks, physics and interfaces is one finding that names all three (REP-T-028)")
{
    // A second layer: an asset of one layer is judged by REP-1.2.1-i alone.
    const Report report = checked_files(
        {{"robot.usda", entry("prepend references = @./parts.usda@")},
         {"parts.usda",
          layer("def Xform \"robot\" ( prepend apiSchemas = [\"RosContextAPI\"] ) {\n string ros:context:namespace = "
                "\"r\"\n def Mesh \"m\" { point3f[] points = [(0, 0, 0)] }\n" +
                link_prim("a", "") +
                "def Xform \"scan\" ( prepend apiSchemas = [\"RosTopicAPI\"] ) { string ros:topic:name = \"scan\" "
                "}\n}\n")}});
    CHECK_MESSAGE(count(report, "REP-1.2.1-a") == 1, listed(report));
    const Finding* found = find(report, "REP-1.2.1-a");
    REQUIRE(found != nullptr);
    CHECK(found->observed == "3 groups");
    for (const char* role : {"geometry", "physics", "ros"})
        CHECK_MESSAGE(found->message.find(role) != std::string::npos, found->message);
}

TEST_CASE("a link inherits from a class of the asset, not from one outside of it (REP-T-041)")
{
    const auto with = [&](const std::string& where) {
        return checked_files(
            {{"r/robot.usda", entry(std::string("prepend references = [@./base.usda@, @") + where + "@]")},
             {"r/base.usda", layer("def Xform \"robot\" { def Xform \"a\" ( inherits = </robot/_link>\n kind = "
                                   "\"subcomponent\" ) {} }\n")},
             {where[1] == '.' ? "lib/classes.usda" : "r/classes.usda",
              layer("over \"robot\" { class Xform \"_link\" ( prepend apiSchemas = [\"PhysicsRigidBodyAPI\", "
                    "\"PhysicsMassAPI\"] ) { float physics:mass = 1 } }\n")}});
    };
    const Report outside = with("../lib/classes.usda");
    CHECK_MESSAGE(count(outside, "REP-1.2.3-a") == 1, listed(outside));
    const Report inside = with("./classes.usda");
    CHECK_MESSAGE(count(inside, "REP-1.2.3-a") == 0, listed(inside));
}

TEST_CASE("a joint whose link is in another variant is an error in the default one (REP-T-050)")
{
    const Report report = checked(fixture_stage("<<body a>>\n" + joint("j", "</robot/a>", "</robot/g/finger>") +
                                                "def Xform \"g\" ( prepend variantSets = \"gripper\"\n variants = { "
                                                "string gripper = \"none\" } ) {\n variantSet "
                                                "\"gripper\" = {\n \"none\" {\n }\n \"two\" {\n" +
                                                link_prim("finger", "") + " }\n }\n}\n"));
    REQUIRE_MESSAGE(find(report, "REP-1.2.4-c") != nullptr, listed(report));
    CHECK(find(report, "REP-1.2.4-c")->severity == Severity::error);
    CHECK(find(report, "REP-1.2.4-c")->site.prim == "/robot/j");
}

TEST_CASE("sixteen references to one robot on a grid are clones, two are not (REP-T-066)")
{
    const auto hall = [&](int n) {
        std::string robots;
        for (int i = 0; i < n; ++i)
            robots += "def Xform \"r" + std::to_string(i) +
                      "\" ( prepend references = @./arm.usda@ ) {\n double3 xformOp:translate = (" +
                      std::to_string(i % 4) + ", " + std::to_string(i / 4) +
                      ", 0)\n uniform token[] xformOpOrder = [\"xformOp:translate\"] }\n";
        std::string scene = entry("");
        scene.replace(scene.rfind("{\n}"), 3, "{ " + robots + "}");
        return checked_files({{"robot.usda", scene},
                              {"arm.usda", layer("def Xform \"robot\" {" + link_prim("a", "") + link_prim("b", "") +
                                                 joint("j", "</robot/a>", "</robot/b>") + "}\n")}});
    };
    const Report many = hall(16);
    REQUIRE_MESSAGE(count(many, "REP-1.2.6-c") == 1, listed(many));
    CHECK(find(many, "REP-1.2.6-c")->severity == Severity::warning);
    CHECK(find(many, "REP-1.2.6-c")->message.find("grid") != std::string::npos);
    CHECK(count(hall(2), "REP-1.2.6-c") == 0);
}

TEST_CASE("the default fidelity may be a hull, not a concave mesh (REP-T-087)")
{
    // A tetrahedron with a dent: its fifth point lies inside the hull of the others.
    const auto with = [](const char* approximation) {
        return checked(fixture_stage(link_prim(
            "b",
            std::string("def Xform \"shape\" ( prepend variantSets = \"collision_fidelity\"\n variants = { string "
                        "collision_fidelity = \"given\" } ) {\n variantSet \"collision_fidelity\" = {\n \"given\" "
                        "{\n def Mesh \"m\" ( prepend apiSchemas = [\"PhysicsCollisionAPI\", "
                        "\"PhysicsMeshCollisionAPI\"] ) { int[] faceVertexCounts = [3, 3, 3, 3, 3, 3]\n int[] "
                        "faceVertexIndices = [0, 4, 1, 1, 4, 2, 2, 4, 0, 0, 1, 3, 1, 2, 3, 2, 0, 3]\n point3f[] "
                        "points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.3, 0.3, 1), (0.3, 0.3, 0.5)]\n uniform token "
                        "physics:approximation = \"") +
                approximation + "\" }\n }\n }\n }\n")));
    };
    CHECK(count(with("none"), "REP-1.3.1-d") == 1);
    CHECK(count(with("convexHull"), "REP-1.3.1-d") == 0);
}

TEST_CASE("a vendor's layer that changes a neutral value is an error, one that adds its own is none (REP-T-095)")
{
    const auto with = [](const char* lines) {
        std::string scene = layer(
            "def Xform \"robot\" (\n assetInfo = { string identifier = \"u\"\n string version = "
            "\"1\" }\n kind = \"component\"\n) {}\n");
        scene.insert(scene.find("upAxis"), "subLayers = [@./isaac.usda@, @./physics.usda@]\n    ");
        return checked_files(
            {{"robot.usda", scene},
             {"physics.usda",
              layer("over \"robot\" { def PhysicsScene \"s\" { float physics:gravityMagnitude = 9.81 } }\n")},
             {"isaac.usda",
              layer(std::string("over \"robot\" { over \"s\" { custom bool isaac:fast = 1\n") + lines + "} }\n")}});
    };
    const Report changed = with("float physics:gravityMagnitude = 1.62\n");
    REQUIRE_MESSAGE(count(changed, "REP-1.4-c") == 1, listed(changed));
    CHECK(find(changed, "REP-1.4-c")->severity == Severity::error);
    CHECK(find(changed, "REP-1.4-c")->site.property == "physics:gravityMagnitude");
    // It stands over the physics by the neutral entry all the same, which is a warning.
    const Report own = with("");
    REQUIRE_MESSAGE(count(own, "REP-1.4-c") == 1, listed(own));
    CHECK(find(own, "REP-1.4-c")->variant == "composed");
    CHECK(find(own, "REP-1.4-c")->severity == Severity::warning);
}

TEST_CASE("two copies of a camera in one robot need namespaces of their own (REP-T-100)")
{
    const auto eyes = [](const char* right) {
        return checked_files(
            {{"robot.usda",
              fixture_stage(std::string("def Xform \"left\" ( prepend references = @./eye.usda@ ) {}\ndef "
                                        "Xform \"right\" ( prepend references = @./eye.usda@ ) { ") +
                            right + " }\n")},
             {"eye.usda", layer("def Xform \"robot\" ( prepend apiSchemas = [\"RosContextAPI\"] ) { string "
                                "ros:context:namespace = \"eye\"\n <<topic image>> }\n")}});
    };
    const Report same = eyes("");
    CHECK_MESSAGE(count(same, "REP-2.1.1-f") == 1, listed(same));
    CHECK_MESSAGE(count(same, "REP-2.1.1-j") == 0, listed(same));  // one fault, one id
    CHECK(count(eyes("string ros:context:namespace = \"right_eye\""), "REP-2.1.1-f") == 0);
}

TEST_CASE("a robot inside a payload of the entry is a warning, and an error on demand (REP-T-043)")
{
    const test::TemporaryFolder folder;
    const std::string           path = folder.write("robot.usda", entry("prepend payload = @./physics.usda@"));
    folder.write("physics.usda", layer("def Xform \"robot\" {" + link_prim("a", "") + "}\n"));
    const auto stage = usd::Stage::open(path);
    REQUIRE(stage);
    for (const bool strict : {false, true}) {
        const auto report = check(**stage, {.strict_payloads = strict});
        REQUIRE(report);
        const Finding* found = find(*report, "REP-1.2.3-c");
        REQUIRE_MESSAGE(found != nullptr, listed(*report));
        CHECK(found->severity == (strict ? Severity::error : Severity::warning));
    }
}

TEST_CASE("files that only expressions, templates and tiles name have to exist, too (REP-1.2.5-k)")
{
    const auto missing = [](const std::string& metadata, const std::string& arcs, const std::string& content) {
        return count(checked_files({{"robot.usda", "#usda 1.0\n(\n    defaultPrim = \"robot\"\n    " + metadata +
                                                       "\n)\ndef Xform \"robot\" (\n    " + arcs + "\n)\n{\n" +
                                                       content + "\n}\n"}}),
                     "REP-1.2.5-k");
    };
    CHECK(missing("expressionVariables = { string W = \"arm\" }", "references = @`\"./${W}.usda\"`@", "") == 1);
    CHECK(missing("", "references = @`\"./${NOBODY}.usda\"`@", "") == 1);
    CHECK(missing("", "", "def Shader \"s\" { asset inputs:file = @./u.<UDIM>.png@ }") == 1);
    CHECK(missing("",
                  "clips = {\n dictionary default = {\n string templateAssetPath = \"./k.##.usda\"\n"
                  "string primPath = \"/robot\"\n double templateStartTime = 1\n double templateEndTime = 2\n"
                  "double templateStride = 1\n}\n}",
                  "") == 1);
    // What a list takes out needs no file.
    CHECK(missing("", "delete references = @./none.usda@", "") == 0);
}

TEST_CASE("a layer that is there and cannot be read is an error (REP-1.2.5-k)")
{
    CHECK(count(checked_files({{"robot.usda", entry("references = @./part.usda@")},
                               {"part.usda", "#usda 1.0\ndef Xform \"part\" {{{\n"}}),
                "REP-1.2.5-k") == 1);
}
