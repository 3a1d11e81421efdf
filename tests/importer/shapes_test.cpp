#include <fmt/format.h>

#include <algorithm>

#include "import_support.h"

namespace mechane::importer::test {
using mechane::test::angle_between;
using mechane::test::close_to;
using mechane::test::distance;

namespace {

std::string collider(const std::string& type, const std::string& inside = {}, const std::string& apis = {})
{
    return fmt::format("def {} \"shape\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"{}]) {{\n{}\n}}\n", type, apis,
                       inside);
}

constexpr const char* kScaled =
    "float3 xformOp:scale = (2, 3, 4)\n    uniform token[] xformOpOrder = [\"xformOp:scale\"]\n    ";

/// The unit cube as a mesh of quadrilaterals.
constexpr const char* kCubeMesh = R"(
    point3f[] points = [(-0.5, -0.5, -0.5), (0.5, -0.5, -0.5), (0.5, 0.5, -0.5), (-0.5, 0.5, -0.5), (-0.5, -0.5, 0.5), (0.5, -0.5, 0.5), (0.5, 0.5, 0.5), (-0.5, 0.5, 0.5)]
    int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]
    int[] faceVertexIndices = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 2, 3, 7, 6, 0, 4, 7, 3, 1, 2, 6, 5]
)";

std::string body_of(const std::string& inside)
{ return "def Xform \"body\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n" + inside + "}\n"; }

}  // namespace

TEST_CASE("sizes and scales of the primitives (IMP-130, IMP-131, IMP-133, COL-004)")
{
    struct {
        const char*    type;
        std::string    inside;
        model::GeoType geo;
        Vec3d          scale;
    } table[] = {
        {"Cube", "", model::GeoType::box, {1, 1, 1}},
        {"Sphere", "", model::GeoType::sphere, {1, 0, 0}},
        {"Capsule", "", model::GeoType::capsule, {0.5, 0.5, 0}},
        {"Cylinder", "", model::GeoType::cylinder, {1, 1, 0}},
        {"Cone", "", model::GeoType::cone, {1, 1, 0}},
        {"Cube", kScaled, model::GeoType::box, {2, 3, 4}},
        {"Sphere", kScaled, model::GeoType::sphere, {4, 0, 0}},
        {"Capsule", kScaled, model::GeoType::capsule, {1.5, 2, 0}},
        {"Capsule", std::string(kScaled) + "uniform token axis = \"X\"", model::GeoType::capsule, {2, 1, 0}},
        {"Cylinder", kScaled, model::GeoType::cylinder, {3, 4, 0}},
        {"Cone", std::string(kScaled) + "uniform token axis = \"X\"", model::GeoType::cone, {4, 2, 0}},
        {"Plane", "double width = 3\n    double length = 4", model::GeoType::plane, {0, 0, 0}},
    };
    for (const auto& row : table) {
        CAPTURE(row.type);
        const Imported in = import_text(stage_text(collider(row.type, row.inside)));
        REQUIRE(in.result);
        CHECK(in.shape_at("/shape").type == row.geo);
        CHECK(distance(in.shape_at("/shape").scale, row.scale) < 1e-9);
        CHECK(in.shape_at("/shape").body == model::kWorldBody);
    }
}

TEST_CASE("an axis turns the shape (IMP-132, COL-004)")
{
    const double h = std::sqrt(0.5);
    struct {
        const char* axis;
        Quatd       q;
    } table[] = {{"X", {0, h, 0, h}}, {"Y", {-h, 0, 0, h}}, {"Z", {0, 0, 0, 1}}};
    for (const auto& row : table)
        for (const char* type : {"Capsule", "Cylinder", "Cone"}) {
            CAPTURE(type);
            const Imported in = import_text(stage_text(collider(
                type,
                fmt::format("double height = 3\n    double radius = 0.5\n    uniform token axis = \"{}\"", row.axis))));
            CHECK(angle_between(in.shape_at("/shape").xform.q, row.q) < 1e-9);
            CHECK(distance(in.shape_at("/shape").scale, Vec3d{0.5, 1.5, 0}) < 1e-12);
        }
}

