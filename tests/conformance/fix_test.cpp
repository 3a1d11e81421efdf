#include <algorithm>
#include <cmath>
#include <numbers>

#include "conformance/fixing.h"
#include "mechane/physics/parse.h"

using namespace mechane;
using namespace mechane::conformance;

namespace {

/// Rules whose fixture needs an answer that the asset does not hold.
const std::map<std::string_view, FixOptions>& answers()
{
    static const std::map<std::string_view, FixOptions> kAnswers = [] {
        std::map<std::string_view, FixOptions> all;
        all["REP-1.1-a"].assume_meters = 1;
        for (const char* id : {"REP-1.3-p", "REP-1.3-q", "REP-2.1.1-d", "REP-2.8-b", "REP-1.3.1-b", "REP-1.3.4-a",
                               "REP-1.3.4-b", "REP-1.3-r", "REP-1.3-f"})
            all[id].unsafe = true;
        return all;
    }();
    return kAnswers;
}

}  // namespace

TEST_CASE("what a fixable rule finds in its bad example, fix repairs; a second fix changes nothing (REP-T-147)")
{
    for (const Rule* rule : rules()) {
        if (!rule->fixable) continue;
        CAPTURE(rule->id);
        FixOptions options;
        if (const auto known = answers().find(rule->id); known != answers().end()) options = known->second;
        std::map<std::string, std::string> files;
        for (const FixtureFile& file : fixture_files(rule->bad))
            files[file.name] = (file.binary ? "#binary\n" : "") + file.text;
        const Fixed once(files, options);
        if (rule->id == "REP-1.3-d" || rule->id == "REP-2.3-c") {  // their examples need an author, which is said
            CHECK(once.found(rule->id));
            CHECK(!once.result.left.empty());
            CHECK(once.result.edits.empty());
            continue;
        }
        CHECK_MESSAGE(!once.found(rule->id), rule->id << "\n" << to_json(once.result));
        CHECK(!once.result.edits.empty());
        const FixResult twice = once.again(options);
        CHECK_MESSAGE(twice.edits.empty(), rule->id << "\n" << to_json(twice));
        for (const FixedFile& file : twice.files) CHECK_FALSE(file.changed);
    }
}

TEST_CASE("fix only touches what it repairs: files without a finding are copied byte by byte, sources stay")
{
    const std::string part = "#usda 1.0\n( defaultPrim = \"part\" ) # a comment\ndef Cube \"part\" {}\n";
    const Fixed fixed({{"robot.usda", fixture_stage("def Xform \"a\" ( references = @./part.usda@ ) {}\n"
                                                    "def Xform \"v\" { float xformOp:rotateX = 10\n uniform token[] "
                                                    "xformOpOrder = [\"xformOp:rotateX\"] }\n")},
                       {"part.usda", part}});
    CHECK(fixed.file("part.usda") == part);
    CHECK_FALSE(fixed.found("REP-1.1-i"));
    std::ifstream     in(fixed.entry);
    std::stringstream text;
    text << in.rdbuf();
    CHECK(text.str().find("xformOp:rotateX") != std::string::npos);
}

TEST_CASE("rotateXYZ (10, 20, 30) on a body becomes an orient of the same matrix (REP-T-020)")
{
    const Fixed     fixed(fixture_stage(R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    float3 xformOp:rotateXYZ = (10, 20, 30)
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
}
)"));
    const usd::Path body("/robot/a");
    CHECK(largest_difference(fixed.before->local_matrix(fixed.before->prim_at(body)),
                             fixed.after->local_matrix(fixed.after->prim_at(body))) < 1e-6);
    CHECK(fixed.value<std::vector<usd::Token>>("/robot/a.xformOpOrder") ==
          std::vector<usd::Token>{"xformOp:translate", "xformOp:orient"});
}

