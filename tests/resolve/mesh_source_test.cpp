#include "mechane/resolve/mesh_source.h"

#include "mechane/physics/parse.h"
#include "mechane/resolve/mass_rules.h"
#include "support/support.h"

using namespace mechane;
using test::close_to;

namespace {

geometry::Triangulation read(const std::string& properties, Diagnostics& found)
{
    const auto stage = usd::Stage::open_text("#usda 1.0\ndef Mesh \"m\"\n{\n" + properties + "\n}\n");
    REQUIRE(stage);
    return resolve::read_polygons((*stage)->prim_at(usd::Path("/m")), false, found);
}

double signed_area(const geometry::Mesh& mesh)  // in the xy plane, counter-clockwise positive
{
    double sum = 0;
    for (const auto& t : mesh.triangles) {
        const auto at = [&](std::size_t i) { return mesh.points[static_cast<std::size_t>(t[i])]; };
        sum += 0.5 * cross(at(1) - at(0), at(2) - at(0)).z;
    }
    return sum;
}

const char* const kSquares =
    "point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]\nint[] faceVertexCounts = "
    "[4, 4]\n";

}  // namespace

TEST_CASE("a face with a bad index is dropped and named, the others stay (STG-120)")
{
    Diagnostics found;
    const auto  made = read(std::string(kSquares) + "int[] faceVertexIndices = [0, 1, 2, 17, 1, 4, 5, 2]", found);
    CHECK(made.triangle_to_face == std::vector<std::int32_t>{1, 1});
    CHECK(made.face_count == 2);
    CHECK(signed_area(made.mesh) == close_to(1, 1e-12));
    REQUIRE(found.count("MESH_FACE_INVALID") == 1);
    CHECK(found.items()[0].message.find("face 0") != std::string::npos);
}

TEST_CASE("a concave face is cut into ears of the right area (STG-120)")
{
    // an L of two unit squares on a base of two: area 3; a fan from its first corner would cover more than it has
    Diagnostics found;
    const auto  made = read(
        "point3f[] points = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (0, 2, 0)]\nint[] "
        "faceVertexCounts = [6]\nint[] faceVertexIndices = [1, 2, 3, 4, 5, 0]",
        found);
    REQUIRE(made.mesh.triangles.size() == 4);
    double total = 0;
    for (const auto& t : made.mesh.triangles) {
        geometry::Mesh one{.points = made.mesh.points, .triangles = {t}};
        CHECK(signed_area(one) > 0);  // none turned over, so none overlaps
        total += signed_area(one);
    }
    CHECK(total == close_to(3, 1e-12));
    CHECK(found.empty());
}

TEST_CASE("leftHanded turns the triangles over, hole faces are skipped (STG-121)")
{
    Diagnostics       found;
    const std::string faces = std::string(kSquares) + "int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 5, 2]\n";
    CHECK(signed_area(read(faces, found).mesh) == close_to(2, 1e-12));
    CHECK(signed_area(read(faces + "uniform token orientation = \"leftHanded\"", found).mesh) == close_to(-2, 1e-12));
    const auto holed = read(faces + "int[] holeIndices = [0]", found);
    CHECK(holed.triangle_to_face == std::vector<std::int32_t>{1, 1});
    CHECK(found.empty());
}

namespace {

/// A unit cube about `at`, faces outwards.
std::string cube_at(double x, double y, double z)
{
    std::string points;
    for (int i = 0; i < 8; ++i)
        points += (i > 0 ? ", (" : "(") + std::to_string(x + (i & 1 ? 0.5 : -0.5)) + ", " +
                  std::to_string(y + (i & 2 ? 0.5 : -0.5)) + ", " + std::to_string(z + (i & 4 ? 0.5 : -0.5)) + ")";
    return "point3f[] points = [" + points +
           "]\nint[] faceVertexCounts = [4, 4, 4, 4, 4, 4]\nint[] faceVertexIndices = [0, 2, 3, 1, 4, 5, 7, 6, 0, 1, "
           "5, "
           "4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5]\n";
}

double signed_volume(const geometry::Mesh& mesh)
{
    double sum = 0;
    for (const auto& t : mesh.triangles)
        sum += dot(mesh.points[static_cast<std::size_t>(t[0])],
                   cross(mesh.points[static_cast<std::size_t>(t[1])], mesh.points[static_cast<std::size_t>(t[2])])) /
               6;
    return sum;
}

struct OneMesh {
    std::shared_ptr<const usd::Stage> stage;
    Diagnostics                       found;
    physics::PhysicsModel             model;

    explicit OneMesh(const std::string& lines)
    {
        auto opened = usd::Stage::open_text(
            "#usda 1.0\n(\n    metersPerUnit = 1\n)\ndef Mesh \"m\" (\n    prepend apiSchemas = "
            "[\"PhysicsCollisionAPI\"]\n)\n{\n" +
            lines + "\n}\n");
        REQUIRE(opened);
        stage = *opened;
        model = physics::parse(*stage, {}, found);
        REQUIRE(model.colliders.size() == 1);
    }
};

}  // namespace

TEST_CASE("a mirrored mesh still winds outwards (PHY-050)")
{
    for (const char* scale : {"(1, 1, 1)", "(-1, 1, 1)", "(-2, -3, 4)", "(-1, -1, -1)", "(2, -1, 0.5)"}) {
        CAPTURE(scale);
        OneMesh mesh(cube_at(1, 2, 3) + "float3 xformOp:scale = " + scale +
                     "\nuniform token[] xformOpOrder = [\"xformOp:scale\"]");
        CHECK(signed_volume(resolve::collider_mesh(mesh.model.colliders[0], false, mesh.found)) > 0);
    }
}

TEST_CASE("the inertia of a mesh far from its origin keeps five digits (PHY-077)")
{
    // 65536.5 is a float exactly, so the authored cube is a unit cube: volume 1, inertia 1/6 about its centre.
    OneMesh    far(cube_at(65536, -65536, 65536));
    const auto info = resolve::mass_info(far.model.colliders[0], true, far.found);
    CHECK(info.volume == close_to(1, 1e-5));
    CHECK(length(info.com - Vec3d{65536, -65536, 65536}) < 1e-3);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k) CHECK(info.inertia(i, k) == close_to(i == k ? 1.0 / 6 : 0, 1e-5 / 6));
}
