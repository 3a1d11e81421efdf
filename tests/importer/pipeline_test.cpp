#include <set>

#include "import_support.h"

using namespace mechane;
using namespace mechane::importer;
using namespace mechane::importer::test;
using mechane::test::close_to;
using mechane::test::distance;

namespace {

std::string body(const std::string& name, const std::string& place = "(0, 0, 0)", const std::string& apis = {},
                 const std::string& statements = {})
{
    return "def Xform \"" + name + "\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"" + apis +
           "])\n{\n    double3 xformOp:translate = " + place +
           "\n    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n" + statements +
           "\n    def Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { double size = 1\n }\n}\n";
}

std::string scene(const std::string& statements, const std::string& metadata = "upAxis = \"Z\"")
{
    return "#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    " + metadata +
           "\n)\ndef PhysicsScene \"scene\"\n{\n" + statements + "\n}\n";
}

}  // namespace

TEST_CASE("a stage without time metadata has 24 frames a second and no duration (IMP-003)")
{
    const Imported in = import_text(stage_text(body("b")));
    CHECK(in.result->fps == 24);
    CHECK(in.result->duration == 0);
}

TEST_CASE("articulations keep the authored order of their roots (IMP-007)")
{
    const auto root = [](const std::string& name) {
        return "def Xform \"" + name + "\" (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"])\n{\n" + body("a") +
               body("b") + "def PhysicsFixedJoint \"j\" { rel physics:body0 = </" + name +
               "/a>\n rel physics:body1 = </" + name + "/b>\n }\n}\n";
    };
    const Imported in = import_text(stage_text(root("Z") + root("A")));
    REQUIRE(in.builder.articulations.size() == 2);
    CHECK(in.builder.articulations[0].label == "/Z");
    CHECK(in.builder.articulations[1].label == "/A");
    for (const auto& tree : in.builder.articulations) CHECK(tree.joints.size() == 2);  // a base joint and the weld
}

TEST_CASE(
    "gravity follows the scene: default, direction, magnitude, off; and the transform in front (IMP-047, IMP-050, "
    "IMP-053)")
{
    CHECK(distance(import_text(scene("")).builder.gravity, Vec3d{0, 0, -9.81}) < 1e-12);
    ImportOptions turned;
    turned.xform      = Posed{{}, from_axis_angle(Vec3d{0, 0, 1}, kPi / 2)};
    const Imported in = import_text(
        scene("vector3f physics:gravityDirection = (1, 0, 0)\n float physics:gravityMagnitude = 5"), turned);
    CHECK(distance(in.builder.gravity, Vec3d{0, 5, 0}) < 1e-12);
    CHECK(distance(import_text(scene("bool newton:gravityEnabled = false")).builder.gravity, Vec3d{}) == 0);
}

TEST_CASE("without a scene there is no step rate, and the builder's gravity stays (IMP-054)")
{
    auto stage = usd::Stage::open_text(with_line_ends("#usda 1.0\n(\n    metersPerUnit = 1\n)\n" + body("b")));
    REQUIRE(stage);
    model::ModelBuilder builder;
    builder.gravity = {1, 2, 3};
    Diagnostics found;
    const auto  result = import_usd(**stage, {}, builder, found);
    REQUIRE(result);
    CHECK_FALSE(result->physics_dt);
    CHECK_FALSE(result->physics_scene_path);
    CHECK(builder.gravity == Vec3d{1, 2, 3});
}

TEST_CASE("the step rate gives the step, zero asks for the default (IMP-055, IMP-056, IMP-057)")
{
    CHECK(*import_text(scene("int newton:timeStepsPerSecond = 120")).result->physics_dt == close_to(1.0 / 120, 1e-12));
    CHECK(*import_text(scene("int newton:timeStepsPerSecond = 0")).result->physics_dt == 0.001);
    CHECK(*import_text(scene("")).result->max_solver_iterations == -1);
    ImportOptions physx;
    physx.schema_resolvers = {"physx", "newton"};
    const Imported in      = import_text(scene(""), physx);
    CHECK(*in.result->physics_dt == 0.001);
    CHECK(*in.result->max_solver_iterations == 255);
}

TEST_CASE("under Newton's rules the first of two scenes is used and reported (IMP-058)")
{
    const Imported in =
        import_text(scene("float physics:gravityMagnitude = 1") +
                        "def PhysicsScene \"other\" { float physics:gravityMagnitude = 2\n }\n" + body("b"),
                    newton_options());
    CHECK(*in.result->physics_scene_path == "/scene");
    CHECK(distance(in.builder.gravity, Vec3d{0, 0, -1}) < 1e-12);
}