TEST_CASE("visuals come before colliders, colliders by kind (IMP-134)")
{
    const std::string inside =
        "def Sphere \"a\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { }\ndef Cube \"b\" (prepend apiSchemas = "
        "[\"PhysicsCollisionAPI\"]) { }\n"
        "def Capsule \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { }\ndef Cube \"d\" (prepend apiSchemas = "
        "[\"PhysicsCollisionAPI\"]) { }\ndef Cube \"vis\" { }\n";
    const Imported           in = import_text(stage_text(body_of(inside)));
    std::vector<std::string> labels;
    for (const auto& s : in.builder.shapes) labels.push_back(s.label);
    CHECK(labels == std::vector<std::string>{"/body/vis", "/body/a", "/body/b", "/body/d", "/body/c"});
    CHECK(in.shape_at("/body/vis").flags == model::shape_flag::visible);
    CHECK((in.shape_at("/body/a").flags & model::shape_flag::collide_shapes) != 0);
    ImportOptions options;
    options.load_visual_shapes = false;
    CHECK(import_text(stage_text(body_of(inside)), options).builder.shapes.size() == 4);
}

TEST_CASE("purpose and visibility decide what is drawn (IMP-144, IMP-146)")
{
    struct {
        const char* inside;
        bool        drawn;
    } table[] = {
        {"", true},
        {"uniform token purpose = \"proxy\"", true},
        {"uniform token purpose = \"guide\"", false},
        {"uniform token purpose = \"render\"", false},
        {"token visibility = \"invisible\"", false},
    };
    for (const auto& row : table) {
        CAPTURE(row.inside);
        const Imported in = import_text(stage_text(collider("Cube", row.inside)));
        CHECK(((in.shape_at("/shape").flags & model::shape_flag::visible) != 0) == row.drawn);
        ImportOptions options;
        options.force_show_colliders = true;
        CHECK((import_text(stage_text(collider("Cube", row.inside)), options).shape_at("/shape").flags &
               model::shape_flag::visible) != 0);
    }
}

TEST_CASE("a disabled collider stays as a shape that neither collides nor weighs (IMP-143, COL-051)")
{
    const Imported in = import_text(stage_text(body_of(
        "def Cube \"on\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { double size = 1 }\n"
        "def Cube \"off\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { bool physics:collisionEnabled = 0 }\n")));
    REQUIRE(in.result);
    CHECK((in.shape_at("/body/off").flags &
           (model::shape_flag::collide_shapes | model::shape_flag::collide_particles)) == 0);
    CHECK((in.shape_at("/body/off").flags & model::shape_flag::visible) != 0);
    CHECK(in.body_at("/body").shapes.size() == 2);
    CHECK(in.body_at("/body").mass == close_to(1000, 1e-9));
    for (const auto& [a, b] : in.builder.shape_collision_filter_pairs) {
        CHECK(a != static_cast<std::int32_t>(in.shape("/body/off")));
        CHECK(b != static_cast<std::int32_t>(in.shape("/body/off")));
    }
}

TEST_CASE("friction is the material's; a material that says nothing is frictionless (IMP-149, GAP-008)")
{
    const std::string with =
        "def Material \"rubber\" (prepend apiSchemas = [\"PhysicsMaterialAPI\"]) { float physics:dynamicFriction = "
        "0.6\n    float physics:staticFriction = 0.8\n    float physics:restitution = 0.25 }\n"
        "def Material \"ice\" (prepend apiSchemas = [\"PhysicsMaterialAPI\"]) { }\n";
    const auto bound = [&](const char* material) {
        return import_text(
            stage_text(with + collider("Cube", fmt::format("rel material:binding:physics = </{}>", material),
                                       ", \"MaterialBindingAPI\"")));
    };
    const Imported rubber = bound("rubber");
    CHECK(rubber.shape_at("/shape").config.mu == close_to(0.6, 1e-6));
    CHECK(rubber.shape_at("/shape").config.mu_static.value_or(0) == close_to(0.8, 1e-6));
    CHECK(rubber.shape_at("/shape").config.restitution == close_to(0.25, 1e-6));
    CHECK(bound("ice").shape_at("/shape").config.mu == 0);
    CHECK(import_text(stage_text(collider("Cube"))).shape_at("/shape").config.mu == 1);
}

