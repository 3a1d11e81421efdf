#include "mechane/model/collapse.h"
#include "import_support.h"

using namespace mechane;
using namespace mechane::importer;
using namespace mechane::importer::test;
using mechane::test::close_to;
using mechane::test::distance;

namespace {

/// A free base, a camera welded 1 m above it, and an arm hinged to the camera.
std::string mast(const std::string& scene = {}, const std::string& weld = {})
{
    return "#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = \"Z\"\n)\ndef PhysicsScene "
           "\"scene\"\n{\n" +
           scene + R"(
}
def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double size = 1
 } }
    def Xform "camera" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double size = 1
 }
    }
    def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
        double3 xformOp:translate = (0, 0, 2)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double size = 1
 }
    }
    def PhysicsFixedJoint "weld"
    {
        rel physics:body0 = </robot/base>
        rel physics:body1 = </robot/camera>
        point3f physics:localPos0 = (0, 0, 1)
)" + weld + R"(
    }
    def PhysicsRevoluteJoint "hinge"
    {
        rel physics:body0 = </robot/camera>
        rel physics:body1 = </robot/arm>
        point3f physics:localPos0 = (0, 0, 0.5)
        point3f physics:localPos1 = (0, 0, -0.5)
    }
}
)";
}

ImportOptions collapsing()
{
    ImportOptions options;
    options.collapse_fixed_joints = true;
    return options;
}

}  // namespace

TEST_CASE("a welded body is merged: shapes move along, masses add up, its joints hang on the survivor (IMP-043)")
{
    const Imported in = import_text(mast(), collapsing());
    REQUIRE(in.result);
    CHECK(in.body_labels() == std::vector<std::string>{"/robot/base", "/robot/arm"});
    CHECK(in.result->path_body_map.at("/robot/camera") == in.result->path_body_map.at("/robot/base"));
    CHECK(in.result->path_original_body_map.at("/robot/camera") == 1);
    // Two unit cubes of 1000 kg, 1 m apart: the centre lies between them, and about it
    // Ixx = 2 (1000/6 + 1000 0.5^2) = 833.33, Izz = 2 1000/6 = 333.33.
    const model::BuilderBody& base = in.body_at("/robot/base");
    CHECK(base.mass == close_to(2000, 1e-9));
    CHECK(distance(base.com, Vec3d{0, 0, 0.5}) < 1e-9);
    CHECK(base.inertia.r0.x == close_to(2500.0 / 3, 1e-9));
    CHECK(base.inertia.r2.z == close_to(1000.0 / 3, 1e-9));
    const model::BuilderShape& shape = in.shape_at("/robot/camera/c");
    CHECK(shape.body == in.result->path_body_map.at("/robot/base"));
    CHECK(distance(shape.xform.p, Vec3d{0, 0, 1}) < 1e-9);
    const model::BuilderJoint& hinge = in.joint_at("/robot/hinge");
    CHECK(hinge.parent == in.result->path_body_map.at("/robot/base"));
    CHECK(distance(hinge.parent_xform.p, Vec3d{0, 0, 1.5}) < 1e-9);
    Diagnostics found;
    CHECK(in.builder.finalize({}, found));
}

TEST_CASE(
    "the result holds the pose of the merged body, and labels of joints that the importer made (IMP-044, IMP-045)")
{
    const Imported plain = import_text(mast());
    CHECK(plain.result->path_body_relative_transform.empty());
    CHECK_FALSE(plain.result->collapse_results);
    CHECK(plain.result->path_joint_map.count("joint_1") == 0);
    const Imported in = import_text(mast(), collapsing());
    REQUIRE(in.result->path_body_relative_transform.count("/robot/camera") == 1);
    CHECK(distance(in.result->path_body_relative_transform.at("/robot/camera").p, Vec3d{0, 0, 1}) < 1e-9);
    CHECK(in.result->path_joint_map.count("/robot/weld") == 0);
    CHECK(in.result->path_joint_map.at("joint_1") == 0);
    REQUIRE(in.result->collapse_results);
    CHECK(in.result->collapse_results->body_remap == std::vector<std::int32_t>{0, 0, 1});
    CHECK(in.result->collapse_results->joint_remap == std::vector<std::int32_t>{0, -1, 1});
}

TEST_CASE("a joint that is merged into a body follows nothing and leads nothing")
{
    const auto with = [](const std::string& who, const std::string& whom) {
        std::string       text = mast();
        const std::string head = "\"" + who + "\"\n    {";
        const auto        at   = text.find(head);
        REQUIRE(at != std::string::npos);
        return text.replace(at, head.size(), "\"" + who + "\" (prepend apiSchemas = [\"NewtonMimicAPI\"])\n    {\n        rel newton:mimicJoint = </robot/" +
                                                 whom + ">");
    };
    for (const auto& [who, whom] : {std::pair("weld", "hinge"), std::pair("hinge", "weld")}) {
        CAPTURE(who);
        const Imported in = import_text(with(who, whom), collapsing());
        REQUIRE(in.result);
        CHECK(in.found.count("IMPORT_MIMIC_LEADER") == 1);
        CHECK(in.joint_at("/robot/hinge").mimic_joint == -1);
        // Where it stays a joint, it is one that cannot be coupled.
        CHECK(import_text(with(who, whom)).found.count("IMPORT_MIMIC_INVALID") == 1);
    }
}

