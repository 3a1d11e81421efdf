// Reading on many threads: the same model and findings whatever their number, and no two of them at one place.
#include "mechane/physics/dump.h"
#include "stages.h"

namespace mechane::physics {
using test::Parsed;
using test::stage_from;

namespace {

/// A mesh of one tetrahedron, as text of a prim.
std::string mesh_collider(int i)
{
    const std::string n = std::to_string(i);
    return "def Mesh \"m" + n +
           "\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"]) {\n point3f[] points = "
           "[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n int[] faceVertexCounts = [3, 3, 3, 3]\n int[] "
           "faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n uniform token physics:approximation = "
           "\"convexHull\"\n double3 xformOp:translate = (" +
           n + ", 0, 0)\n uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}\n";
}

std::string one_body_with(int colliders)
{
    std::string text = "def Xform \"body\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n";
    for (int i = 0; i < colliders; ++i) text += mesh_collider(i);
    return text + "}\n";
}

/// Bodies, nested and disabled ones, joints, groups, pairs, and findings of every kind.
std::string mixed_stage(int n)
{
    std::string text =
        "def PhysicsScene \"s\" { }\ndef PhysicsCollisionGroup \"g\" {\n uniform pathExpression "
        "collection:colliders:membershipExpression = \"//b1*\"\n}\ndef Xform \"w\" (prepend apiSchemas = "
        "[\"PhysicsArticulationRootAPI\"]) {\n";
    for (int i = 0; i < n; ++i) {
        const std::string k = std::to_string(i);
        text += "def Xform \"b" + k +
                "\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]) {\n float physics:mass = " +
                (i % 7 == 0 ? "nan" : k) + "\n bool physics:rigidBodyEnabled = " + (i % 11 == 0 ? "0" : "1") +
                "\n double3 xformOp:translate = (" + k +
                ", 0, 0)\n uniform token[] xformOpOrder = [\"xformOp:translate\"]\n def Sphere \"c\" (prepend "
                "apiSchemas = [\"PhysicsCollisionAPI\"]) {\n double radius = " +
                (i % 5 == 0 ? "-1" : "0.4") + "\n}\n";
        if (i % 3 == 0) text += "def Cube \"d\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { }\n";
        if (i % 13 == 0) text += "def Cube \"n\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) { }\n";
        text += "}\n";
        if (i > 0)
            text += "def PhysicsRevoluteJoint \"j" + k + "\" {\n rel physics:body0 = </w/b" + std::to_string(i - 1) +
                    ">\n rel physics:body1 = </w/b" + k +
                    ">\n float physics:lowerLimit = 10\n float "
                    "physics:upperLimit = -10\n}\n";
    }
    return text + "}\n";
}

/// The model and the findings as text.
std::string read_with(const usd::Stage& stage, int threads)
{
    ParseOptions options;
    options.threads = threads;
    Diagnostics        found;
    const PhysicsModel model = parse(stage, options, found);
    std::string        out   = dump_physics(model, primitive_mass_info);
    for (const Diagnostic& one : found) out += to_text(one) + " x" + std::to_string(one.count) + "\n";
    return out;
}

}  // namespace

TEST_CASE("one, two and eight threads give the same model and the same findings, twenty times (PHY-122)")
{
    const auto        stage = stage_from(mixed_stage(300));
    const std::string alone = read_with(*stage, 1);
    CHECK(alone.find("PHY_VALUE_NAN") != std::string::npos);
    CHECK(alone.find("PHY_BODY_NESTED") != std::string::npos);
    for (int run = 0; run < 20; ++run)
        for (const int threads : {1, 2, 8}) CHECK(read_with(*stage, threads) == alone);
}

TEST_CASE("one body takes 400 and 5000 mesh colliders, read on eight threads (PHY-124)")
{
    // The thread sanitizer watches this test in its own build.
    for (const int count : {400, 5000}) {
        CAPTURE(count);
        ParseOptions options;
        options.threads = 8;
        const Parsed p(one_body_with(count), options);
        REQUIRE(p.model.bodies.size() == 1);
        const auto& colliders = p.model.bodies[0].colliders;
        REQUIRE(colliders.size() == static_cast<std::size_t>(count));
        for (std::size_t i = 1; i < colliders.size(); ++i)
            CHECK(p.model.colliders[static_cast<std::size_t>(colliders[i - 1])].path <
                  p.model.colliders[static_cast<std::size_t>(colliders[i])].path);
        CHECK(p.model.colliders[0].approximation == Approximation::convex_hull);
    }
}

TEST_CASE("colliders are reported by kind in traversal order, a body's own by path (PHY-121)")
{
    const Parsed             p(R"(
def Xform "z" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
 def Cube "q" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
 def Cube "b" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
 def Sphere "m" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
}
def Sphere "a" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
def Plane "p" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
def PhysicsPrismaticJoint "k" { rel physics:body0 = </z> }
def PhysicsFixedJoint "j" { rel physics:body0 = </z> }
)");
    std::vector<std::string> shapes, joints, own;
    for (const Index i : p.model.colliders_by_kind())
        shapes.push_back(p.model.colliders[static_cast<std::size_t>(i)].path.text());
    for (const Index i : p.model.joints_by_kind())
        joints.push_back(p.model.joints[static_cast<std::size_t>(i)].path.text());
    for (const Index i : p.body("/z").colliders)
        own.push_back(p.model.colliders[static_cast<std::size_t>(i)].path.text());
    CHECK(shapes == std::vector<std::string>{"/z/m", "/a", "/z/q", "/z/b", "/p"});
    CHECK(joints == std::vector<std::string>{"/j", "/k"});
    CHECK(own == std::vector<std::string>{"/z/b", "/z/m", "/z/q"});
}

}  // namespace mechane::physics