TEST_CASE(
    "a mesh keeps its triangles, and its hull takes its place when asked for (IMP-137, IMP-138, IMP-139, IMP-140, "
    "COL-146)")
{
    const auto mesh = [](const char* approximation, const char* more = "") {
        return stage_text(
            body_of("def Mesh \"m\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"]) {" +
                    std::string(kCubeMesh) + "    uniform token physics:approximation = \"" + approximation +
                    "\"\n    " + more + "\n}\n"));
    };
    const Imported none = import_text(mesh("none"));
    REQUIRE(none.result);
    CHECK(none.shape_at("/body/m").type == model::GeoType::mesh);
    CHECK(none.shape_at("/body/m").source->triangles.size() == 12);
    CHECK(none.builder.shapes.size() == 1);

    const Imported hull = import_text(mesh("convexHull"));
    CHECK(hull.shape_at("/body/m").type == model::GeoType::convex_mesh);
    CHECK((hull.shape_at("/body/m").flags & model::shape_flag::visible) == 0);
    REQUIRE(hull.builder.shapes.size() == 2);
    CHECK(hull.builder.shapes[1].label == "/body/m_visual");
    CHECK(hull.builder.shapes[1].flags == model::shape_flag::visible);
    CHECK(hull.body_at("/body").mass == close_to(1000, 1e-6));
    CHECK(import_text(mesh("convexHull", "uniform token purpose = \"guide\"")).builder.shapes.size() == 1);

    ImportOptions options;
    options.skip_mesh_approximation = true;
    CHECK(import_text(mesh("convexHull"), options).shape_at("/body/m").type == model::GeoType::mesh);

    const Imported ball = import_text(mesh("boundingSphere"));
    CHECK(ball.shape_at("/body/m").type == model::GeoType::sphere);
    CHECK(ball.shape_at("/body/m").scale.x == close_to(std::sqrt(0.75), 1e-9));
    const Imported box = import_text(mesh("boundingCube"));
    CHECK(box.shape_at("/body/m").type == model::GeoType::box);
    CHECK(distance(box.shape_at("/body/m").scale, Vec3d{0.5, 0.5, 0.5}) < 1e-9);
}

TEST_CASE("the pieces of a mesh have its material, its flags and its filters, and weigh what it weighs (COL-143)")
{
    // Two cubes of 1 m^3 that lie apart: two pieces, 2000 kg at 1000 kg/m^3.
    std::string points, faces, counts;
    for (const double x : {0.0, 3.0})
        for (int i = 0; i < 8; ++i)
            points +=
                fmt::format("{}({}, {}, {})", points.empty() ? "" : ", ", x + (i & 1), (i >> 1) & 1, (i >> 2) & 1);
    constexpr int kFaces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const int first : {0, 8})
        for (const auto& face : kFaces) {
            counts += counts.empty() ? "4" : ", 4";
            for (const int v : face) faces += fmt::format("{}{}", faces.empty() ? "" : ", ", first + v);
        }
    const Imported in = import_text(stage_text(fmt::format(
        R"(def Material "rubber" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {{ float physics:dynamicFriction = 0.7 }}
def Xform "body" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{
    def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MaterialBindingAPI", "PhysicsFilteredPairsAPI"]) {{
        point3f[] points = [{}]
        int[] faceVertexCounts = [{}]
        int[] faceVertexIndices = [{}]
        uniform token physics:approximation = "convexDecomposition"
        rel material:binding:physics = </rubber>
        rel physics:filteredPairs = </other>
    }}
}}
def Cube "other" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {{ }}
)",
        points, counts, faces)));
    REQUIRE(in.result);
    std::vector<std::int32_t> pieces;
    for (std::size_t s = 0; s < in.builder.shapes.size(); ++s)
        if (in.builder.shapes[s].type == model::GeoType::convex_mesh) pieces.push_back(static_cast<std::int32_t>(s));
    REQUIRE(pieces.size() == 2);
    const auto other = static_cast<std::int32_t>(in.shape("/other"));
    for (const std::int32_t piece : pieces) {
        const model::BuilderShape& shape = in.builder.shapes[static_cast<std::size_t>(piece)];
        CHECK(shape.body == static_cast<std::int32_t>(in.body("/body")));
        CHECK(shape.config.mu == close_to(0.7, 1e-6));
        CHECK(shape.flags == in.builder.shapes[static_cast<std::size_t>(pieces.front())].flags);
        CHECK((shape.flags & model::shape_flag::collide_shapes) != 0);
        const auto& pairs = in.builder.shape_collision_filter_pairs;
        CHECK(std::find(pairs.begin(), pairs.end(), std::pair<std::int32_t, std::int32_t>(std::minmax(piece, other))) !=
              pairs.end());
    }
    CHECK(in.body_at("/body").mass == close_to(2000, 1e-6));
}

