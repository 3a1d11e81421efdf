// Repairs with one right answer are made by default; where two are plausible, the finding stays with its reason.
#include "conformance/checking.h"
#include "conformance/fixing.h"
#include "mechane/usd/stage_layers.h"

using namespace mechane;
using namespace mechane::conformance;

namespace {

std::string topic(const std::string& role, const std::string& more = "")
{
    return "<<link a>>\ndef Xform \"t\" (\n    prepend apiSchemas = [\"RosTopicAPI\"]\n)\n{\n    string ros:topic:name "
           "= "
           "\"scan\"\n    double ros:topic:publish_rate = 10\n    token ros:topic:role = \"" +
           role + "\"\n    string ros:topic:type = \"sensor_msgs/msg/LaserScan\"\n" + more + "}\n}\n";
}

std::string frame(const std::string& type, const std::string& lines)
{
    return "<<link a>>\ndef " + type + " \"tip\" (\n    prepend apiSchemas = [\"RosFrameAPI\"]\n)\n{\n" + lines +
           "}\n}\n";
}

/// What the repaired stage says at a path of the robot; nothing where the repair left the finding.
std::string text_at(const Fixed& fixed, const char* path)
{
    const usd::Path p(path);
    return fixed.after->prim_at(p.prim()).attribute(p.name()).get<std::string>().value_or("");
}

std::string mesh(const std::string& points, const std::string& faces, const std::string& more = "", int count = 4)
{
    std::string counts = "3";
    for (int i = 1; i < count; ++i) counts += ", 3";
    return "def Mesh \"m\"\n{\n    int[] faceVertexCounts = [" + counts + "]\n    int[] faceVertexIndices = [" + faces +
           "]\n    point3f[] points = [" + points + "]\n    uniform token subdivisionScheme = \"none\"\n" + more +
           "}\n";
}

constexpr const char* kTetrahedron = "(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)";
constexpr const char* kOutwards    = "0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3";

std::vector<int> faces_of(const Fixed& fixed) { return fixed.value<std::vector<int>>("/robot/m.faceVertexIndices"); }

}  // namespace

TEST_CASE("a role that is spelled another way is corrected; one that means nothing known stays (REP-2.4-a)")
{
    for (const auto& [word, role] : {std::pair<const char*, const char*>{"pub", "publisher"},
                                     {"Publisher", "publisher"},
                                     {"SUBSCRIBER", "subscription"},
                                     {"sub", "subscription"}}) {
        const Fixed fixed(topic(word));
        CHECK_MESSAGE(text_at(fixed, "/robot/a/t.ros:topic:role") == role, word);
        CHECK_FALSE(fixed.found("REP-2.4-a"));
        CHECK(fixed.again({}).edits.empty());
    }
    const Fixed other(topic("relay"));
    CHECK(other.left("REP-2.4-a", "word") != nullptr);
    CHECK(text_at(other, "/robot/a/t.ros:topic:role") == "relay");
}

TEST_CASE("a quality of service that is spelled another way is corrected (REP-2.4-f)")
{
    for (const char* word :
         {"BEST", "BestEffort", "BEST_EFFORT", "best-effort", "RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT"}) {
        const Fixed fixed(topic("publisher", std::string("    token ros:topic:qos:reliability = \"") + word + "\"\n"));
        CHECK_MESSAGE(text_at(fixed, "/robot/a/t.ros:topic:qos:reliability") == "best_effort", word);
        CHECK_FALSE(fixed.found("REP-2.4-f"));
    }
    const Fixed other(topic("publisher", "    token ros:topic:qos:reliability = \"FASTEST\"\n"));
    CHECK(other.left("REP-2.4-f", "word") != nullptr);
}

TEST_CASE("the rate of a subscription goes, that of a publisher is the author's to say (REP-2.4-d)")
{
    const Fixed fixed(topic("subscription"));
    CHECK_FALSE(fixed.found("REP-2.4-d"));
    CHECK_FALSE(fixed.after->prim_at(usd::Path("/robot/a/t")).attribute("ros:topic:publish_rate").authored());
}

