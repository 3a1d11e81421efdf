#include "mechane/resolve/mesh_source.h"

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