TEST_CASE("bounding shapes are fitted after the scale (PHY-049)")
{
    const auto shape = [](const char* approximation) {
        return import_text(stage_text(body_of(
            "def Mesh \"m\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"]) {" +
            std::string(kCubeMesh) + "    uniform token physics:approximation = \"" + approximation +
            "\"\n    float3 xformOp:scale = (2, 3, 4)\n    uniform token[] xformOpOrder = [\"xformOp:scale\"]\n}\n")));
    };
    // a unit cube becomes 2 x 3 x 4: half its diagonal is sqrt(1 + 2.25 + 4)
    CHECK(shape("boundingSphere").shape_at("/body/m").scale.x == close_to(std::sqrt(7.25), 1e-6));
    const Imported box  = shape("boundingCube");
    Vec3d          half = box.shape_at("/body/m").scale;
    std::sort(&half.x, &half.x + 3);  // in which order the axes come is the fit's business
    CHECK(distance(half, Vec3d{1, 1.5, 2}) < 1e-6);
}

TEST_CASE("a mesh that is turned below an uneven scale keeps its sheared outline")
{
    for (const char* approximation : {"convexHull", "none"}) {
        CAPTURE(approximation);
        const Imported in = import_text(
            stage_text("def Xform \"wide\" {\n    float3 xformOp:scale = (2, 1, 1)\n    uniform token[] xformOpOrder = "
                       "[\"xformOp:scale\"]\n    def Mesh \"m\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", "
                       "\"PhysicsMeshCollisionAPI\"]) {" +
                       std::string(kCubeMesh) + "    uniform token physics:approximation = \"" + approximation +
                       "\"\n    float3 xformOp:rotateXYZ = (0, 0, 30)\n    uniform token[] xformOpOrder = "
                       "[\"xformOp:rotateXYZ\"]\n    }\n}\n"));
        REQUIRE(in.result);
        const model::BuilderShape& shape = in.shape_at("/wide/m");
        REQUIRE(shape.source != nullptr);
        Vec3d most{};
        for (const auto& p : shape.source->points) {
            const Vec3d w = shape.xform * scale(p, shape.scale);
            for (std::size_t i = 0; i < 3; ++i) most[i] = std::max(most[i], std::abs(w[i]));
        }
        // A unit cube turned by 30 degrees reaches (cos 30 + sin 30) / 2 = 0.683013 along x and y; x is then doubled.
        CHECK(distance(most, Vec3d{2 * 0.683013, 0.683013, 0.5}) < 1e-5);
    }
}

TEST_CASE("left-handed faces are turned outwards (IMP-135)")
{
    std::string       turned = kCubeMesh;
    const std::string right =
        stage_text(body_of("def Mesh \"m\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {" + turned + "}\n"));
    const std::string left =
        stage_text(body_of("def Mesh \"m\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { uniform token "
                           "orientation = \"leftHanded\"\n" +
                           turned + "}\n"));
    const auto a = import_text(right).shape_at("/body/m").source->triangles,
               b = import_text(left).shape_at("/body/m").source->triangles;
    REQUIRE(a.size() == b.size());
    CHECK(a[0] == std::array<std::int32_t, 3>{0, 3, 2});
    CHECK(b[0] == std::array<std::int32_t, 3>{2, 3, 0});
    CHECK(import_text(left).body_at("/body").mass == close_to(1000, 1e-6));
}

TEST_CASE("a mesh without points costs that collider; Newton refuses the stage (IMP-136, CON-07)")
{
    const std::string text =
        stage_text(body_of("def Mesh \"m\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { }\ndef Cube \"c\" "
                           "(prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { }\n"));
    const Imported in = import_text(text);
    REQUIRE(in.result);
    CHECK(in.builder.shapes.size() == 1);
}

