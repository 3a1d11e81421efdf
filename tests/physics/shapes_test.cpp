#include "stages.h"

namespace mechane::physics {
using test::close_to;
using test::Parsed;

TEST_CASE("sizes follow the scale along and across the axis (PHY-035, PHY-036, PHY-037)")
{
    // scale (2, 3, 4); half heights and radii of usd-physics 6.4
    struct {
        const char* shape;
        double      half_height, radius, top;
    } table[] = {
        {"def Sphere \"C\" $ {}", 0, 4, 0},
        {"def Cylinder \"C\" $ { uniform token axis = \"X\" }", 2, 4, 4},
        {"def Cylinder \"C\" $ { uniform token axis = \"Y\" }", 3, 4, 4},
        {"def Cylinder \"C\" $ {}", 4, 3, 3},
        {"def Capsule \"C\" $ {}", 2, 1.5, 1.5},
        {"def Cone \"C\" $ {}", 4, 3, 0},
        {"def Cylinder_1 \"C\" $ { double radiusTop = 0.25 }", 4, 3, 0.75},
    };
    for (const auto& row : table) {
        CAPTURE(row.shape);
        std::string text = row.shape;
        const auto  body = text.find("{");
        text             = text.substr(0, body + 1) +
                           " float3 xformOp:scale = (2, 3, 4)\n uniform token[] xformOpOrder = [\"xformOp:scale\"]\n" +
                           text.substr(body + 1);
        text.replace(text.find('$'), 1, "(prepend apiSchemas = [\"PhysicsCollisionAPI\"])");
        const Parsed    p(text);
        const Collider& c = p.collider("/C");
        CHECK(c.half_height == close_to(row.half_height, 1e-9));
        CHECK(c.radius == close_to(row.radius, 1e-9));
        if (row.top > 0) CHECK(c.radius_top == close_to(row.top, 1e-9));
        CHECK(p.found.count("PHY_SHAPE_NONUNIFORM") == 1);
    }
}

TEST_CASE("a child's offset is stretched by the body's scale, its pose is not (PHY-038)")
{
    const Parsed p(R"(
def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    float3 xformOp:scale = (2, 3, 4)
    uniform token[] xformOpOrder = ["xformOp:scale"]
    def Cube "C" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        double3 xformOp:translate = (1, 1, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
)");
    CHECK_VEC(p.collider("/B/C").X_BS.p, (Vec3d{2, 3, 4}), 1e-12);
    CHECK_VEC(p.collider("/B/C").half_extents, (Vec3d{2, 3, 4}), 1e-12);
}

TEST_CASE("negative scales and sizes count by their absolute value; zero is invalid (PHY-039, PHY-040)")
{
    const Parsed p(R"(
def Cube "Mirror" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
    float3 xformOp:scale = (-2, 3, 4)
    uniform token[] xformOpOrder = ["xformOp:scale"]
}
def Sphere "Negative" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double radius = -2 }
def Cube "Size" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double size = -3 }
def Sphere "Zero" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double radius = 0 }
def Capsule "Infinite" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double height = inf }
)");
    CHECK_VEC(p.collider("/Mirror").half_extents, (Vec3d{2, 3, 4}), 1e-12);
    CHECK(p.collider("/Negative").radius == 2);
    CHECK(p.collider("/Size").half_extents.x == 1.5);
    CHECK_FALSE(p.collider("/Zero").valid);
    CHECK_FALSE(p.collider("/Infinite").valid);
    CHECK(p.found.count("PHY_SHAPE_DEGENERATE") == 2);
}