TEST_CASE("slashes around the id of a frame go, and an empty id (REP-2.7-f)")
{
    for (const auto& [id, now] :
         {std::pair<const char*, const char*>{"/cam", "cam"}, {"cam/", "cam"}, {" cam ", "cam"}, {"/a/cam", "a/cam"}, {"a//cam", "a/cam"}}) {
        const Fixed fixed(frame("Xform", std::string("    string ros:frame:id = \"") + id + "\"\n"));
        CHECK_MESSAGE(text_at(fixed, "/robot/a/tip.ros:frame:id") == now, id);
        CHECK_FALSE(fixed.found("REP-2.7-f"));
    }
    const Fixed empty(frame("Xform", "    string ros:frame:id = \"\"\n"));
    CHECK_FALSE(empty.after->prim_at(usd::Path("/robot/a/tip")).attribute("ros:frame:id").authored());
    CHECK_FALSE(empty.found("REP-2.7-f"));
    const Fixed other(frame("Xform", "    string ros:frame:id = \"a b\"\n"));
    CHECK(other.left("REP-2.7-f", "frame-id") != nullptr);
}

TEST_CASE("a frame on a scope stands on an Xform afterwards, one on a mesh stays (REP-2.7-e)")
{
    const Fixed fixed(frame("Scope", ""));
    CHECK(fixed.after->prim_at(usd::Path("/robot/a/tip")).type_name() == usd::Token("Xform"));
    CHECK_FALSE(fixed.found("REP-2.7-e"));
    CHECK(Fixed(frame("Mesh", "")).left("REP-2.7-e", "frame-place") != nullptr);
}

TEST_CASE(
    "RosFrameAPI leaves a link that its joints make a frame of; a loose link would be none without (REP-2.7-i, "
    "GAP-088)")
{
    const std::string link =
        "def Xform \"a\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\", "
        "\"RosFrameAPI\"]\n    kind = \"subcomponent\"\n)\n{\n    float physics:mass = 1\n    quatf "
        "xformOp:orient = (1, 0, 0, 0)\n    double3 xformOp:translate = (0, 0, 0)\n    uniform token[] "
        "xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n}\n";
    const Fixed tied("<<anchor a>>\n" + link);
    CHECK_FALSE(tied.after->prim_at(usd::Path("/robot/a")).has_api("RosFrameAPI"));
    CHECK_FALSE(tied.found("REP-2.7-i"));
    const Fixed loose("<<anchor b>>\n<<body b>>\n" + link);
    CHECK_FALSE(loose.found("REP-2.7-i"));
    CHECK(loose.after->prim_at(usd::Path("/robot/a")).has_api("RosFrameAPI"));
}

TEST_CASE("the name of a joint loses blanks around it, a token becomes a string, an empty one goes (REP-2.10-a)")
{
    const auto joint = [](const std::string& line) {
        return Fixed(
            "<<body a>>\ndef PhysicsFixedJoint \"base\" (\n    prepend apiSchemas = "
            "[\"PhysicsArticulationRootAPI\"]\n)\n{\n    rel physics:body1 = </robot/a>\n    custom " +
            line + "\n}\n");
    };
    const Fixed blank = joint("string ros:joint:name = \" base \"");
    CHECK(text_at(blank, "/robot/base.ros:joint:name") == "base");
    CHECK_FALSE(blank.found("REP-2.10-a"));
    const Fixed token = joint("token ros:joint:name = \"base\"");
    CHECK(token.after->prim_at(usd::Path("/robot/base")).attribute("ros:joint:name").type_name() == "string");
    CHECK_FALSE(token.found("REP-2.10-a"));
    CHECK_FALSE(joint("string ros:joint:name = \"\"").found("REP-2.10-a"));
    CHECK(joint("string ros:joint:name = \"a b\"").left("REP-2.10-a", "joint-name") != nullptr);
    CHECK(joint("int ros:joint:name = 3").left("REP-2.10-a", "lossy-cast") != nullptr);
}

TEST_CASE("the only instance of a ROS schema becomes the schema; of two nobody knows which (REP-2-b)")
{
    const auto with = [](const std::string& apis, const std::string& infix) {
        const std::string p = "ros:topic:" + infix;
        return Fixed("<<link a>>\ndef Xform \"t\" (\n    prepend apiSchemas = [" + apis + "]\n)\n{\n    string " + p +
                     "name = \"scan\"\n    double " + p + "publish_rate = 10\n    token " + p +
                     "role = \"publisher\"\n    string " + p + "type = \"sensor_msgs/msg/LaserScan\"\n}\n}\n");
    };
    for (const char* infix : {"", "front:"}) {
        const Fixed fixed = with("\"RosTopicAPI:front\"", infix);
        CHECK_MESSAGE(!fixed.found("REP-2-b"), infix << to_json(fixed.result));
        CHECK(fixed.after->prim_at(usd::Path("/robot/a/t")).has_api("RosTopicAPI"));
        CHECK(text_at(fixed, "/robot/a/t.ros:topic:name") == "scan");
    }
    CHECK(with("\"RosTopicAPI:front\", \"RosTopicAPI:rear\"", "").left("REP-2-b", "several") != nullptr);
}