TEST_CASE("groups and pairs filter exactly what they name (IMP-152, IMP-153, CON-22)")
{
    const std::string boxes = R"(
def Cube "a" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsRigidBodyAPI", "PhysicsFilteredPairsAPI"]) { rel physics:filteredPairs = </c> }
def Cube "b" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsRigidBodyAPI"]) { }
def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsRigidBodyAPI"]) { }
def PhysicsCollisionGroup "one" { rel collection:colliders:includes = </a>
    rel physics:filteredGroups = </two> }
def PhysicsCollisionGroup "two" { rel collection:colliders:includes = </b> }
)";
    const Imported    in    = import_text(stage_text(boxes));
    REQUIRE(in.result);
    using Pair = std::pair<std::int32_t, std::int32_t>;
    auto pairs = in.builder.shape_collision_filter_pairs;
    std::sort(pairs.begin(), pairs.end());
    CHECK(pairs == std::vector<Pair>{{0, 1}, {0, 2}});
    CHECK(in.result->path_collision_group_map.size() == 2);
}

TEST_CASE("a joint keeps its two bodies apart unless it says otherwise (IMP-116, IMP-155, GAP-038)")
{
    const auto stage = [](const char* more) {
        return stage_text(std::string(R"(
def Cube "a" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsRigidBodyAPI"]) { }
def Cube "b" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsRigidBodyAPI"]) { }
def PhysicsRevoluteJoint "hinge" { rel physics:body0 = </a>
    rel physics:body1 = </b>
    )") + more + "\n}\n");
    };
    CHECK(import_text(stage("")).builder.shape_collision_filter_pairs.size() == 1);
    CHECK(import_text(stage("bool physics:collisionEnabled = 1")).builder.shape_collision_filter_pairs.empty());
}

TEST_CASE("self collision off filters every pair of different bodies (IMP-154)")
{
    std::string inside = "def Xform \"robot\" (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"]) {\n";
    for (const char* name : {"a", "b", "c"})
        inside += fmt::format(
            "def Cube \"{}\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsRigidBodyAPI\"]) {{ }}\n", name);
    for (const char* pair : {"ab", "bc"})
        inside += fmt::format(
            "def PhysicsRevoluteJoint \"{0}\" {{ rel physics:body0 = </robot/{1}>\n    rel physics:body1 = "
            "</robot/{2}> }}\n",
            pair, pair[0], pair[1]);
    const std::string text = stage_text(inside + "}\n");
    CHECK(import_text(text).builder.shape_collision_filter_pairs.size() == 2);
    ImportOptions options;
    options.enable_self_collisions = false;
    CHECK(import_text(text, options).builder.shape_collision_filter_pairs.size() == 3);
}

TEST_CASE("a site is a visible shape that touches nothing (IMP-147, IMP-148)")
{
    const std::string text =
        stage_text(body_of("def Sphere \"s\" (prepend apiSchemas = [\"NewtonSiteAPI\"]) { double radius = 0.1 }\n"));
    const Imported in = import_text(text);
    REQUIRE(in.result);
    CHECK(in.shape_at("/body/s").flags == (model::shape_flag::site | model::shape_flag::visible));
    CHECK(in.shape_at("/body/s").config.collision_group == 0);
    ImportOptions options;
    options.load_sites = false;
    CHECK(import_text(text, options).builder.shapes.empty());
}