TEST_CASE("what the scene says about collapsing goes before the option (IMP-046)")
{
    CHECK(import_text(mast("bool newton:collapse_fixed_joints = true")).builder.bodies.size() == 2);
    CHECK(import_text(mast("bool newton:collapse_fixed_joints = false"), collapsing()).builder.bodies.size() == 3);
}

TEST_CASE("joints that are to be kept stay, as do disabled ones")
{
    ImportOptions options  = collapsing();
    options.joints_to_keep = {"/robot/weld"};
    CHECK(import_text(mast(), options).builder.bodies.size() == 3);
    ImportOptions with_disabled            = collapsing();
    with_disabled.only_load_enabled_joints = false;
    const Imported disabled                = import_text(mast("", "bool physics:jointEnabled = false"), with_disabled);
    CHECK(disabled.result->path_body_map.count("/robot/camera") == 1);
    CHECK(disabled.builder.bodies.size() == 3);
}

TEST_CASE("a body welded to the world becomes part of it, with its colliders in world poses")
{
    model::ModelBuilder b;
    const auto          body = b.add_link({{0, 0, 2}, {}}, "post", 1, {}, Mat33d::identity());
    const auto          weld = b.add_joint_fixed(-1, body, {{0, 0, 2}, {}}, {}, "weld");
    b.add_articulation({weld}, "post");
    b.add_shape_sphere(body, {{0, 0, 0.5}, {}}, 0.1, {});
    Diagnostics found;
    const auto  result = model::collapse_fixed_joints(b, {}, found);
    CHECK(b.bodies.empty());
    CHECK(b.articulations.empty());
    CHECK(b.shapes.front().body == -1);
    CHECK(distance(b.shapes.front().xform.p, Vec3d{0, 0, 2.5}) < 1e-12);
    CHECK(result.body_remap == std::vector<std::int32_t>{-1});
    CHECK(b.finalize({}, found));
}

TEST_CASE("collapsing keeps custom values with their entities, and welds outside articulations stay and are reported")
{
    model::ModelBuilder b;
    const auto          base = b.add_body({}, "base", 1, {}, Mat33d::identity());
    const auto          tool = b.add_link({{1, 0, 0}, {}}, "tool", 1, {}, Mat33d::identity());
    const auto          weld = b.add_joint_fixed(base, tool, {{1, 0, 0}, {}}, {}, "weld");
    b.articulations.back().joints.push_back(weld);
    b.joints.back().articulation = 0;
    b.add_body({{2, 0, 0}, {}}, "loose", 1, {}, Mat33d::identity());
    b.add_joint_fixed(base, 2, {{2, 0, 0}, {}}, {}, "loop");
    REQUIRE(b.add_custom_attribute({.name = "n"}));
    b.custom_attribute("n")->values = {{0, {10}}, {1, {11}}, {2, {12}}};
    Diagnostics found;
    model::collapse_fixed_joints(b, {}, found);
    CHECK(found.count("MODEL_COLLAPSE_LOOP_WELD") == 1);
    REQUIRE(b.bodies.size() == 2);
    CHECK(b.custom_attribute("n")->values == std::map<std::int32_t, model::CustomValue>{{0, {10}}, {1, {12}}});
    CHECK(b.finalize({}, found));
}

TEST_CASE("welds of a tree that is no articulation merge, in whatever order they are listed, and a ring is cut once")
{
    model::ModelBuilder b;
    const Posed         up{{0, 0, 1}, {}};
    for (const char* name : {"foot", "knee", "hip"}) b.add_link({}, name, 1, {}, Mat33d::identity());
    b.add_joint_fixed(1, 2, up, {}, "upper");
    b.add_joint_fixed(0, 1, up, {}, "lower");
    b.add_joint_fixed(-1, 0, up, {}, "anchor");
    Diagnostics found;
    SUBCASE("to the world")
    {
        const auto result = model::collapse_fixed_joints(b, {}, found);
        CHECK(b.bodies.empty());
        CHECK(b.joints.empty());
        CHECK(distance(result.body_merged_transform.at(2).p, Vec3d{0, 0, 3}) < 1e-12);
        CHECK(found.empty());
    }
    SUBCASE("to each other")
    {
        b.joints.back().parent = 2;
        model::collapse_fixed_joints(b, {}, found);
        REQUIRE(b.bodies.size() == 1);
        CHECK(b.bodies.front().mass == 3);
        CHECK(b.joints.empty());
    }
}