TEST_CASE(
    "a box turned below an uneven scale keeps its true corners, and its factored size as the reference reads it "
    "(PHY-041)")
{
    const char*  stage = R"(
def Xform "X" {
    float3 xformOp:scale = (2, 1, 1)
    uniform token[] xformOpOrder = ["xformOp:scale"]
    def Cube "C" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        float xformOp:rotateZ = 45
        uniform token[] xformOpOrder = ["xformOp:rotateZ"]
    }
}
)";
    const Parsed p(stage), reference(stage, test::strict());
    CHECK(p.found.count("PHY_SHAPE_SHEAR") == 1);
    const Collider& c = p.collider("/X/C");
    REQUIRE(c.sheared_corners.size() == 8);
    // Corner (1, 1, 1) turned by 45 degrees is (0, sqrt 2, 1), stretched along x: the same.
    CHECK_VEC(c.X_BS * c.sheared_corners[7], (Vec3d{0, std::sqrt(2.0), 1}), 1e-6);
    // Corner (1, -1, 1): (sqrt 2, 0, 1) becomes (2 sqrt 2, 0, 1).
    CHECK_VEC(c.X_BS * c.sheared_corners[5], (Vec3d{2 * std::sqrt(2.0), 0, 1}), 1e-6);
    CHECK(reference.collider("/X/C").sheared_corners.empty());
    CHECK_VEC(reference.collider("/X/C").half_extents, (Vec3d{1, 2, 1}), 1e-6);  // measured
}

TEST_CASE("points need one width each; radii follow the largest scale (PHY-042, PHY-043)")
{
    const Parsed p(R"(
def Points "Good" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
    point3f[] points = [(0, 0, 0), (1, 0, 0)]
    float[] widths = [2, 4]
    float3 xformOp:scale = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:scale"]
}
def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Points "Bad" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        point3f[] points = [(0, 0, 0), (1, 0, 0)]
        float[] widths = [2]
    }
}
)");
    const auto&  points = p.collider("/Good").points;
    REQUIRE(points.size() == 2);
    CHECK(points[0].radius == close_to(3, 1e-9));
    CHECK(points[1].radius == close_to(6, 1e-9));
    CHECK_FALSE(p.collider("/B/Bad").valid);
    CHECK(p.owner("/B/Bad").empty());
    CHECK(p.body("/B").colliders.empty());
}

TEST_CASE("a collider on a prim without a shape gives none, and says so (PHY-044)")
{
    const Parsed p(R"(def Xform "X" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {})");
    CHECK(p.model.colliders.empty());
    CHECK(p.found.count("PHY_SHAPE_UNKNOWN_TYPE") == 1);
}

TEST_CASE("planes have an axis, meshes a scale and an approximation (PHY-045, PHY-046, PHY-047)")
{
    const char*  mesh = R"(
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2])";
    const Parsed p(std::string(R"(
def Plane "P" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { uniform token axis = "Y" }
def Mesh "Plain" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { uniform token physics:approximation = "convexHull")") +
                   mesh + R"(}
def Mesh "Scaled" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]) {
    uniform token physics:approximation = "boundingCube"
    float3 xformOp:scale = (2, 3, 4)
    uniform token[] xformOpOrder = ["xformOp:scale"])" +
                   mesh + R"(}
def Mesh "Odd" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]) { uniform token physics:approximation = "blob")" +
                   mesh + R"(}
def Mesh "Empty" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
)");
    CHECK(p.collider("/P").axis == Axis::y);
    CHECK(p.collider("/Plain").approximation == Approximation::none);  // the API is not applied
    CHECK(p.collider("/Scaled").approximation == Approximation::bounding_cube);
    CHECK_VEC(p.collider("/Scaled").mesh_scale, (Vec3d{2, 3, 4}), 1e-12);
    CHECK(p.collider("/Odd").approximation == Approximation::none);
    CHECK(p.found.count("PHY_APPROX_UNKNOWN") == 1);
    CHECK_FALSE(p.collider("/Empty").valid);
}

TEST_CASE("shapes and joints of other engines are kept under their token (PHY-051)")
{
    ParseOptions options;
    options.custom_shapes = {"CustomGeometry"};
    options.custom_joints = {"CustomJointType"};
    const Parsed p(R"(
def CustomGeometry "C" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
def Cube "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
def CustomJointType "J" { rel physics:body1 = </B> }
)",
                   options);
    CHECK(p.collider("/C").kind == ShapeKind::custom);
    CHECK(p.collider("/C").custom_token.text() == "CustomGeometry");
    CHECK(p.joint("/J").kind == JointKind::custom);
}