TEST_CASE("colours are encoded for display by the space they are in (IMP-221, IMP-222, IMP-225, IMP-226)")
{
    // The sRGB curve: 0.5 -> 0.73536, 0.25 -> 0.53710, 1 -> 1, 0.18 -> 0.46136.
    struct {
        const char* metadata;
        Vec3d       color;
    } table[] = {
        {"", {0.73536, 0.53710, 1}},
        {" ( colorSpace = \"srgb_rec709_scene\" )", {0.5, 0.25, 1}},
        {" ( colorSpace = \"raw\" )", {0.73536, 0.53710, 1}},
    };
    for (const auto& row : table) {
        CAPTURE(row.metadata);
        const Imported shaded =
            import_text(stage_text(fmt::format(R"(
def Material "paint" {{
    token outputs:surface.connect = </paint/surface.outputs:surface>
    def Shader "surface" {{
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor = (0.5, 0.25, 1){}
        token outputs:surface
    }}
}}
)",
                                               row.metadata) +
                                   collider("Cube", "rel material:binding = </paint>", ", \"MaterialBindingAPI\"")));
        CHECK(distance(shaded.shape_at("/shape").color, row.color) < 1e-4);
        const Imported plain = import_text(stage_text(
            collider("Cube", fmt::format("color3f[] primvars:displayColor = [(0.5, 0.25, 1)]{}", row.metadata))));
        CHECK(distance(plain.shape_at("/shape").color, row.color) < 1e-4);
    }
    CHECK(import_text(stage_text(collider("Cube"))).shape_at("/shape").color.x == close_to(0.46136, 1e-5));
}

TEST_CASE("importing the same stage twice gives the same bytes (IMP-239)")
{
    const std::string text = stage_text(
        body_of("def Mesh \"m\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"]) {" +
                std::string(kCubeMesh) + "    uniform token physics:approximation = \"convexHull\"\n}\n"));
    const Imported a = import_text(text), b = import_text(text);
    REQUIRE(a.builder.shapes.size() == b.builder.shapes.size());
    for (std::size_t i = 0; i < a.builder.shapes.size(); ++i) {
        CHECK(a.builder.shapes[i].xform == b.builder.shapes[i].xform);
        CHECK(a.builder.shapes[i].source->points == b.builder.shapes[i].source->points);
    }
}

namespace {

/// A ball of radius 1 of 12 x 24 quads with this approximation.
std::string ball_mesh(const std::string& approximation, const std::string& more = {})
{
    constexpr int rings = 12, around = 24;
    std::string   points, counts, indices;
    for (int r = 0; r <= rings; ++r)
        for (int k = 0; k < around; ++k) {
            const double up = kPi * r / rings, turn = 2 * kPi * k / around;
            points += fmt::format("({:.7f}, {:.7f}, {:.7f}), ", std::sin(up) * std::cos(turn), std::sin(up) * std::sin(turn),
                                  std::cos(up));
        }
    for (int r = 0; r < rings; ++r)
        for (int k = 0; k < around; ++k) {
            counts += "4, ";
            indices += fmt::format("{}, {}, {}, {}, ", r * around + k, (r + 1) * around + k, (r + 1) * around + (k + 1) % around,
                                   r * around + (k + 1) % around);
        }
    return "def Mesh \"m\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"]) "
           "{\n uniform token subdivisionScheme = \"none\"\n uniform token physics:approximation = \"" +
           approximation + "\"\n point3f[] points = [" + points + "]\n int[] faceVertexCounts = [" + counts +
           "]\n int[] faceVertexIndices = [" + indices + "]\n " + more + "\n}\n";
}

}  // namespace

TEST_CASE("a hull that loses corners to its limit is told, once it matters (IMP 4.3)")
{
    CHECK(import_text(stage_text(ball_mesh("convexHull"))).found.count("IMPORT_HULL_CUT") == 1);
    CHECK(import_text(stage_text(ball_mesh("convexHull", "int newton:maxHullVertices = -1"))).found.count("IMPORT_HULL_CUT") == 0);
}

TEST_CASE("meshSimplification gives a mesh of fewer triangles; Newton keeps the whole one")
{
    const auto triangles = [](const Imported& in) {
        REQUIRE(in.result);
        return in.shape_at("/m").source->triangles.size();
    };
    const Imported ours = import_text(stage_text(ball_mesh("meshSimplification")));
    CHECK(triangles(ours) < 300);  // of 528 that are more than a line
    CHECK(ours.found.count("IMPORT_APPROX_FALLBACK") == 0);
    const Imported newton = import_text(stage_text(ball_mesh("meshSimplification")), newton_options());
    CHECK(triangles(newton) >= 528);
    CHECK(newton.found.count("IMPORT_APPROX_FALLBACK") == 1);
}

