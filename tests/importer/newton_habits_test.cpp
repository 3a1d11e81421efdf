// What Newton 1.8 alone makes of a stage, each measured; tests/differential/test_random_robots.py compares the whole.
#include "import_support.h"
#include "robot_text.h"

using namespace mechane;
using namespace mechane::importer;
using namespace mechane::importer::test;
using mechane::test::distance;

TEST_CASE("Newton puts the stage's up axis before an anchor in a body when no articulation holds the joint (IMP 3.2)")
{
    // Without an articulation root the joint is read last. Y up onto Z up: (0.5, 2, 3) becomes (0.5, -3, 2).
    const std::string stage =
        stage_text(body("a") + body("b", 1) +
                       "def PhysicsFixedJoint \"j\" {\n rel physics:body0 = </a>\n rel physics:body1 = </b>\n point3f "
                       "physics:localPos0 = (0.5, 2, 3)\n}",
                   "metersPerUnit = 1\n    upAxis = \"Y\"");
    CHECK(distance(import_text(stage, newton_options()).joint_at("/j").parent_xform.p, Vec3d{0.5, -3, 2}) < 1e-6);
    CHECK(distance(import_text(stage).joint_at("/j").parent_xform.p, Vec3d{0.5, 2, 3}) < 1e-6);
}

TEST_CASE("a body on a distance joint starts at rest in Newton (IMP 1.7)")
{
    const Imported in = import_text(stage_text(robot(body("a") + body("b", 1, "vector3f physics:velocity = (1, 2, 3)") +
                                                     joint("PhysicsDistanceJoint", "j", "/robot", "a", "b"))),
                                    newton_options());
    CHECK(in.joint_at("/robot/j").qd == std::vector<double>(6, 0));
}

TEST_CASE("what a collider authors of its mass is read by Newton in the frame that is turned onto its axis (IMP 5.3)")
{
    // The turn of z onto y takes (x, y, z) to (x, z, -y): a centre at (0.1, 0.2, 0.3) lies at (0.1, 0.3, -0.2).
    const std::string stage = stage_text(R"(
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Cylinder "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) {
        uniform token axis = "Y"
        point3f physics:centerOfMass = (0.1, 0.2, 0.3)
    }
})");
    CHECK(distance(import_text(stage, newton_options()).body_at("/b").com, Vec3d{0.1, 0.3, -0.2}) < 1e-6);
    CHECK(distance(import_text(stage).body_at("/b").com, Vec3d{0.1, 0.2, 0.3}) < 1e-6);
}

TEST_CASE("a visual plane that does not say how large it is is infinite in Newton, two by two in USD (IMP 4.1)")
{
    const std::string stage = stage_text("def Plane \"p\" { double width = 5 }");
    CHECK(import_text(stage, newton_options()).shape_at("/p").scale == Vec3d{5, 0, 0});
    CHECK(import_text(stage).shape_at("/p").scale == Vec3d{5, 2, 0});
}

TEST_CASE(
    "a visual copy keeps the margin of its collider in Newton, and copies come with the method met first (IMP 4.2)")
{
    const std::string mesh = R"(
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
)";
    const std::string api  = "(prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"])";
    const auto        part = [&](const char* name, const char* method) {
        return std::string("def Mesh \"") + name + "\" " + api + " {" + mesh +
               "float newton:contactMargin = 0.01\n uniform token physics:approximation = \"" + method + "\"\n}\n";
    };
    const Imported in = import_text(stage_text("def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {" +
                                               part("ball", "boundingSphere") + part("hull", "convexHull") + "}"),
                                    newton_options());
    REQUIRE(in.builder.shapes.size() == 4);
    CHECK(in.builder.shapes[2].label == "/b/ball_visual");
    CHECK(in.builder.shapes[3].label == "/b/hull_visual");
    CHECK(in.builder.shapes[2].config.margin == mechane::test::close_to(0.01, 1e-7));  // authored as float
}

TEST_CASE("prototypes of an instancer are not seen where they are defined (PHY-019)")
{
    const std::string stage = stage_text(R"(
def PointInstancer "many" {
    int[] protoIndices = [0]
    point3f[] positions = [(1, 0, 0)]
    rel prototypes = </many/grain>
    def Sphere "grain" {}
})");
    const Imported in = import_text(stage);
    REQUIRE(in.builder.shapes.size() == 1);  // the item
    CHECK(in.builder.shapes[0].label == "/many/grain_0");
    CHECK(in.builder.shapes[0].xform.p == Vec3d{1, 0, 0});
    CHECK(import_text(stage, newton_options()).builder.shapes.size() == 1);  // Newton 1.8 draws it all the same
}

