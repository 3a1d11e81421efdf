// Items of point instancers are bodies, colliders and shapes like those of any prim. Poses are those of
// UsdGeomPointInstancer: prototype's own transform, scale, rotation, position, instancer.
#include <fmt/format.h>

#include "import_support.h"
#include "mechane/usd/instancer_copies.h"

namespace mechane::importer::test {
using mechane::test::close_to;

namespace {

constexpr const char* kBox =
    "def Cube \"box\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]) { double size = 0.2 }";

/// An instancer with one prototype below it.
std::string instancer(const std::string& lines, const std::string& prototype = kBox, const std::string& name = "pi")
{
    return fmt::format("def PointInstancer \"{0}\" {{\n    rel prototypes = </{0}/p/box>\n{1}\n    def Scope \"p\" {{\n{2}\n}}\n}}\n",
                       name, lines, prototype);
}

bool near(const Vec3d& a, const Vec3d& b, double within = 1e-6) { return length(a - b) <= within; }

}  // namespace

TEST_CASE("items of a point instancer are bodies at their positions, and the prototype itself is none (PHY-019, usd-physics 4)")
{
    const Imported in = import_text(stage_text(
        instancer("int[] protoIndices = [0, 0, 0]\n    point3f[] positions = [(0, 0, 1), (0.5, 0, 1), (1, 0, 1)]")));
    REQUIRE(in.result);
    CHECK(in.body_labels() == std::vector<std::string>{"/pi/box_0", "/pi/box_1", "/pi/box_2"});
    CHECK(near(in.body_at("/pi/box_1").q.p, {0.5, 0, 1}));
    CHECK(in.builder.shapes.size() == 3);
    CHECK(in.body_at("/pi/box_2").mass == close_to(8, 1e-6));  // 0.2^3 m^3 of 1000 kg/m^3
    CHECK(in.found.count("PHY_INSTANCER") == 0);
    REQUIRE(in.result->stage);
    const usd::Prim copy = in.result->stage->prim_at(usd::Path("/pi/box_2"));
    const auto      item = usd::instancer_item(copy);
    REQUIRE(item);
    CHECK(item->index == 2);
    CHECK(item->prototype.text() == "/pi/p/box");
    CHECK(item->own);
}

TEST_CASE("scale, rotation, the prototype's own transform and the instancer's place make an item's pose (usd-physics 4)")
{
    // p = ((0.1, 0, 0) * 2 turned by 90 degrees about z + (0, 0, 1)) * 10 + (0, 5, 0)
    const Imported in = import_text(stage_text(
        "def Xform \"W\" {\n double3 xformOp:translate = (0, 5, 0)\n double3 xformOp:scale = (10, 10, 10)\n"
        " uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:scale\"]\n"
        "def PointInstancer \"pi\" {\n rel prototypes = </W/pi/box>\n int[] protoIndices = [0]\n"
        " point3f[] positions = [(0, 0, 1)]\n quath[] orientations = [(0.70710678, 0, 0, 0.70710678)]\n"
        " float3[] scales = [(2, 2, 2)]\n"
        "def Cube \"box\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]) {\n double size = 0.2\n"
        " double3 xformOp:translate = (0.1, 0, 0)\n uniform token[] xformOpOrder = [\"xformOp:translate\"] }\n}\n}\n"));
    REQUIRE(in.result);
    const model::BuilderBody& body = in.body_at("/W/pi/box_0");
    CHECK(near(body.q.p, {0, 7, 10}, 1e-3));  // a half has eleven bits
    CHECK(std::abs(dot(body.q.q, Quatd{0, 0, std::sqrt(0.5), std::sqrt(0.5)})) > 1 - 1e-5);
    CHECK(near(in.builder.shapes.front().scale, {2, 2, 2}, 1e-5));  // half extents: 0.1 times 2 times 10
    CHECK(body.mass == close_to(64000, 1));
}

TEST_CASE("orientationsf goes before orientations; arrays of another length are told and left (usd-physics 4)")
{
    const Imported in = import_text(stage_text(instancer(
        "int[] protoIndices = [0]\n point3f[] positions = [(0, 0, 1)]\n quath[] orientations = [(1, 0, 0, 0)]\n"
        " quatf[] orientationsf = [(0, 1, 0, 0)]\n float3[] scales = [(1, 1, 1), (2, 2, 2)]")));
    REQUIRE(in.result);
    CHECK(std::abs(dot(in.body_at("/pi/box_0").q.q, Quatd{1, 0, 0, 0})) > 1 - 1e-6);
    CHECK(in.found.count("IMPORT_INSTANCER_ITEMS") == 1);
    CHECK(in.body_at("/pi/box_0").mass == close_to(8, 1e-6));
}

TEST_CASE("inactive items are not there, invisible ones are and are not drawn; ids name them (usd-physics 4)")
{
    const std::string arrays =
        "int[] protoIndices = [0, 0, 0]\n point3f[] positions = [(0, 0, 1), (1, 0, 1), (2, 0, 1)]\n";
    const Imported by_place = import_text(stage_text("def PointInstancer \"pi\" ( inactiveIds = [1] ) {\n rel prototypes = </pi/box>\n" +
                                                     arrays + " int64[] invisibleIds = [2]\n" + kBox + "\n}\n"));
    REQUIRE(by_place.result);
    CHECK(by_place.body_labels() == std::vector<std::string>{"/pi/box_0", "/pi/box_2"});
    CHECK((by_place.shape_at("/pi/box_0").flags & model::shape_flag::visible) != 0);
    CHECK((by_place.shape_at("/pi/box_2").flags & model::shape_flag::visible) == 0);
    CHECK((by_place.shape_at("/pi/box_2").flags & model::shape_flag::collide_shapes) != 0);
    const Imported by_id = import_text(stage_text("def PointInstancer \"pi\" ( inactiveIds = [1] ) {\n rel prototypes = </pi/box>\n" +
                                                  arrays + " int64[] ids = [7, 1, 9]\n int64[] invisibleIds = [7]\n" + kBox + "\n}\n"));
    CHECK(by_id.body_labels() == std::vector<std::string>{"/pi/box_0", "/pi/box_2"});
    CHECK((by_id.shape_at("/pi/box_0").flags & model::shape_flag::visible) == 0);
}

TEST_CASE("a prototype may be an instancer, be several bodies with a joint, or collide only (usd-physics 4)")
{
    const Imported nested = import_text(stage_text(
        "def PointInstancer \"outer\" {\n rel prototypes = </outer/inner>\n int[] protoIndices = [0, 0]\n"
        " point3f[] positions = [(0, 0, 0), (0, 0, 10)]\n"
        "def PointInstancer \"inner\" {\n rel prototypes = </outer/inner/box>\n int[] protoIndices = [0, 0]\n"
        " point3f[] positions = [(1, 0, 0), (2, 0, 0)]\n" +
        std::string(kBox) + "\n}\n}\n"));
    REQUIRE(nested.result);
    CHECK(nested.body_labels() == std::vector<std::string>{"/outer/inner_0/box_0", "/outer/inner_0/box_1",
                                                            "/outer/inner_1/box_0", "/outer/inner_1/box_1"});
    CHECK(near(nested.body_at("/outer/inner_1/box_1").q.p, {2, 0, 10}));

    const Imported pair = import_text(stage_text(
        "def PointInstancer \"pi\" {\n rel prototypes = </pi/two>\n int[] protoIndices = [0, 0]\n"
        " point3f[] positions = [(0, 0, 0), (5, 0, 0)]\n def Xform \"two\" {\n"
        "def Cube \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]) {}\n"
        "def Cube \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]) {}\n"
        "def PhysicsRevoluteJoint \"j\" {\n rel physics:body0 = </pi/two/a>\n rel physics:body1 = </pi/two/b> }\n}\n}\n"));
    REQUIRE(pair.result);
    CHECK(pair.builder.bodies.size() == 4);
    CHECK(pair.result->path_joint_map.count("/pi/two_1/j") == 1);
    CHECK(pair.builder.bodies[static_cast<std::size_t>(pair.joint_at("/pi/two_1/j").child)].label == "/pi/two_1/b");

    const Imported still = import_text(stage_text(instancer(
        "int[] protoIndices = [0, 0]\n point3f[] positions = [(0, 0, 1), (1, 0, 1)]",
        "def Cube \"box\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {}")));
    REQUIRE(still.result);
    CHECK(still.builder.bodies.empty());
    REQUIRE(still.builder.shapes.size() == 2);
    CHECK(still.builder.shapes[1].body == model::kWorldBody);
    CHECK(near(still.builder.shapes[1].xform.p, {1, 0, 1}));
}

TEST_CASE("what cannot be copied is told once for each instancer, at warning level (usd-physics 4)")
{
    const auto said = [](const std::string& body, const std::string& site = "/pi") {
        const Imported in = import_text(stage_text(body));
        REQUIRE(in.result);
        CHECK(in.builder.bodies.empty());
        const Diagnostic* d = in.found.find("IMPORT_INSTANCER_ITEMS");
        REQUIRE(d != nullptr);
        CHECK(d->severity == Severity::warning);
        CHECK(d->site.prim == site);
        CHECK(in.found.count("IMPORT_INSTANCER_ITEMS") == 1);
    };
    said("def PointInstancer \"pi\" {\n rel prototypes = </nowhere>\n int[] protoIndices = []\n point3f[] positions = [] }\n");
    said(instancer("int[] protoIndices = [0, 0]\n point3f[] positions = [(0, 0, 1)]"));
    said(instancer("int[] protoIndices = [3, 3]\n point3f[] positions = [(0, 0, 1), (0, 0, 1)]"));
    said("def PointInstancer \"pi\" {\n rel prototypes = </pi>\n int[] protoIndices = [0]\n point3f[] positions = [(0, 0, 0)] }\n");
    said("def PointInstancer \"pi\" {\n rel prototypes = </qi>\n int[] protoIndices = [0]\n point3f[] positions = [(0, 0, 0)] }\n"
         "def PointInstancer \"qi\" {\n rel prototypes = </pi>\n int[] protoIndices = [0]\n point3f[] positions = [(0, 0, 0)] }\n",
         "/qi");
}

TEST_CASE("instancers can be left out, and are under newton-1.8 (usd-physics 4)")
{
    const std::string stage =
        stage_text(instancer("int[] protoIndices = [0]\n point3f[] positions = [(0, 0, 1)]"));
    ImportOptions     ignore;
    ignore.point_instancers = PointInstancers::ignore;
    const Imported in       = import_text(stage, ignore);
    CHECK(in.builder.bodies.empty());
    CHECK(in.found.count("PHY_INSTANCER") == 1);
    CHECK(import_text(stage, newton_options()).builder.bodies.empty());
}

TEST_CASE("velocities of an instancer are those of its bodies, out of its space (usd-physics 5)")
{
    // The instancer is turned by 90 degrees about z: its x is the world's y.
    const Imported in = import_text(stage_text(
        "def Xform \"W\" {\n float xformOp:rotateZ = 90\n uniform token[] xformOpOrder = [\"xformOp:rotateZ\"]\n"
        "def PointInstancer \"pi\" {\n rel prototypes = </W/pi/box>\n int[] protoIndices = [0]\n"
        " point3f[] positions = [(0, 0, 1)]\n quatf[] orientationsf = [(0, 1, 0, 0)]\n float3[] scales = [(2, 2, 2)]\n"
        " vector3f[] velocities = [(3, 0, 0)]\n vector3f[] angularVelocities = [(0, 0, 90)]\n" +
        std::string(kBox) + "\n}\n}\n"));
    REQUIRE(in.result);
    const Spatiald& v = in.body_at("/W/pi/box_0").qd;
    CHECK(near(v.linear, {0, 3, 0}, 1e-5));
    CHECK(near(v.angular, {0, 0, kPi / 2}, 1e-5));
}

TEST_CASE("the ledger speaks of the prototype, once (GAP-098)")
{
    ImportOptions options;
    options.ledger    = true;
    const Imported in = import_text(
        stage_text(instancer("int[] protoIndices = [0, 0]\n point3f[] positions = [(0, 0, 1), (0, 0, 3)]",
                             "def Cube \"box\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\", "
                             "\"PhysicsMassAPI\"]) { float physics:mass = 3 }")),
        options);
    REQUIRE(in.result);
    std::size_t rows = 0;
    for (const LedgerEntry& entry : in.result->ledger)
        if (entry.property == "physics:mass") {
            ++rows;
            CHECK(entry.prim == "/pi/p/box");
            CHECK(entry.verdict == Verdict::used);
        }
    CHECK(rows == 1);
}

}  // namespace mechane::importer::test