TEST_CASE("a kind in another case is corrected, another word stays (REP-1.2.2-e)")
{
    const auto part = [](const char* kind) {
        return Fixed(std::string("def Xform \"part\" (\n    kind = \"") + kind + "\"\n)\n{\n}\n");
    };
    CHECK_FALSE(part("Sub-Component").found("REP-1.2.2-e"));
    CHECK(part("gadget").left("REP-1.2.2-e", "kind") != nullptr);
}

TEST_CASE("a selection in another case selects the variant that is there (REP-1.2.4-b)")
{
    const Fixed fixed(
        "def Xform \"g\" (\n    prepend variantSets = \"tool\"\n    variants = {\n        string tool = "
        "\"Two-Finger\"\n    }\n)\n"
        "{\n    variantSet \"tool\" = {\n        \"none\" {\n        }\n        \"two_finger\" {\n        }\n    "
        "}\n}\n");
    CHECK_FALSE(fixed.found("REP-1.2.4-b"));
    CHECK(usd::variant_sets(fixed.after->prim_at(usd::Path("/robot/g"))).front().selection == "two_finger");
}

TEST_CASE("the faces of a closed mesh are turned outwards, with what is said of their corners (REP-3.4-c, -d)")
{
    // The first corner of each face stays, so that the faces are known afterwards.
    const std::vector<int> outwards{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    CHECK(faces_of(Fixed(mesh(kTetrahedron, "0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2"))) == outwards);
    CHECK(faces_of(Fixed(mesh(kTetrahedron, "0, 1, 2, 0, 1, 3, 0, 3, 2, 1, 3, 2"))) == outwards);
    const Fixed twice(mesh(kTetrahedron, "0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2", "    uniform bool doubleSided = 1\n"));
    CHECK(faces_of(twice) == outwards);
    CHECK_FALSE(twice.found("REP-3.4-c"));
    CHECK(twice.again({}).edits.empty());
    const Fixed corners(
        mesh(kTetrahedron, "0, 1, 2, 0, 1, 3, 0, 3, 2, 1, 2, 3",
             "    float[] primvars:w = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] (\n        interpolation = "
             "\"faceVarying\"\n    )\n"));
    CHECK_FALSE(corners.found("REP-3.4-d"));
    CHECK(corners.value<std::vector<int>>("/robot/m.primvars:w:indices") ==
          std::vector<int>{0, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    // Of an open mesh, and of one inside another, nobody knows.
    CHECK(Fixed(mesh(kTetrahedron, "0, 1, 2, 0, 1, 3, 0, 3, 2", "", 3)).left("REP-3.4-d", "open") != nullptr);
    const std::string two =
        std::string(kTetrahedron) + ", (0.1, 0.1, 0.1), (0.2, 0.1, 0.1), (0.1, 0.2, 0.1), (0.1, 0.1, 0.2)";
    CHECK(Fixed(mesh(two, "0, 1, 2, 0, 1, 3, 0, 3, 2, 1, 2, 3, 4, 6, 5, 4, 5, 7, 4, 7, 6, 5, 6, 7", "", 8))
              .left("REP-3.4-d", "pieces") != nullptr);
}

TEST_CASE("faces share points at one place, and those without an area go (REP-3.4-e, -g)")
{
    const std::string collider =
        "def Mesh \"m\" (\n    prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\", "
        "\"MaterialBindingAPI\"]\n)\n{\n    int[] faceVertexCounts = [3, 3, 3, 3]\n    int[] faceVertexIndices = [0, "
        "1, 2, 3, "
        "4, 5, 6, 7, 8, 9, 10, 11]\n    rel material:binding:physics = </robot/Contact/rubber>\n    uniform token "
        "physics:approximation = \"none\"\n    point3f[] points = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 0), (1, 0, "
        "0), (0, "
        "0, 1), (0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n    token purpose = \"guide\"\n";
    const Fixed joined(collider + "}\n");
    CHECK_FALSE(joined.found("REP-3.4-e"));
    CHECK(faces_of(joined) == std::vector<int>{0, 1, 2, 0, 2, 5, 0, 5, 1, 2, 1, 5});
    CHECK(joined.value<std::vector<Vec3d>>("/robot/m.points").size() == 12);
    CHECK(joined.again({}).edits.empty());
    const Fixed seams(collider +
                      "    float[] primvars:w = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] (\n        interpolation = "
                      "\"vertex\"\n    )\n}\n");
    CHECK(seams.left("REP-3.4-e", "seams") != nullptr);
    const Fixed flat(mesh(kTetrahedron, std::string(kOutwards) + ", 0, 1, 1", "", 5));
    CHECK_FALSE(flat.found("REP-3.4-g"));
    CHECK(faces_of(flat).size() == 12);
}

TEST_CASE("a subset names a face once (REP-3.1-f)")
{
    const Fixed fixed(
        mesh(kTetrahedron, kOutwards,
             "    def GeomSubset \"s\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {\n     "
             "   uniform token elementType = \"face\"\n        uniform token familyName = \"materialBind\"\n   "
             "     int[] indices = [2, 0, 2]\n    }\n"));
    CHECK_FALSE(fixed.found("REP-3.1-f"));
    CHECK(fixed.value<std::vector<int>>("/robot/m/s.indices") == std::vector<int>{2, 0});
}

TEST_CASE("a list that hides an articulation root deletes it instead; the same schemas are applied (REP-1.3-h)")
{
    const Fixed fixed(fixture_stage(find_rule("REP-1.3-h")->bad));
    CHECK_FALSE(fixed.found("REP-1.3-h"));
    CHECK(fixed.file("robot.usda").find("delete apiSchemas = [\"PhysicsArticulationRootAPI\"]") != std::string::npos);
    CHECK(fixed.again({}).edits.empty());
}

TEST_CASE("a vendor's layer leaves the neutral entry; with values of its own only with --unsafe (REP-1.4-c)")
{
    const std::string base = layer(
        "def Xform \"robot\" { def Xform \"a\" (kind = \"subcomponent\") {\n    quatf xformOp:orient = "
        "(1, 0, 0, 0)\n    double3 xformOp:translate = (0, 0, 0)\n    uniform token[] xformOpOrder = "
        "[\"xformOp:translate\", \"xformOp:orient\"]\n } }\n");
    const std::string physics = layer(
        "over \"robot\" { over \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", "
        "\"PhysicsMassAPI\"]) { float physics:mass = 1 } }\n");
    const auto vendor = [](const std::string& line) {
        return layer("over \"robot\" { over \"a\" {\n" + line + " } }\n");
    };
    const auto files = [&](const std::string& line, bool sublayers) {
        std::string root =
            entry(sublayers ? "" : "prepend references = [@./isaac.usda@, @./physics.usda@, @./base.usda@]");
        if (sublayers)
            root.replace(root.find("upAxis"), 0, "subLayers = [@./isaac.usda@, @./physics.usda@, @./base.usda@]\n    ");
        return std::map<std::string, std::string>{
            {"robot.usda", root}, {"base.usda", base}, {"physics.usda", physics}, {"isaac.usda", vendor(line)}};
    };
    for (const bool sublayers : {false, true}) {
        CAPTURE(sublayers);
        const Fixed apart(files("    custom bool isaac:fast = 1\n", sublayers));
        CHECK_MESSAGE(!apart.found("REP-1.4-c"), to_json(apart.result));
        CHECK(apart.file("robot.usda").find("isaac") == std::string::npos);
        CHECK(apart.file("robot_isaac.usda").find("@./isaac.usda@") != std::string::npos);
        CHECK_FALSE(apart.after->prim_at(usd::Path("/robot/a")).attribute("isaac:fast").authored());
        const Fixed kept(files("    custom bool isaac:fast = 1\n    float physics:mass = 3\n", sublayers));
        CHECK(kept.left("REP-1.4-c", "unsafe") != nullptr);
        CHECK(kept.value<double>("/robot/a.physics:mass") == 3);
        FixOptions unsafe;
        unsafe.unsafe = true;
        const Fixed taken(files("    custom bool isaac:fast = 1\n    float physics:mass = 3\n", sublayers), unsafe);
        CHECK_FALSE(taken.found("REP-1.4-c"));
        CHECK(taken.value<double>("/robot/a.physics:mass") == 1);
    }
}

TEST_CASE("a layer that an arc brings in by its default prim has one that is switched on (REP-1.2.5-b)")
{
    const auto robot = [](const std::string& part) {
        return std::map<std::string, std::string>{
            {"robot.usda",
             layer(
                 "def Xform \"robot\" (\n    assetInfo = { string identifier = \"u\"\n        string version = "
                 "\"1\" }\n    kind = \"component\"\n) { def Xform \"p\" (prepend references = @./part.usda@) {} }\n")},
            {"part.usda", part}};
    };
    const std::string off = layer("def Xform \"robot\" (active = false) {}\ndef Xform \"other\" {}\n");
    const Fixed       fixed(robot(off));
    CHECK_FALSE(fixed.found("REP-1.2.5-b"));
    CHECK(fixed.file("part.usda").find("defaultPrim = \"other\"") != std::string::npos);
    const Fixed alone(robot(layer("def Xform \"robot\" (active = false) {}\n")));
    CHECK(alone.found("REP-1.2.5-b"));
}

TEST_CASE("a vendor's words in a variant stand in the same variant of the vendor's layer (REP-1.2.1-j)")
{
    const std::string root = layer(
        "def Xform \"robot\" (\n    assetInfo = { string identifier = \"u\"\n        string version = \"1\" }\n    "
        "kind = "
        "\"component\"\n    prepend references = @./base.usda@\n) {}\n");
    const std::string base = layer(
        "def Xform \"robot\" (\n    prepend variantSets = \"tool\"\n    variants = {\n        string tool = \"hand\"\n "
        "   }\n) {\n"
        "    variantSet \"tool\" = {\n        \"hand\" {\n            over \"a\" {\n                custom float "
        "physxRigidBody:linearDamping = 1\n            }\n        }\n        \"none\" {\n        }\n    }\n    def "
        "Xform \"a\" "
        "(kind = \"subcomponent\") {}\n}\n");
    const Fixed fixed(std::map<std::string, std::string>{{"robot.usda", root}, {"base.usda", base}});
    CHECK_MESSAGE(!fixed.found("REP-1.2.1-j"), to_json(fixed.result));
    const std::string apart = fixed.file("physx.usda");
    CHECK(apart.find("\"hand\"") != std::string::npos);
    CHECK(apart.find("physxRigidBody:linearDamping") != std::string::npos);
    CHECK(fixed.file("base.usda").find("physx") == std::string::npos);
}

TEST_CASE("a contact material that is bound for all purposes is bound for physics too (REP-1.3.4-a)")
{
    const auto box = [](const std::string& material) {
        return Fixed(
            "def Material \"plain\" {}\n<<link a>>\ndef Cube \"c\" (\n    prepend apiSchemas = "
            "[\"PhysicsCollisionAPI\", \"MaterialBindingAPI\"]\n)\n{\n    rel material:binding = </robot/" +
            material + ">\n    token purpose = \"guide\"\n}\n}\n");
    };
    const Fixed fixed = box("Contact/rubber");
    CHECK_FALSE(fixed.found("REP-1.3.4-a"));
    CHECK(fixed.after->prim_at(usd::Path("/robot/a/c")).relationship("material:binding:physics").targets() ==
          std::vector<usd::Path>{usd::Path("/robot/Contact/rubber")});
    CHECK(box("plain").left("REP-1.3.4-a", "unsafe") != nullptr);
}

TEST_CASE("prims without a kind between a group and a component become groups (REP-1.2.2-d)")
{
    const auto hall = [](const std::string& kind) {
        return std::map<std::string, std::string>{
            {"robot.usda", layer("def Xform \"robot\" (\n    assetInfo = {\n        string identifier = \"u\"\n        "
                                 "string version = "
                                 "\"1\"\n    }\n    kind = \"assembly\"\n)\n{\n    def Xform \"row\" " +
                                 kind +
                                 "\n    {\n        def Xform \"r1\" (\n            kind = \"component\"\n        )\n   "
                                 "     {\n        }\n    }\n"
                                 "    def Xform \"r2\" (\n        kind = \"component\"\n    )\n    {\n    }\n}\n")}};
    };
    const Fixed fixed(hall(""));
    CHECK_FALSE(fixed.found("REP-1.2.2-d"));
    CHECK(fixed.after->prim_at(usd::Path("/robot/row")).metadata("kind").get<std::string>() == "group");
    CHECK(Fixed(hall("(\n        kind = \"subcomponent\"\n    )")).left("REP-1.2.2-d", "hierarchy") != nullptr);
}