TEST_CASE("Newton draws what is off below an instancer, and not what collides there")
{
    const auto stage = [](const char* more) {
        return stage_text(std::string(R"(
def PointInstancer "many" {
    int[] protoIndices = [0]
    point3f[] positions = [(1, 0, 0)]
    rel prototypes = </many/grain>
    def Sphere "grain" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {)") +
                          more + "}\n}");
    };
    CHECK(import_text(stage(""), newton_options()).builder.shapes.empty());
    CHECK(import_text(stage("bool physics:collisionEnabled = 0"), newton_options()).builder.shapes.size() == 1);
}

TEST_CASE("a collider that is ignored weighs nothing (IMP 1.6)")
{
    const std::string stage = stage_text(
        "def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n    def Cube \"kept\" (prepend apiSchemas "
        "= "
        "[\"PhysicsCollisionAPI\"]) { double size = 1\n }\n    def Cube \"left\" (prepend apiSchemas = "
        "[\"PhysicsCollisionAPI\"]) { double size = 2\n }\n}");
    for (ImportOptions options : {newton_options(), ImportOptions{}}) {
        options.ignore_paths = {".*/left"};
        CHECK(import_text(stage, options).body_at("/b").mass == mechane::test::close_to(1000, 1e-6));
    }
}

TEST_CASE("without a scene gravity follows the up axis that is taken from the stage (IMP 1.4)")
{
    ImportOptions options            = newton_options();
    options.apply_up_axis_from_stage = true;
    const std::string stage          = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n" + body("a");
    CHECK(import_text(stage, options).builder.gravity == Vec3d{0, -9.81, 0});
}

TEST_CASE("a drive's target beyond the only limit is held at that limit")
{
    const std::string lines = R"(float physics:lowerLimit = 45
    float drive:angular:physics:stiffness = 10
    float drive:angular:physics:targetPosition = 30
)";
    std::string text = robot(body("a") + body("b", 1) + joint("PhysicsRevoluteJoint", "j", "/robot", "a", "b", lines));
    text.replace(text.find("\"j\""), 3, "\"j\" (prepend apiSchemas = [\"PhysicsDriveAPI:angular\"])");
    const Imported in = import_text(stage_text(text));
    CHECK(in.joint_at("/robot/j").angular_axes.front().target_q == mechane::test::close_to(45 * kDegrees, 1e-6));
}

TEST_CASE("of an articulation's joints to the world Newton anchors the first one anew and takes the others as authored")
{
    const auto link = [](const std::string& name, int x) {
        return "def Xform \"" + name + "\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n double3 xformOp:translate = (" +
               std::to_string(x) + ", 0, 0)\n uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}\n";
    };
    const auto hinge = [](const std::string& name, const std::string& of) {
        return "def PhysicsRevoluteJoint \"" + name + "\" {\n rel physics:body0 = </r/" + of + ">\n}\n";
    };
    const Imported in = import_text(
        stage_text("def Xform \"r\" (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"]) {\n" + link("a", 3) + hinge("first", "a") +
                   link("b", 5) + hinge("second", "b") +
                   "def PhysicsFixedJoint \"loop\" {\n rel physics:body0 = </r/a>\n rel physics:body1 = </r/b>\n bool "
                   "physics:excludeFromArticulation = 1\n}\n}\n"),
        newton_options());
    REQUIRE(in.result);
    CHECK(distance(in.joint_at("/r/first").parent_xform.p, Vec3d{3, 0, 0}) < 1e-6);
    CHECK(distance(in.joint_at("/r/second").parent_xform.p, Vec3d{}) < 1e-6);
}

TEST_CASE("Newton adds the inertia of a body that it merges about the survivor's origin, we about the common centre (IMP-043)")
{
    // Two cubes of 8 kg, edge 0.2, a metre apart along x; about their centre each is 0.5 m away, about the origin one is 1 m.
    const std::string cube =
        " def Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n double size = 0.2\n }\n}\n";
    const std::string stage = stage_text(
        "def Xform \"r\" (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"]) {\n"
        "def Xform \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n" +
        cube +
        "def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n double3 xformOp:translate = (1, 0, 0)\n uniform "
        "token[] xformOpOrder = [\"xformOp:translate\"]\n" +
        cube +
        "def PhysicsFixedJoint \"j\" {\n rel physics:body0 = </r/a>\n rel physics:body1 = </r/b>\n point3f physics:localPos0 "
        "= (1, 0, 0)\n}\n}\n");
    const double  own = 8 * 0.2 * 0.2 / 6;
    ImportOptions ours, newton = newton_options();
    ours.collapse_fixed_joints = newton.collapse_fixed_joints = true;
    CHECK(import_text(stage, ours).body_at("/r/a").inertia(1, 1) == mechane::test::close_to(2 * own + 16 * 0.25, 1e-5));
    CHECK(import_text(stage, newton).body_at("/r/a").inertia(1, 1) == mechane::test::close_to(2 * own + 8, 1e-5));
}