namespace {

/// A body that is one collider, scaled.
Imported scaled(const std::string& type, const std::string& lines, const std::string& scale, const ImportOptions& options)
{
    return import_text(
        stage_text("def " + type + " \"c\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]) {\n " + lines +
                   "\n double3 xformOp:scale = " + scale + "\n uniform token[] xformOpOrder = [\"xformOp:scale\"]\n}\n"),
        options);
}

}  // namespace

TEST_CASE("with exact_shapes a scaled sphere is an ellipsoid; without, a ball of the largest radius, and the finding names the option (GAP-106)")
{
    ImportOptions exact;
    exact.exact_shapes      = true;
    const Imported ours     = scaled("Sphere", "double radius = 0.5", "(1, 2, 3)", exact);
    const Imported plain    = scaled("Sphere", "double radius = 0.5", "(1, 2, 3)", {});
    REQUIRE(ours.result);
    CHECK(ours.shape_at("/c").type == model::GeoType::ellipsoid);
    CHECK(length(ours.shape_at("/c").scale - Vec3d{0.5, 1, 1.5}) < 1e-9);
    const double mass = 1000 * 4.0 / 3.0 * kPi * 0.5 * 1 * 1.5;
    CHECK(ours.body_at("/c").mass == close_to(mass, 1e-6));
    CHECK(ours.body_at("/c").inertia(0, 0) == close_to(mass / 5 * (1 * 1 + 1.5 * 1.5), 1e-5));  // m (b^2 + c^2) / 5
    CHECK(ours.found.count("PHY_SHAPE_NONUNIFORM") == 0);
    CHECK(plain.shape_at("/c").type == model::GeoType::sphere);
    CHECK(plain.shape_at("/c").scale.x == close_to(1.5, 1e-12));
    REQUIRE(plain.found.find("PHY_SHAPE_NONUNIFORM") != nullptr);
    CHECK(plain.found.find("PHY_SHAPE_NONUNIFORM")->hint.find("--option exact_shapes=true") != std::string::npos);
    // Newton's rules know no such option.
    exact.compat = Compat::newton_1_8;
    CHECK(scaled("Sphere", "double radius = 0.5", "(1, 2, 3)", exact).shape_at("/c").type == model::GeoType::sphere);
}

TEST_CASE("with exact_shapes capsules, cylinders and cones with unequal scale are hulls of their mass in closed form (GAP-106)")
{
    ImportOptions exact;
    exact.exact_shapes = true;
    struct {
        const char *type, *lines, *scale;
        double      volume;
        bool        hull;
    } table[] = {
        {"Cylinder", "double radius = 0.5\n double height = 2", "(1, 2, 3)", kPi * 0.5 * 1 * 6, true},
        {"Cylinder", "double radius = 0.5\n double height = 2", "(2, 2, 3)", kPi * 1 * 1 * 6, false},
        {"Cone", "double radius = 0.5\n double height = 2", "(1, 2, 3)", kPi * 0.5 * 1 * 6 / 3, true},
        {"Cone", "double radius = 0.5\n double height = 2", "(-1, 2, 3)", kPi * 0.5 * 1 * 6 / 3, true},
        {"Cone", "double radius = 0.5\n double height = 2", "(2, 2, 1)", kPi * 1 * 1 * 2 / 3, false},
        {"Capsule", "double radius = 0.5\n double height = 1", "(1, 1, 2)", (kPi / 4 + kPi / 6) * 2, true},
        {"Capsule", "double radius = 0.5\n double height = 1\n uniform token axis = \"X\"", "(2, 2, 2)", (kPi / 4 + kPi / 6) * 8, false},
    };
    for (const auto& row : table) {
        CAPTURE(row.type);
        CAPTURE(row.scale);
        const Imported in = scaled(row.type, row.lines, row.scale, exact);
        REQUIRE(in.result);
        CHECK((in.shape_at("/c").type == model::GeoType::convex_mesh) == row.hull);
        CHECK(in.body_at("/c").mass == close_to(1000 * row.volume, 1e-3));
    }
}