TEST_CASE("the transform goes in front of authored poses (IMP-068), or replaces the pose of a root (IMP-067)")
{
    ImportOptions moved;
    moved.xform       = Posed{{0, 0, 1}, from_axis_angle(Vec3d{0, 0, 1}, kPi / 2)};
    const Imported in = import_text(stage_text(body("b", "(1, 0, 0)")), moved);
    CHECK(distance(in.body_at("/b").q.p, Vec3d{0, 1, 1}) < 1e-9);

    ImportOptions placed       = moved;
    placed.xform               = Posed{{5, 0, 0}, {}};
    placed.override_root_xform = true;
    // The root prim stands at x = 3, its second body 1 m further.
    const std::string robot =
        "def Xform \"robot\" (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"])\n{\n    double3 xformOp:translate "
        "= (3, 0, 0)\n"
        "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n" +
        body("a") + body("b", "(1, 0, 0)") +
        "def PhysicsFixedJoint \"j\" { rel physics:body0 = </robot/a>\n rel physics:body1 = </robot/b>\n point3f "
        "physics:localPos0 = (1, 0, 0)\n }\n}\n";
    const Imported at = import_text(stage_text(robot), placed);
    CHECK(distance(at.body_at("/robot/a").q.p, Vec3d{5, 0, 0}) < 1e-9);
    CHECK(distance(at.body_at("/robot/b").q.p, Vec3d{6, 0, 0}) < 1e-9);
}

TEST_CASE("a body below a body is a body of its own (IMP-032), and a mirrored one is reported (IMP-066)")
{
    const Imported in = import_text(stage_text(body("outer", "(0, 0, 0)", "", body("inner", "(0, 0, 2)"))));
    CHECK(in.body_labels() == std::vector<std::string>{"/outer", "/outer/inner"});
    CHECK(in.body_at("/outer").shapes.size() == 1);
    const Imported mirrored = import_text(stage_text(
        "def Xform \"m\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"])\n{\n    float3 xformOp:scale = (-1, 1, 1)\n"
        "    uniform token[] xformOpOrder = [\"xformOp:scale\"]\n}\n"));
    CHECK(mirrored.found.count("PHY_BODY_MIRRORED") == 1);
}

TEST_CASE("a material outside root_path still sets friction (IMP-035)")
{
    ImportOptions part;
    part.root_path    = "/Q";
    const Imported in = import_text(stage_text(R"(
def Material "ice" (prepend apiSchemas = ["PhysicsMaterialAPI"]) { float physics:dynamicFriction = 0.1 }
def Xform "Q" { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) { rel material:binding:physics = </ice>
 } }
def Cube "elsewhere" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { })"),
                                    part);
    REQUIRE(in.builder.shapes.size() == 1);
    CHECK(in.shape_at("/Q/c").config.mu == close_to(0.1, 1e-7));
}

TEST_CASE("an instanced body comes once for each instance (IMP-040), and a variant decides the shape (IMP-041)")
{
    const Imported twice =
        import_text(stage_text("class Xform \"proto\"\n{\n" + body("b") + "}\n" +
                               "def \"i1\" (\n instanceable = true\n references = </proto>\n)\n{\n}\ndef \"i2\" (\n "
                               "instanceable = true\n references = </proto>\n)\n{\n}\n"));
    CHECK(twice.body_labels() == std::vector<std::string>{"/i1/b", "/i2/b"});
    for (const auto& [variant, type] :
         {std::pair("round", model::GeoType::sphere), std::pair("square", model::GeoType::box)}) {
        CAPTURE(std::string(variant));
        const Imported in = import_text(stage_text(
            "def Xform \"b\" (\n prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]\n variants = { string form = \"" +
            std::string(variant) +
            "\"\n }\n prepend variantSets = \"form\"\n)\n{\n    variantSet \"form\" = {\n        \"round\" { def "
            "Sphere \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { } }\n"
            "        \"square\" { def Cube \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { } }\n    }\n}\n"));
        CHECK(in.shape_at("/b/s").type == type);
    }
}

TEST_CASE("a disabled joint is skipped, or imported disabled (IMP-115)")
{
    const std::string stage = stage_text(body("a") + body("b") +
                                         "def PhysicsRevoluteJoint \"j\" { rel physics:body0 = </a>\n rel "
                                         "physics:body1 = </b>\n bool physics:jointEnabled = false\n }\n");
    CHECK(import_text(stage).result->path_joint_map.count("/j") == 0);
    ImportOptions all;
    all.only_load_enabled_joints = false;
    const Imported in            = import_text(stage, all);
    REQUIRE(in.result->path_joint_map.count("/j") == 1);
    CHECK_FALSE(in.joint_at("/j").enabled);
}

TEST_CASE("parents come before children in every articulation, whatever the order of the prims (IMP-014)")
{
    std::string chain;
    for (const char* name : {"d", "b", "c", "a"}) chain += body(name);
    const auto joint = [](const char* name, const char* from, const char* to) {
        return std::string("def PhysicsRevoluteJoint \"") + name + "\" { rel physics:body0 = </r/" + from +
               ">\n rel physics:body1 = </r/" + to + ">\n }\n";
    };
    const Imported in =
        import_text(stage_text("def Xform \"r\" (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"])\n{\n" + chain +
                               joint("j1", "c", "d") + joint("j2", "b", "c") + joint("j3", "a", "b") + "}\n"));
    for (const auto& tree : in.builder.articulations) {
        std::set<std::int32_t> reached{-1};
        for (const std::int32_t j : tree.joints) {
            const auto& one = in.builder.joints[static_cast<std::size_t>(j)];
            CHECK(reached.count(one.parent) == 1);
            reached.insert(one.child);
        }
    }
    CHECK(in.builder.articulations.front().joints.size() == 4);
}