TEST_CASE("a collider whose mass or moments are no numbers weighs in Newton as its shape does (IMP 5.3)")
{
    const auto with = [](const std::string& said) {
        return stage_text("def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]) {\n def Cube \"c\" "
                          "(prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMassAPI\"]) {\n double size = 0.2\n " +
                          said + "\n }\n}");
    };
    const double own = 8 * 0.2 * 0.2 / 6;  // 1000 kg/m3
    const Imported infinite =
        import_text(with("float physics:mass = inf\n float3 physics:diagonalInertia = (0.1, 0.1, 0.1)"), newton_options());
    CHECK(infinite.body_at("/b").mass == mechane::test::close_to(8, 1e-5));
    CHECK(infinite.body_at("/b").inertia(0, 0) == mechane::test::close_to(own, 1e-6));
    const Imported moments =
        import_text(with("float physics:mass = 5\n float3 physics:diagonalInertia = (inf, 0.1, 0.1)"), newton_options());
    CHECK(moments.body_at("/b").mass == mechane::test::close_to(5, 1e-5));
    CHECK(moments.body_at("/b").inertia(0, 0) == mechane::test::close_to(own, 1e-6));
}

TEST_CASE("Newton's balls lie about the mean of the vertices, its hulls keep a mirror in their scale, its seen meshes lose it (measured on 1.8)")
{
    // Two tetrahedra on one face. Flat shading gives Newton 18 vertices of them, smooth shading 5.
    const auto part = [](const std::string& scheme, const std::string& approximation, const std::string& scale) {
        const std::string apis =
            approximation.empty() ? std::string(" {\n")
                                  : " (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"]) {\n uniform token "
                                    "physics:approximation = \"" + approximation + "\"\n";
        return stage_text("def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\ndef Mesh \"m\"" + apis +
                          " point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 2), (0.3, 0.4, -0.5)]\n int[] faceVertexCounts = [3, 3, 3, "
                          "3, 3, 3]\n int[] faceVertexIndices = [0, 3, 1, 0, 2, 3, 1, 3, 2, 0, 1, 4, 1, 2, 4, 2, 0, 4]\n uniform token "
                          "subdivisionScheme = \"" +
                          scheme + "\"\n double3 xformOp:scale = " + scale +
                          "\n uniform token[] xformOpOrder = [\"xformOp:scale\"]\n}\n}\n");
    };
    const auto of = [&](const std::string& stage) {
        const Imported in = import_text(stage, newton_options());
        REQUIRE(in.result);
        return in.shape_at("/b/m");
    };
    const auto flat   = of(part("none", "boundingSphere", "(1, 1, 1)")),
               smooth = of(part("catmullClark", "boundingSphere", "(1, 1, 1)"));
    CHECK(flat.scale.x == mechane::test::close_to(1.79445302, 1e-6));
    CHECK(length(flat.xform.p - Vec3d{0.27222223, 0.28888890, 0.25}) < 1e-6);
    CHECK(smooth.scale.x == mechane::test::close_to(1.74241209, 1e-6));
    CHECK(length(smooth.xform.p - Vec3d{0.26, 0.28, 0.3}) < 1e-6);
    const auto box = of(part("none", "boundingCube", "(1, 1, 1)"));
    CHECK(length(box.scale - Vec3d{1.18406498, 0.35341060, 0.67309719}) < 1e-5);
    CHECK(length(box.xform.p - Vec3d{0.03685042, 0.38267415, 0.68089010}) < 1e-5);
    CHECK(of(part("none", "convexHull", "(-1, 2, 1)")).scale == Vec3d{-1, -2, -1});
    CHECK(of(part("none", "", "(1, 1, -2)")).scale == Vec3d{1, 1, 2});
    CHECK(import_text(part("none", "convexHull", "(-1, 2, 1)"), newton_options()).result->path_shape_scale.at("/b/m") == Vec3d{-1, 2, 1});
}