TEST_CASE("a mirrored cone points where the mirror points, a mirrored plane faces there (usd-physics 6.3)")
{
    struct {
        const char* scale;
        double      up;  ///< of the cone's tip
    } table[] = {{"(1, 1, 1)", 1}, {"(-1, 1, 1)", 1}, {"(1, -1, 1)", 1}, {"(1, 1, -1)", -1}, {"(-1, -1, 1)", 1}, {"(-1, -1, -1)", -1}};
    for (const auto& row : table) {
        CAPTURE(row.scale);
        const Imported in = scaled("Cone", "double radius = 1\n double height = 2", row.scale, {});
        REQUIRE(in.result);
        const model::BuilderBody& body = in.body_at("/c");
        // The centre of a cone lies a quarter of its height from the base: 0.5 m below the middle.
        CHECK(length(body.q * body.com - Vec3d{0, 0, -0.5 * row.up}) < 1e-9);
        CHECK(length(rotate(body.q.q * in.shape_at("/c").xform.q, Vec3d{0, 0, 1}) - Vec3d{0, 0, row.up}) < 1e-9);
        const Imported plane = import_text(stage_text(
            std::string("def Plane \"p\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n double3 xformOp:scale = ") + row.scale +
            "\n uniform token[] xformOpOrder = [\"xformOp:scale\"]\n}\n"));
        REQUIRE(plane.result);
        CHECK(length(rotate(plane.shape_at("/p").xform.q, Vec3d{0, 0, 1}) - Vec3d{0, 0, row.up}) < 1e-9);
    }
}

TEST_CASE("a mesh below a collider is drawn like any other (IMP 4.1)")
{
    const std::string mesh = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n int[] faceVertexCounts = [3, 3, 3, 3]\n int[] "
                             "faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n";
    const Imported    in   = import_text(
        stage_text("def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\ndef Mesh \"m\" (prepend apiSchemas = "
                        "[\"PhysicsCollisionAPI\"]) {\n" +
                   mesh + "def Mesh \"sub\" {\n" + mesh + "}\n}\n}\n"));
    REQUIRE(in.result);
    REQUIRE(in.result->path_shape_map.count("/b/m/sub") == 1);
    CHECK((in.shape_at("/b/m/sub").flags & model::shape_flag::visible) != 0);
    CHECK((in.shape_at("/b/m/sub").flags & model::shape_flag::collide_shapes) == 0);
}

TEST_CASE("a visual Capsule_1 or Cylinder_1 has the radii that it authors, as a collider has")
{
    for (const char* api : {"", "(prepend apiSchemas = [\"PhysicsCollisionAPI\"])"}) {
        CAPTURE(api);
        const auto read = [&](const std::string& type, const std::string& lines) {
            return import_text(stage_text("def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n def " + type +
                                          " \"c\" " + api + "\n {\n" + lines + "\n }\n}\n"));
        };
        const Imported ball = read("Capsule_1", "double radiusTop = 0.1\n double radiusBottom = 0.1\n double height = 0.5");
        CHECK(ball.shape_at("/b/c").type == model::GeoType::capsule);
        CHECK(ball.shape_at("/b/c").scale == Vec3d{0.1, 0.25, 0});
        const Imported tube = read("Cylinder_1", "double radiusTop = 0.1\n double radiusBottom = 0.1\n double height = 0.5");
        CHECK(tube.shape_at("/b/c").type == model::GeoType::cylinder);
        CHECK(tube.shape_at("/b/c").scale == Vec3d{0.1, 0.25, 0});
        // Unequal radii, of the rims: the balls at the ends touch the side there, so that they are larger and lie off the
        // rims. Extent of UsdGeomCapsule_1 in OpenUSD 26.11.
        const Imported taper = read("Capsule_1", "double radiusTop = 0.1\n double radiusBottom = 0.4\n double height = 0.5");
        const auto&    shape = taper.shape_at("/b/c");
        REQUIRE(shape.source != nullptr);
        Vec3d low{1, 1, 1}, high{-1, -1, -1};
        for (const auto& p : shape.source->points)
            for (std::size_t i = 0; i < 3; ++i) {
                low[i]  = std::min(low[i], static_cast<double>(p[i]));
                high[i] = std::max(high[i], static_cast<double>(p[i]));
            }
        CHECK(low.z == close_to(-0.956476151587624, 1e-9));
        CHECK(high.z == close_to(0.306619037896906, 1e-9));
        CHECK(high.x == close_to(0.466476151587624, 1e-9));
    }
}

}  // namespace mechane::importer::test