TEST_CASE(
    "the material bound for physics wins, also from an ancestor; one without MaterialAPI counts for nothing (PHY-052, "
    "PHY-053, PHY-054)")
{
    const char*  stage = R"(
def Material "Ice" (prepend apiSchemas = ["PhysicsMaterialAPI"]) { float physics:dynamicFriction = 0.01 }
def Material "Rubber" (prepend apiSchemas = ["PhysicsMaterialAPI"]) { float physics:dynamicFriction = 1 }
def Material "Paint" {}
def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "MaterialBindingAPI"]) {
    rel material:binding = </Rubber>
    def Cube "Inherits" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
    def Cube "Both" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) {
        rel material:binding = </Rubber>
        rel material:binding:physics = </Ice>
    }
    def Cube "Painted" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) { rel material:binding = </Paint> }
}
)";
    const Parsed p(stage), reference(stage, test::strict());
    const auto   friction = [](const Parsed& of, const char* path) {
        const auto& materials = of.collider(path).materials;
        return materials.empty() ? -1
                                 : of.model.materials[static_cast<std::size_t>(materials.front())].dynamic_friction;
    };
    CHECK(friction(p, "/B/Both") == close_to(0.01, 1e-7));
    CHECK(friction(p, "/B/Inherits") == 1);
    CHECK(p.found.count("BINDING_API_MISSING") == 1);
    CHECK(friction(p, "/B/Painted") == -1);
    CHECK(friction(reference, "/B/Inherits") == -1);                 // measured: needs the API on the collider
    CHECK(reference.collider("/B/Inherits").own_material != kNone);  // the mass computer sees it nevertheless
}

TEST_CASE("materials of face subsets come first, in their order; values out of range are clamped (PHY-055, PHY-057)")
{
    const Parsed             p(R"(
def Material "A" (prepend apiSchemas = ["PhysicsMaterialAPI"]) { float physics:restitution = 1.5  float physics:density = -3 }
def Material "B" (prepend apiSchemas = ["PhysicsMaterialAPI"]) { float physics:dynamicFriction = -1 }
def Mesh "M" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    int[] faceVertexCounts = [3, 3]
    int[] faceVertexIndices = [0, 1, 2, 1, 3, 2]
    rel material:binding = </A>
    def GeomSubset "Part" (prepend apiSchemas = ["MaterialBindingAPI"]) {
        uniform token elementType = "face"
        int[] indices = [1]
        rel material:binding:physics = </B>
    }
}
)");
    std::vector<std::string> names;
    for (const Index m : p.collider("/M").materials)
        names.push_back(p.model.materials[static_cast<std::size_t>(m)].path.text());
    CHECK(names == std::vector<std::string>{"/B", "/A"});
    CHECK(p.model.materials[0].restitution == 1);
    CHECK(p.model.materials[0].density == 0);
    CHECK(p.model.materials[1].dynamic_friction == 0);
    CHECK(p.found.count("PHY_MATERIAL_RANGE") == 3);
}

TEST_CASE("a scene or a collision group is nothing else, whatever is applied to it")
{
    const Parsed p(R"(
def PhysicsScene "S" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMaterialAPI"]) {}
def PhysicsCollisionGroup "G" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI"]) {}
)");
    CHECK(p.found.count("PHY_API_MISPLACED") >= 4);
    CHECK(p.model.bodies.empty());
    CHECK(p.model.articulations.empty());
    CHECK(p.model.materials.empty());
    CHECK(p.model.scenes.size() == 1);
    CHECK(p.model.groups.size() == 1);
}

TEST_CASE("APIs on prims that they say nothing about are reported (PHY-015, PHY-024, PHY-025)")
{
    const Parsed p(R"(
def Xform "Mass" (prepend apiSchemas = ["PhysicsMassAPI"]) { float physics:mass = 3 }
def Cube "MeshApi" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]) {}
def Xform "Pairs" (prepend apiSchemas = ["PhysicsFilteredPairsAPI"]) {}
def Cube "Limit" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsLimitAPI:transX"]) {}
def Cube "Body" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
def PhysicsFixedJoint "J" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { rel physics:body1 = </Body> }
def Cube "Both" (prepend apiSchemas = ["PhysicsMaterialAPI", "PhysicsCollisionAPI"]) {}
)");
    CHECK(p.found.count("PHY_API_MISPLACED") == 6);
    CHECK(p.model.collider_at(usd::Path("/J")) == kNone);
    CHECK(p.model.collider_at(usd::Path("/Both")) != kNone);
    CHECK(p.model.material_at(usd::Path("/Both")) != kNone);
}

}  // namespace mechane::physics