TEST_CASE("a sheared matrix on a link is reported and left alone (REP-T-019)")
{
    const std::string text = fixture_stage(R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    matrix4d xformOp:transform = ((1, 0.5, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
    uniform token[] xformOpOrder = ["xformOp:transform"]
}
)");
    const Fixed       fixed(text);
    CHECK(fixed.left("REP-1.1-h", "shear") != nullptr);
    CHECK(fixed.result.edits.empty());
    CHECK(fixed.file("robot.usda") == text);
}

TEST_CASE("a scale that would shear what lies further below is left alone as a whole, with the reason")
{
    const Fixed fixed(R"(
def Xform "group"
{
    float3 xformOp:scale = (2, 3, 4)
    uniform token[] xformOpOrder = ["xformOp:scale"]

    def Xform "arm"
    {
        quatf xformOp:orient = (0.9238795, 0, 0, 0.3826834)
        double3 xformOp:translate = (0, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]

        def Cube "box"
        {
            token purpose = "guide"
            double3 xformOp:translate = (0.3, 0, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
    }
}
)");
    CHECK(fixed.left("REP-1.1-k", "shear") != nullptr);
    CHECK(fixed.result.edits.empty());
    CHECK(largest_difference(fixed.before->world_matrix(fixed.before->prim_at(usd::Path("/robot/group/arm/box"))),
                             fixed.after->world_matrix(fixed.after->prim_at(usd::Path("/robot/group/arm/box")))) == 0);
}

TEST_CASE("a body that is its own geometry gets both operations, and a second fix changes nothing (REP-T-147)")
{
    const Fixed fixed(R"(
def Cube "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    token purpose = "guide"
}
)");
    CHECK(fixed.value<std::vector<usd::Token>>("/robot/a.xformOpOrder") ==
          std::vector<usd::Token>{"xformOp:translate", "xformOp:orient"});
    CHECK(fixed.again({}).edits.empty());
}

TEST_CASE("a joint to the world names no target; what it kept the link from touching, filtered pairs keep it from")
{
    const Fixed fixed(R"(
def Cube "wall" ( prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"] )
{
    rel material:binding:physics = </robot/Contact/rubber>
    token purpose = "guide"
    double3 xformOp:translate = (0, 0, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
<<body a>>
def PhysicsFixedJoint "j" ( prepend apiSchemas = ["PhysicsArticulationRootAPI"] )
{
    rel physics:body0 = </robot/wall>
    rel physics:body1 = </robot/a>
    point3f physics:localPos0 = (0, 0, -3)
}
)");
    CHECK_FALSE(fixed.found("REP-1.3-o"));
    CHECK(fixed.after->prim_at(usd::Path("/robot/j")).relationship("physics:body0").targets().empty());
    CHECK(fixed.value<Vec3d>("/robot/j.physics:localPos0") == Vec3d{0, 0, 0});
    CHECK(fixed.after->prim_at(usd::Path("/robot/a")).relationship("physics:filteredPairs").targets() ==
          std::vector<usd::Path>{usd::Path("/robot/wall")});
}

TEST_CASE("an anchor that is turned round keeps its coordinate's sign: limits and frames mean what they did")
{
    const Fixed fixed(R"(
<<body a>>
def PhysicsRevoluteJoint "j" ( prepend apiSchemas = ["PhysicsArticulationRootAPI"] )
{
    uniform token physics:axis = "Z"
    rel physics:body0 = </robot/a>
    point3f physics:localPos0 = (0.1, 0, 0)
    point3f physics:localPos1 = (0.1, 0, 0)
    float physics:lowerLimit = -10
    float physics:upperLimit = 20
}
)");
    CHECK_FALSE(fixed.found("REP-1.3-o"));
    const usd::Prim joint = fixed.after->prim_at(usd::Path("/robot/j"));
    CHECK(joint.relationship("physics:body0").targets().empty());
    CHECK(joint.relationship("physics:body1").targets() == std::vector<usd::Path>{usd::Path("/robot/a")});
    CHECK(fixed.value<double>("/robot/j.physics:lowerLimit") == -10);
    // Seen from the other side the link turns the other way; so does an axis that both frames turn over.
    const Quatd q = fixed.value<Quatd>("/robot/j.physics:localRot0");
    CHECK(rotate(q, Vec3d{0, 0, 1}).z == -1);
    CHECK(dot(q, fixed.value<Quatd>("/robot/j.physics:localRot1")) == 1);
}

TEST_CASE("a wall that is all that is seen is not hidden, one with a visual beside it is")
{
    const char* wall = R"(
def Xform "hall"
{
    def Cube "wall" ( prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"] )
    {
        rel material:binding:physics = </robot/Contact/rubber>
    }
%s}
)";
    const auto  with = [&](const char* visual) {
        std::string text = wall;
        return text.replace(text.find("%s"), 2, visual);
    };
    CHECK(Fixed(with("")).left("REP-1.3.1-a", "shared-visual") != nullptr);
    const Fixed seen(with("    def Cube \"look\"\n    {\n    }\n"));
    CHECK(seen.left("REP-1.3.1-a", "shared-visual") == nullptr);
    CHECK(seen.value<usd::Token>("/robot/hall/wall.purpose").text() == "guide");
}

TEST_CASE("a joint frame on the root, which keeps no rotation, is turned by itself when the asset is")
{
    const Fixed fixed(R"(#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Y"
)
def Xform "robot"
{
    def PhysicsFixedJoint "j"
    {
        rel physics:body1 = </robot>
    }
}
)");
    // A quarter turn about x: (cos 45, sin 45, 0, 0).
    const Quatd q = fixed.value<Quatd>("/robot/j.physics:localRot1");
    CHECK(std::abs(q.x) == test::close_to(std::sqrt(0.5), 1e-6));
    CHECK(std::abs(q.w) == test::close_to(std::sqrt(0.5), 1e-6));
}

TEST_CASE("scale 2 on a link goes to its mesh, its child's translate and its joint's anchor (REP-T-022)")
{
    const Fixed fixed(fixture_stage(R"(
<<body b>>
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsArticulationRootAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    float3 xformOp:scale = (2, 2, 2)
    double3 xformOp:translate = (1, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]

    def Xform "inner"
    {
        double3 xformOp:translate = (0, 0, 3)
        uniform token[] xformOpOrder = ["xformOp:translate"]

        def Mesh "m"
        {
            int[] faceVertexCounts = [3]
            int[] faceVertexIndices = [0, 1, 2]
            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
        }
    }
}
def PhysicsRevoluteJoint "j"
{
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
    point3f physics:localPos0 = (0.25, 0, 0)
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}
)"));
    CHECK_FALSE(fixed.found("REP-1.1-j"));
    CHECK_FALSE(fixed.found("REP-1.1-k"));
    const usd::Path mesh("/robot/a/inner/m");
    CHECK(largest_difference(fixed.before->world_matrix(fixed.before->prim_at(mesh)),
                             fixed.after->world_matrix(fixed.after->prim_at(mesh))) < 1e-9);
    CHECK(fixed.value<Vec3d>("/robot/a/inner.xformOp:translate") == Vec3d{0, 0, 6});
    CHECK(fixed.value<Vec3d>("/robot/a.xformOp:translate") == Vec3d{1, 0, 0});
    CHECK(fixed.value<Vec3d>("/robot/j.physics:localPos0") == Vec3d{0.5, 0, 0});
}

TEST_CASE("centimetres become metres: points, sizes, placements, anchors and prismatic limits, not angles (REP-T-002)")
{
    const Fixed fixed(R"(#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 0.01
    timeCodesPerSecond = 1
    upAxis = "Z"
)
def Xform "robot" (
    assetInfo = { string identifier = "urn:example:robot"
        string version = "1.0.0" }
    kind = "component"
)
{
    def Mesh "m"
    {
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(0, 0, 0), (100, 0, 0), (0, 50, 0)]
        double3 xformOp:translate = (0, 0, 200)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Cube "c" { double size = 20 }
    def Cylinder "unsaid" { double height = 30 }
    def Camera "eye" {}
    def PhysicsPrismaticJoint "rail" { float physics:lowerLimit = -10
        float physics:upperLimit = 30
        point3f physics:localPos0 = (1, 0, 0) }
    def PhysicsRevoluteJoint "hinge" { float physics:lowerLimit = -90
        float physics:upperLimit = 90 }
}
)");
    CHECK(fixed.after->metadata().meters_per_unit == 1);
    // 1 cm = 0.01 m; points are floats.
    const auto points = fixed.value<std::vector<Vec3d>>("/robot/m.points");
    CHECK(test::distance(points[1], Vec3d{1, 0, 0}) < 1e-7);
    CHECK(test::distance(points[2], Vec3d{0, 0.5, 0}) < 1e-7);
    CHECK(test::distance(fixed.value<Vec3d>("/robot/m.xformOp:translate"), Vec3d{0, 0, 2}) < 1e-12);
    CHECK(fixed.value<double>("/robot/c.size") == test::close_to(0.2, 1e-12));
    // The schema's radius of one is one centimetre here; a camera's near plane of one as well.
    CHECK(fixed.value<double>("/robot/unsaid.height") == test::close_to(0.3, 1e-12));
    CHECK(fixed.value<double>("/robot/unsaid.radius") == test::close_to(0.01, 1e-12));
    CHECK(fixed.value<Vec2d>("/robot/eye.clippingRange").x == test::close_to(0.01, 1e-9));
    CHECK(fixed.value<double>("/robot/rail.physics:lowerLimit") == test::close_to(-0.1, 1e-7));
    CHECK(fixed.value<double>("/robot/hinge.physics:lowerLimit") == -90);
}

TEST_CASE("grams become kilograms: masses and inertias by 0.001 (REP-T-004)")
{
    std::string text = fixture_stage(R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1500
    float3 physics:diagonalInertia = (2, 2, 3)
    quatf physics:principalAxes = (1, 0, 0, 0)
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}
)");
    text.replace(text.find("kilogramsPerUnit = 1"), 20, "kilogramsPerUnit = 0.001");
    const Fixed fixed(text);
    CHECK(fixed.value<double>("/robot/a.physics:mass") == test::close_to(1.5, 1e-7));
    CHECK(test::distance(fixed.value<Vec3d>("/robot/a.physics:diagonalInertia"), Vec3d{0.002, 0.002, 0.003}) < 1e-9);
    CHECK_FALSE(fixed.found("REP-1.1-b"));
}

TEST_CASE("time codes become seconds: sample 24 at 24 a second lies at 1 (REP-T-005)")
{
    std::string text = fixture_stage(R"(
def Xform "v"
{
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 24: (1, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)");
    text.replace(text.find("    timeCodesPerSecond = 1\n"), 27, "    endTimeCode = 24\n");
    const Fixed fixed(text);
    CHECK_FALSE(fixed.found("REP-1.1-c"));
    CHECK(fixed.after->prim_at(usd::Path("/robot/v")).attribute("xformOp:translate").time_samples() ==
          std::vector<double>{0, 1});
    CHECK(fixed.after->metadata().end_time_code == 1);
}

TEST_CASE("a Y-up asset is turned: (x, y, z) lies at (x, -z, y), the root keeps no rotation (REP-T-009)")
{
    std::string text = fixture_stage(R"(
def Cube "box"
{
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
<<body a>>
<<body b>>
def PhysicsRevoluteJoint "j" ( prepend apiSchemas = ["PhysicsArticulationRootAPI"] )
{
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
    point3f physics:localPos0 = (0, 1, 0)
    point3f physics:localPos1 = (0, 1, 0)
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}
)");
    text.replace(text.find("upAxis = \"Z\""), 12, "upAxis = \"Y\"");
    const Fixed fixed(text);
    CHECK(fixed.after->metadata().up_axis == 'Z');
    CHECK_FALSE(fixed.found("REP-1.1-l"));
    CHECK_FALSE(fixed.found("REP-1.1-e"));
    const usd::Matrix4d was = fixed.before->world_matrix(fixed.before->prim_at(usd::Path("/robot/box")));
    const usd::Matrix4d now = fixed.after->world_matrix(fixed.after->prim_at(usd::Path("/robot/box")));
    for (const Vec3d& corner : {Vec3d{1, 1, 1}, Vec3d{-1, 1, -1}, Vec3d{1, -1, 1}}) {
        const Vec3d p = usd::transform_point(was, corner), q = usd::transform_point(now, corner);
        CHECK(test::distance(q, Vec3d{p.x, -p.z, p.y}) < 1e-6);
    }
}

TEST_CASE("an asset with a flattened part is not turned, and says which part it is")
{
    const Fixed fixed(
        "#usda 1.0\n(\n    defaultPrim = \"robot\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\ndef Xform "
        "\"robot\"\n{\n   "
        " def Cube \"flat\"\n    {\n        float3 xformOp:scale = (1, 0, 1)\n        uniform token[] xformOpOrder = "
        "[\"xformOp:scale\"]\n    }\n    def Cube \"whole\"\n    {\n        double3 xformOp:translate = (1, 2, 3)\n    "
        "    "
        "uniform token[] xformOpOrder = [\"xformOp:translate\"]\n    }\n}\n");
    REQUIRE(fixed.left("REP-1.1-e", "singular") != nullptr);
    CHECK(fixed.left("REP-1.1-e", "singular")->message.find("/robot/flat") != std::string::npos);
    CHECK(fixed.after->metadata().up_axis == 'Y');
    CHECK(fixed.value<Vec3d>("/robot/whole.xformOp:translate") == Vec3d{1, 2, 3});
}

TEST_CASE("a repair that would bring a finding is left out and says which")
{
    // Turned to Z up, a root that is its own geometry would be a rotated root; a cone cannot take a turn that points
    // it the other way along an axis.
    const Fixed fixed(
        "#usda 1.0\n(\n    defaultPrim = \"tip\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\ndef Cone "
        "\"tip\"\n{\n}\n");
    CHECK(fixed.after->metadata().up_axis == 'Y');
    REQUIRE(fixed.left("REP-1.1-e", "adds-finding") != nullptr);
    CHECK(fixed.left("REP-1.1-e", "adds-finding")->message.find("REP-1.1-l") != std::string::npos);
    CHECK_FALSE(fixed.found("REP-1.1-l"));
}

TEST_CASE("every finding that stays is listed with a reason, and nothing else but remarks")
{
    for (const Rule* rule : rules()) {
        if (rule->bad.empty()) continue;
        CAPTURE(rule->id);
        std::map<std::string, std::string> files;
        bool                               plain = true;
        for (const FixtureFile& file : fixture_files(rule->bad)) {
            files[file.name] = file.text;
            plain &= !file.binary && file.text.starts_with("#usda");
        }
        if (!plain || std::ranges::none_of(files, [](const auto& f) { return f.first.ends_with("robot.usda"); }))
            continue;
        const Fixed fixed(files);
        for (const Finding& finding : fixed.result.after.findings)
            CHECK_MESSAGE(std::ranges::any_of(fixed.result.left,
                                              [&](const Unrepaired& u) {
                                                  return u.rule == finding.rule && u.prim == finding.site.prim &&
                                                         !u.reason.empty() && !u.message.empty();
                                              }),
                          finding.rule->id << " " << finding.site.prim);
        for (const Unrepaired& u : fixed.result.left) CHECK_MESSAGE((u.remark || fixed.found(u.rule->id)), u.rule->id);
    }
}

TEST_CASE("quarter turns permute and leave no rounding; a mirrored leaf keeps its mirror")
{
    const Fixed turned(R"(#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)
def Xform "robot"
{
    float xformOp:rotateX = -90
    uniform token[] xformOpOrder = ["xformOp:rotateX"]
    def Cube "c"
    {
        double3 xformOp:translate = (0, 0.1, 0.3)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
)");
    // (x, y, z) -> (x, z, -y).
    CHECK(turned.value<Vec3d>("/robot/c.xformOp:translate") == Vec3d{0, 0.3, -0.1});
    const Fixed mirrored(R"(
def Cube "c"
{
    float xformOp:rotateZ = 0
    float3 xformOp:scale = (-1, 1, 1)
    uniform token[] xformOpOrder = ["xformOp:rotateZ", "xformOp:scale"]
}
)");
    CHECK(mirrored.value<Vec3d>("/robot/c.xformOp:scale") == Vec3d{-1, 1, 1});
    CHECK_FALSE(mirrored.after->prim_at(usd::Path("/robot/c")).attribute("xformOp:orient").authored());
}

TEST_CASE("six numbers that are no inertia of a body are left as they are; an offset of zero has no sign")
{
    const Fixed flat(R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    custom double x:ixx = 0.1
    custom double x:ixy = 0.1
    custom double x:ixz = 0.1
    custom double x:iyy = 0.1
    custom double x:iyz = 0.1
    custom double x:izz = 0.1
    float physics:mass = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}
)");
    CHECK(flat.left("REP-1.3-s", "bad-inertia") != nullptr);
    CHECK_FALSE(flat.after->prim_at(usd::Path("/robot/a")).attribute("physics:diagonalInertia").authored());
    const Fixed mimic(
        "<<body a>>\n<<body b>>\n<<body c>>\n<<joint lead a b>>\ndef PhysicsRevoluteJoint \"follow\" ( prepend "
        "apiSchemas = [\"PhysxMimicJointAPI:rotX\"] ) {\n rel physics:body0 = </robot/b>\n rel physics:body1 = "
        "</robot/c>\n float physics:lowerLimit = -90\n float physics:upperLimit = 90\n rel "
        "physxMimicJoint:rotX:referenceJoint = </robot/lead>\n float physxMimicJoint:rotX:gearing = 2\n float "
        "physxMimicJoint:rotX:offset = 0\n}\n");
    CHECK_FALSE(std::signbit(mimic.value<double>("/robot/follow.ext_physics:mimic:offset")));
}

TEST_CASE("what one placement is written for and other variants share is reported, not guessed (REP-T-152)")
{
    const auto robot = [](const std::string& meta, const std::string& inside) {
        return "#usda 1.0\n(\n    defaultPrim = \"robot\"\n    metersPerUnit = 1\n" + meta +
               ")\ndef Xform \"robot\" (\n    prepend variantSets = \"pose\"\n    variants = { string pose = \"flat\" "
               "}\n)\n{\n" +
               inside + "}\n";
    };
    const auto at = [](const Fixed& fixed, const char* pose, const char* prim) {
        usd::OpenOptions other;
        other.variant_selections.emplace_back("pose", pose);
        const auto stage = usd::Stage::open(fixed.result.folder + "/robot.usda", other);
        REQUIRE(stage);
        return (*stage)->world_matrix((*stage)->prim_at(usd::Path(prim)));
    };
    const auto turned = [](double degrees) {
        const std::string angle = std::to_string(degrees);
        const auto stage = usd::Stage::open_text("#usda 1.0\ndef Xform \"p\"\n{\n    float xformOp:rotateX = " + angle +
                                                 "\n    uniform token[] xformOpOrder = [\"xformOp:rotateX\"]\n}\n");
        return (*stage)->world_matrix((*stage)->prim_at(usd::Path("/p")));
    };
    const FixOptions turns{.select = {"REP-1.1-i"}};

    // The order is shared and the angle is each variant's: an orient beside the order would turn both states alike.
    const Fixed shared(
        robot("    upAxis = \"Z\"\n",
              "    def Cube \"plate\" { uniform token[] xformOpOrder = [\"xformOp:rotateX\"] }\n"
              "    variantSet \"pose\" = {\n        \"flat\" { over \"plate\" { float xformOp:rotateX = 10 } }\n"
              "        \"steep\" { over \"plate\" { float xformOp:rotateX = 80 } }\n    }\n"),
        turns);
    CHECK(shared.result.edits.empty());
    CHECK(shared.left("REP-1.1-i", "state-dependent-edit") != nullptr);

    // The angle is shared by all variants but one.
    const Fixed but_one(robot("    upAxis = \"Z\"\n",
                              "    def Cube \"plate\" { float xformOp:rotateX = 10\n uniform token[] xformOpOrder = "
                              "[\"xformOp:rotateX\"] }\n"
                              "    variantSet \"pose\" = {\n        \"flat\" { }\n        \"steep\" { over \"plate\" { "
                              "float xformOp:rotateX = 80 } }\n    }\n"),
                        turns);
    CHECK(but_one.result.edits.empty());
    CHECK(but_one.left("REP-1.1-i", "state-dependent-edit") != nullptr);

    // Each variant has a placement of its own: the selected one's is repaired, the other one's stays what it is.
    const std::string whole =
        " { float xformOp:rotateX = %\n uniform token[] xformOpOrder = [\"xformOp:rotateX\"] } }\n";
    const auto with = [&](const std::string& angle) {
        std::string text = whole;
        return text.replace(text.find('%'), 1, angle);
    };
    const Fixed apart(robot("    upAxis = \"Z\"\n",
                            "    variantSet \"pose\" = {\n        \"flat\" { def Cube \"plate\"" + with("10") +
                                "        \"steep\" { def Cube \"plate\"" + with("80") + "    }\n"),
                      turns);
    CHECK(!apart.result.edits.empty());
    CHECK_FALSE(apart.found("REP-1.1-i"));
    CHECK(largest_difference(at(apart, "flat", "/robot/plate"), turned(10)) < 1e-6);
    CHECK(largest_difference(at(apart, "steep", "/robot/plate"), turned(80)) < 1e-12);

    // A root that is turned, or scaled, hands that to its children; a variant's child would not get it.
    const std::string spare =
        "    def Cube \"plate\" { }\n    variantSet \"pose\" = {\n        \"flat\" { }\n        "
        "\"steep\" { def Cube \"spare\" { } }\n    }\n";
    const Fixed y_up(robot("    upAxis = \"Y\"\n", spare), {.select = {"REP-1.1-e"}});
    CHECK(y_up.result.edits.empty());
    CHECK(y_up.left("REP-1.1-e", "state-dependent-edit") != nullptr);
    const Fixed root(robot("    upAxis = \"Z\"\n",
                           "    quatf xformOp:orient = (0.70710677, 0.70710677, 0, 0)\n    uniform token[] "
                           "xformOpOrder = [\"xformOp:orient\"]\n" +
                               spare),
                     {.select = {"REP-1.1-l"}});
    CHECK(root.result.edits.empty());
    CHECK(root.left("REP-1.1-l", "state-dependent-edit") != nullptr);
}

TEST_CASE("what the asset does not say is not guessed: no unit, no axis (REP-T-008)")
{
    const Fixed fixed("#usda 1.0\n( defaultPrim = \"r\" )\ndef Xform \"r\" {}\n");
    CHECK(fixed.left("REP-1.1-a", "no-units") != nullptr);
    CHECK(fixed.left("REP-1.1-e", "no-up-axis") != nullptr);
    CHECK_FALSE(fixed.after->metadata().authored_up_axis);
}

TEST_CASE(
    "default prim, identifier and version: the only candidate, and placeholders that are said to be some "
    "(REP-T-052, REP-T-054)")
{
    const Fixed fixed("#usda 1.0\ndef Xform \"thing\" {}\ndef PhysicsScene \"scene\" {}\n");
    CHECK(fixed.after->metadata().default_prim == "thing");
    const usd::Prim root = fixed.after->default_prim();
    CHECK(root.metadata("assetInfo:identifier").get<std::string>() == "urn:mechane:thing");
    CHECK(root.metadata("assetInfo:version").get<std::string>() == "0.1.0");
    CHECK(fixed.left("REP-1.2.5-c", "placeholder") != nullptr);
    CHECK(fixed.left("REP-1.2.5-d", "placeholder") != nullptr);
    FixOptions said;
    said.identifier = "urn:acme:thing";
    said.version    = "2.0.0";
    const Fixed     given("#usda 1.0\ndef Xform \"thing\" {}\n", said);
    const usd::Prim named = given.after->default_prim();
    CHECK(named.metadata("assetInfo:identifier").get<std::string>() == "urn:acme:thing");
    CHECK(named.metadata("assetInfo:version").get<std::string>() == "2.0.0");
    CHECK(given.left("REP-1.2.5-c", "placeholder") == nullptr);
    CHECK(given.left("REP-1.2.5-d", "placeholder") == nullptr);
    const Fixed two("#usda 1.0\ndef Xform \"a\" {}\ndef Xform \"b\" {}\n");
    CHECK(two.left("REP-1.2.5-a", "ambiguous") != nullptr);
}

TEST_CASE("a component inside a component becomes a subcomponent, in the asset that composes it (REP-T-039)")
{
    const std::string part = "#usda 1.0\n( defaultPrim = \"part\" )\ndef Xform \"part\" ( kind = \"component\" ) {}\n";
    const Fixed       fixed(
        {{"robot.usda", fixture_stage("def Xform \"a\" ( references = @./part.usda@ ) {}\n")}, {"part.usda", part}});
    CHECK_FALSE(fixed.found("REP-1.2.2-d"));
    CHECK(fixed.file("part.usda") == part);
    CHECK(fixed.after->prim_at(usd::Path("/robot/a")).metadata("kind").get<std::string>() == "subcomponent");
}

TEST_CASE(
    "an inertia of another program is dropped when it says the same, taken apart when it is alone (REP-T-081, "
    "REP-T-082)")
{
    const auto body = [](const std::string& lines) {
        return fixture_stage(
            "def Xform \"a\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", "
            "\"PhysicsMassAPI\"]\n    kind = \"subcomponent\"\n)\n{\n    float physics:mass = 1\n"
            "    quatf xformOp:orient = (1, 0, 0, 0)\n    double3 xformOp:translate = (0, 0, 0)\n"
            "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n" +
            lines + "}\n");
    };
    const Fixed same(
        body("    double[] newton:inertia = [1, 2, 2.5, 0, 0, 0]\n    float3 physics:diagonalInertia = (1, "
             "2, 2.5)\n    quatf physics:principalAxes = (1, 0, 0, 0)\n"));
    CHECK_FALSE(same.after->prim_at(usd::Path("/robot/a")).attribute("newton:inertia").authored());
    CHECK(same.value<Vec3d>("/robot/a.physics:diagonalInertia") == Vec3d{1, 2, 2.5});
    // Ixx, Iyy, Izz, Ixy, Ixz, Iyz.
    const Fixed  alone(body("    double[] newton:inertia = [1.2, 2, 2.5, 0.1, -0.2, 0.3]\n"));
    const auto   d = alone.value<Vec3d>("/robot/a.physics:diagonalInertia");
    const auto   q = alone.value<Quatd>("/robot/a.physics:principalAxes");
    const Mat33d r = to_matrix(normalized(q)), back = r * Mat33d::diagonal(d) * transpose(r);
    const Mat33d want{{1.2, 0.1, -0.2}, {0.1, 2, 0.3}, {-0.2, 0.3, 2.5}};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) CHECK(std::abs(back(i, j) - want(i, j)) < 1e-6 * 2.5);
    CHECK(q.w >= 0);
    const Fixed other(
        body("    double[] newton:inertia = [9, 9, 9, 0, 0, 0]\n    float3 physics:diagonalInertia = (1, 2, "
             "2.5)\n    quatf physics:principalAxes = (1, 0, 0, 0)\n"));
    CHECK(other.left("REP-1.3-s", "bad-inertia") != nullptr);
}

TEST_CASE("a topic on a camera moves to an optical child (REP-T-117)")
{
    const Fixed fixed(fixture_stage(R"(
def Camera "eye" (
    prepend apiSchemas = ["RosTopicAPI"]
)
{
    string ros:topic:name = "image"
    double ros:topic:publish_rate = 30
    token ros:topic:role = "publisher"
    string ros:topic:type = "sensor_msgs/msg/Image"
}
)"));
    CHECK_FALSE(fixed.found("REP-2.8-a"));
    CHECK_FALSE(fixed.found("REP-2.8-b"));
    CHECK(fixed.value<std::string>("/robot/eye/eye_optical_frame.ros:topic:name") == "image");
    CHECK_FALSE(fixed.after->prim_at(usd::Path("/robot/eye")).attribute("ros:topic:name").authored());
}

TEST_CASE("a static frame that moves is said to move; a namespace loses its slash (REP-T-101, REP-T-114)")
{
    const Fixed frame(fixture_stage(R"(
def Xform "f" ( prepend apiSchemas = ["RosFrameAPI"] )
{
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 1: (1, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)"));
    CHECK(frame.value<bool>("/robot/f.ros:frame:static") == false);
    std::string text = fixture_stage("<<topic scan>>");
    text.replace(text.find("namespace = \"robot\""), 19, "namespace = \"robot/\"");
    const Fixed space(text);
    CHECK(space.value<std::string>("/robot.ros:context:namespace") == "robot");
}

TEST_CASE("triangles: same area, subsets still cover what they covered, corners keep their values (REP-T-131)")
{
    const Fixed fixed(fixture_stage(R"(
def Mesh "m" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MaterialBindingAPI"]
)
{
    int[] faceVertexCounts = [4, 3, 5]
    int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 2, 0, 5, 6, 7, 1]
    rel material:binding:physics = </robot/Contact/rubber>
    uniform token physics:approximation = "convexHull"
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (0, 0, 1), (0.5, 0.1, 2), (1, 0, 1)]
    texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0), (1, 0), (0, 1), (0, 0), (0, 1), (0.5, 2), (1, 1), (1, 0)] (
        interpolation = "faceVarying"
    )
    token purpose = "guide"

    def GeomSubset "first"
    {
        uniform token elementType = "face"
        uniform token familyName = "materialBind"
        int[] indices = [0, 2]
    }
}
)"));
    CHECK_FALSE(fixed.found("REP-3.4-a"));
    // 4, 3 and 5 corners make 2 + 1 + 3 triangles.
    CHECK(fixed.value<std::vector<int>>("/robot/m.faceVertexCounts") == std::vector<int>{3, 3, 3, 3, 3, 3});
    CHECK(fixed.value<std::vector<int>>("/robot/m/first.indices") == std::vector<int>{0, 1, 3, 4, 5});
    const auto points  = fixed.value<std::vector<Vec3d>>("/robot/m.points");
    const auto indices = fixed.value<std::vector<int>>("/robot/m.faceVertexIndices");
    double     flat    = 0;  // the quad and the triangle lie in z = 0: area 1 + 0.5
    for (std::size_t t = 0; t < 3; ++t) {
        const auto at = [&](std::size_t i) { return points[static_cast<std::size_t>(indices[3 * t + i])]; };
        flat += 0.5 * length(cross(at(1) - at(0), at(2) - at(0)));
    }
    CHECK(flat == test::close_to(1.5, 1e-6));
    // Every corner still has the coordinate that its point had: in this mesh st = (x, z) or (x, y), by hand for face 0.
    const auto st  = fixed.value<std::vector<int>>("/robot/m.primvars:st:indices");
    const auto was = std::vector<int>{0, 1, 2, 3, 1, 4, 2, 0, 5, 6, 7, 1};
    REQUIRE(st.size() == indices.size());
    for (std::size_t i = 0; i < st.size(); ++i) CHECK(was[static_cast<std::size_t>(st[i])] == indices[i]);
}

TEST_CASE("a left-handed mesh is turned over and looks the same way (REP-T-132)")
{
    const Fixed fixed(fixture_stage(R"(
def Mesh "m"
{
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 2, 1]
    uniform token orientation = "leftHanded"
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
}
)"));
    CHECK_FALSE(fixed.found("REP-3.4-b"));
    const auto points  = fixed.value<std::vector<Vec3d>>("/robot/m.points");
    const auto indices = fixed.value<std::vector<int>>("/robot/m.faceVertexIndices");
    const auto at      = [&](std::size_t i) { return points[static_cast<std::size_t>(indices[i])]; };
    // Left-handed 0 2 1 looks along +z: its right-handed normal is -z.
    CHECK(cross(at(1) - at(0), at(2) - at(0)).z > 0);
}

TEST_CASE("a revolute joint without limits becomes continuous in so many words (REP-T-068)")
{
    const Fixed fixed(fixture_stage(
        "<<body a>>\n<<body b>>\ndef PhysicsRevoluteJoint \"j\" ( prepend apiSchemas = "
        "[\"PhysicsArticulationRootAPI\"] ) { rel physics:body0 = </robot/a>\n rel physics:body1 = </robot/b> }\n"));
    CHECK_FALSE(fixed.found("REP-1.3-d"));
    CHECK(fixed.value<double>("/robot/j.physics:lowerLimit") == -kInfinity);
    CHECK(fixed.value<double>("/robot/j.physics:upperLimit") == kInfinity);
}

TEST_CASE("mimics of Newton and PhysX become neutral ones of the same meaning (REP-T-083, REP-T-084)")
{
    const auto follower = [](const std::string& apis, const std::string& lines) {
        return fixture_stage(
            "<<body a>>\n<<body b>>\n<<body c>>\n<<joint lead a b>>\ndef PhysicsRevoluteJoint \"follow\" ( prepend "
            "apiSchemas = [" +
            apis +
            "] ) {\n uniform token physics:axis = \"Z\"\n rel physics:body0 = </robot/b>\n rel physics:body1 = "
            "</robot/c>\n"
            " float physics:lowerLimit = -90\n float physics:upperLimit = 90\n" +
            lines + "}\n");
    };
    const Fixed newton(follower("\"NewtonMimicAPI\"",
                                " rel newton:mimicJoint = </robot/lead>\n float newton:mimicCoef0 = 5\n float "
                                "newton:mimicCoef1 = -0.5\n"));
    CHECK_FALSE(newton.found("REP-1.3-t"));
    CHECK(newton.value<double>("/robot/follow.ext_physics:mimic:offset") == 5);
    CHECK(newton.value<double>("/robot/follow.ext_physics:mimic:multiplier") == -0.5);
    CHECK(newton.after->prim_at(usd::Path("/robot/follow")).relationship("ext_physics:mimic:joint").targets() ==
          std::vector<usd::Path>{usd::Path("/robot/lead")});
    // q + gearing q_ref + offset = 0.
    const Fixed physx(follower("\"PhysxMimicJointAPI:rotZ\"",
                               " rel physxMimicJoint:rotZ:referenceJoint = </robot/lead>\n float "
                               "physxMimicJoint:rotZ:gearing = 2\n float physxMimicJoint:rotZ:offset = 3\n"));
    CHECK(physx.value<double>("/robot/follow.ext_physics:mimic:multiplier") == -2);
    CHECK(physx.value<double>("/robot/follow.ext_physics:mimic:offset") == -3);
    const Fixed other(
        follower("\"PhysxMimicJointAPI:rotX\"", " rel physxMimicJoint:rotX:referenceJoint = </robot/lead>\n"));
    CHECK(other.left("REP-1.3-t", "multi-dof-mimic") != nullptr);
}

TEST_CASE("a slide that follows a hinge keeps its motion in neutral words and in metres (REP-T-083, REP-1.1-a)")
{
    // Newton couples radians and lengths, the neutral schema degrees: 25 cm/rad is 0.25 m/rad is pi/720 m a degree.
    const auto stage = [](const std::string& api, const std::string& lines, bool slides) {
        return "#usda 1.0\n(\n    defaultPrim = \"robot\"\n    metersPerUnit = 0.01\n    kilogramsPerUnit = 1\n    "
               "upAxis = \"Z\"\n)\ndef Xform \"robot\" {\n def Xform \"a\" ( prepend apiSchemas = "
               "[\"PhysicsRigidBodyAPI\"] ) {}\n def Xform \"b\" ( prepend apiSchemas = [\"PhysicsRigidBodyAPI\"] ) "
               "{}\n "
               "def Xform \"c\" ( prepend apiSchemas = [\"PhysicsRigidBodyAPI\"] ) {}\n def " +
               std::string(slides ? "PhysicsRevoluteJoint" : "PhysicsPrismaticJoint") +
               " \"lead\" { rel physics:body0 = </robot/a>\n rel physics:body1 = </robot/b> }\n def " +
               std::string(slides ? "PhysicsPrismaticJoint" : "PhysicsRevoluteJoint") +
               " \"follow\" ( prepend apiSchemas = [\"" + api +
               "\"] ) { rel physics:body0 = </robot/b>\n rel physics:body1 = </robot/c>\n" + lines + "}\n}\n";
    };
    const double degree = std::numbers::pi / 180;
    const Fixed  newton(stage("NewtonMimicAPI",
                              "rel newton:mimicJoint = </robot/lead>\nfloat newton:mimicCoef0 = 10\nfloat "
                              "newton:mimicCoef1 = 25\n",
                              true));
    CHECK(newton.value<double>("/robot/follow.ext_physics:mimic:offset") == test::close_to(0.1, 1e-6));
    CHECK(newton.value<double>("/robot/follow.ext_physics:mimic:multiplier") == test::close_to(0.25 * degree, 1e-6));
    const Fixed physx(stage("PhysxMimicJointAPI:rotX",
                            "rel physxMimicJoint:rotX:referenceJoint = </robot/lead>\nfloat "
                            "physxMimicJoint:rotX:gearing = -0.0025\n",
                            false));
    CHECK(physx.value<double>("/robot/follow.ext_physics:mimic:multiplier") == test::close_to(0.25 / degree, 1e-6));
    const Fixed neutral(stage("ExtendedPhysicsMimicAPI",
                              "rel ext_physics:mimic:joint = </robot/lead>\nfloat ext_physics:mimic:offset = 10\nfloat "
                              "ext_physics:mimic:multiplier = 25\n",
                              true));
    CHECK(neutral.value<double>("/robot/follow.ext_physics:mimic:offset") == test::close_to(0.1, 1e-6));
    CHECK(neutral.value<double>("/robot/follow.ext_physics:mimic:multiplier") == test::close_to(0.25, 1e-6));
}

TEST_CASE(
    "paths: ./ is put before what lies there, files from outside are copied to deps; the default variant of looks "
    "(REP-T-088)")
{
    const std::string part  = "#usda 1.0\n( defaultPrim = \"robot\" )\ndef Xform \"robot\" {}\n";
    const auto        entry = [](const char* path) {
        return std::string(
                   "#usda 1.0\n(\n defaultPrim = \"robot\"\n kilogramsPerUnit = 1\n metersPerUnit = 1\n "
                   "timeCodesPerSecond = 1\n upAxis = \"Z\"\n)\n"
                   "def Xform \"robot\" ( assetInfo = { string identifier = \"u\"\n string version = \"1\" }\n kind = "
                   "\"component\"\n references = @") +
               path + "@ ) {}\n";
    };
    const Fixed search(std::map<std::string, std::string>{{"robot.usda", entry("base.usda")}, {"base.usda", part}});
    CHECK(search.file("robot.usda").find("@./base.usda@") != std::string::npos);
    const Fixed outside(
        std::map<std::string, std::string>{{"r/robot.usda", entry("../shared/base.usda")}, {"shared/base.usda", part}});
    CHECK(outside.file("robot.usda").find("@./deps/base.usda@") != std::string::npos);
    CHECK_FALSE(outside.file("deps/base.usda").empty());
    const Fixed looks(fixture_stage(find_rule("REP-1.3.2-c")->bad));
    CHECK_FALSE(looks.found("REP-1.3.2-c"));
}

TEST_CASE("an overriding layer repairs without touching the asset")
{
    FixOptions options;
    options.overlay = "fixes.usda";
    const Fixed fixed(fixture_stage(find_rule("REP-1.1-i")->bad), options);
    CHECK(fixed.result.entry == "fixes.usda");
    CHECK_MESSAGE(!fixed.found("REP-1.1-i"), to_json(fixed.result) << fixed.file("fixes.usda"));
    CHECK(fixed.file("robot.usda") == fixture_stage(find_rule("REP-1.1-i")->bad));
    CHECK(fixed.file("fixes.usda").find("@./robot.usda@") != std::string::npos);
}

TEST_CASE("the repair of every fixable rule exists, and no other rule has one that is not said")
{
    const auto all = rules();
    for (const Rule* rule : all) {
        if (!rule->fixable) continue;
        FixOptions options;
        options.select = {std::string(rule->id)};
        CAPTURE(rule->id);
        CHECK(fix("/nowhere.usda", "/nowhere", options).error().id != "CHECK_OPTION");
    }
    FixOptions wrong;
    wrong.select = {"REP-9.9-z"};
    CHECK(fix("/nowhere.usda", "/nowhere", wrong).error().id == "CHECK_OPTION");
}
