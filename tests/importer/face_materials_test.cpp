// Physics materials of subsets of a mesh's faces.
#include "import_support.h"
#include "mechane/importer/codes.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::importer;
using namespace mechane::importer::test;
using mechane::test::close_to;

namespace {

// A floor of three squares along x: the first of ice, the second of rubber, the third of the mesh's own wood.
constexpr const char* kFloor = R"(#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Material "wood" ( prepend apiSchemas = ["PhysicsMaterialAPI"] ) { float physics:dynamicFriction = 0.4 }
def Material "ice" ( prepend apiSchemas = ["PhysicsMaterialAPI"] ) { float physics:dynamicFriction = 0.02 }
def Material "rubber" ( prepend apiSchemas = ["PhysicsMaterialAPI"] ) { float physics:dynamicFriction = 0.9 }
def Mesh "floor" ( prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"] ) {
    int[] faceVertexCounts = [4, 4, 4]
    int[] faceVertexIndices = [0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 0), (3, 1, 0)]
    rel material:binding:physics = </wood>
    def GeomSubset "frozen" ( prepend apiSchemas = ["MaterialBindingAPI"] ) {
        uniform token elementType = "face"
        int[] indices = [0]
        rel material:binding:physics = </ice>
    }
    def GeomSubset "grip" ( prepend apiSchemas = ["MaterialBindingAPI"] ) {
        uniform token elementType = "face"
        int[] indices = [1]
        rel material:binding:physics = </rubber>
    }
}
)";

}  // namespace

TEST_CASE("a collider has one material, the first, and the others are named (GAP-064)")
{
    const Imported in = import_text(kFloor);
    REQUIRE(in.result);
    REQUIRE(in.builder.shapes.size() == 1);
    CHECK(in.shape_at("/floor").config.mu == close_to(0.02, 1e-6));
    const Diagnostic* said = in.found.find(codes::kFaceMaterials.id);
    REQUIRE(said != nullptr);
    CHECK(said->severity == Severity::info);
    CHECK(said->message.find("</floor/grip>") != std::string::npos);
    CHECK(said->message.find("the mesh itself") != std::string::npos);
    CHECK(said->message.find("</floor/frozen>") == std::string::npos);
}

TEST_CASE("with per_face_materials each face collides with its own (GAP-064)")
{
    ImportOptions options;
    REQUIRE(set_option(options, "per_face_materials", "true"));
    const Imported in = import_text(kFloor, options);
    REQUIRE(in.result);
    CHECK(in.found.count(codes::kFaceMaterials.id) == 0);
    const struct {
        const char* label;
        double      friction, middle;
    } table[] = {{"/floor", 0.4, 2.5}, {"/floor_frozen", 0.02, 0.5}, {"/floor_grip", 0.9, 1.5}};
    REQUIRE(in.builder.shapes.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const model::BuilderShape& shape = in.builder.shapes[i];
        CAPTURE(table[i].label);
        CHECK(shape.label == table[i].label);
        CHECK(shape.config.mu == close_to(table[i].friction, 1e-6));
        CHECK(shape.type == model::GeoType::mesh);
        REQUIRE(shape.source->points.size() == 4);
        double sum = 0;
        for (const Vec3d& p : shape.source->points) sum += p.x;
        CHECK(sum / 4 == close_to(table[i].middle, 1e-12));
    }
}
