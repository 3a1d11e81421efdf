#include <fmt/format.h>

#include "import_support.h"

namespace mechane::importer::test {
using mechane::test::close_to;

namespace {

constexpr const char* kTetrahedron =
    "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n    int[] faceVertexCounts = [3, 3, 3, 3]\n    "
    "int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n";

/// A static collider with these APIs beside PhysicsCollisionAPI.
Imported collider(const std::string& type, const std::string& apis, const std::string& lines)
{
    return import_text(
        stage_text(fmt::format("def {} \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"{}]) {{\n{}{}\n}}\n", type,
                               apis, type == "Mesh" ? kTetrahedron : "", lines)));
}

const model::ShapeConfig& config(const Imported& in) { return in.shape_at("/c").config; }

}  // namespace

TEST_CASE("settings of a distance field come with the shape, in metres (SMP-06, COL-117)")
{
    const Imported in =
        collider("Mesh", ", \"NewtonSDFCollisionAPI\"",
                 "float newton:contactMargin = 0.002\n    float newton:contactGap = 0.003\n    int "
                 "newton:sdfMaxResolution = 256\n    float newton:sdfNarrowBandInner = -0.02\n    float "
                 "newton:sdfNarrowBandOuter = 0.02\n    float newton:sdfPadding = 0.02\n    token "
                 "newton:sdfTextureFormat = \"uint8\"");
    REQUIRE(in.result);
    REQUIRE(config(in).sdf.has_value());
    const model::SdfConfig& sdf = *config(in).sdf;
    CHECK(config(in).margin == close_to(0.002, 1e-7));  // authored as floats
    CHECK(*config(in).gap == close_to(0.003, 1e-7));
    CHECK(sdf.force_sdf);
    CHECK(sdf.sdf_max_resolution == 256);
    CHECK_FALSE(sdf.sdf_target_voxel_size.has_value());
    CHECK(sdf.sdf_narrow_band_inner == close_to(-0.02, 1e-7));
    CHECK(sdf.sdf_narrow_band_outer == close_to(0.02, 1e-7));
    CHECK(sdf.sdf_padding.value_or(0) == close_to(0.02, 1e-7));
    CHECK(sdf.sdf_texture_format == model::SdfFormat::uint8);
    Diagnostics out;
    const auto  m = in.builder.finalize({}, out);
    REQUIRE(m);
    CHECK(m->shape_sdf_config.at(0) == config(in).sdf);
    // Nobody asked for a field: nothing is kept.
    CHECK_FALSE(config(collider("Mesh", "", "custom int newton:sdfMaxResolution = 256")).sdf.has_value());
}

TEST_CASE("a distance field goes before hulls and approximations (GAP-042, COL-117, COL-147)")
{
    const Imported both =
        collider("Mesh", ", \"NewtonSDFCollisionAPI\", \"NewtonMeshCollisionAPI\"", "int newton:maxHullVertices = 8");
    CHECK(both.found.count("RESOLVE_SDF_MESH_BOTH") == 1);
    CHECK(config(both).sdf.has_value());
    const Imported hull = collider("Mesh", ", \"PhysicsMeshCollisionAPI\", \"NewtonSDFCollisionAPI\"",
                                   "uniform token physics:approximation = \"convexHull\"");
    CHECK(hull.found.count("RESOLVE_SDF_APPROX") == 1);
    CHECK(hull.shape_at("/c").type == model::GeoType::mesh);
    const Imported plain = collider("Mesh", ", \"PhysicsMeshCollisionAPI\", \"NewtonSDFCollisionAPI\"",
                                    "uniform token physics:approximation = \"none\"");
    CHECK(plain.found.count("RESOLVE_SDF_APPROX") == 0);
}

TEST_CASE("without a source of its field a shape is not hydroelastic, and the import goes on (GAP-043, IMP-161)")
{
    for (const char* type : {"Mesh", "Cube"}) {
        CAPTURE(type);
        const Imported without = collider(type, "", "custom bool newton:hydroelasticEnabled = true");
        REQUIRE(without.result);
        CHECK(without.found.count("RESOLVE_HYDRO_NO_SDF") == 1);
        CHECK((without.shape_at("/c").flags & model::shape_flag::hydroelastic) == 0);
        // The schema alone is a source: 64 cells along the longest side.
        const Imported with =
            collider(type, ", \"NewtonSDFCollisionAPI\"",
                     "bool newton:hydroelasticEnabled = true\n    float newton:hydroelasticStiffness = 1e7");
        REQUIRE(with.result);
        CHECK((with.shape_at("/c").flags & model::shape_flag::hydroelastic) != 0);
        CHECK(config(with).sdf->sdf_max_resolution == 64);
        CHECK(config(with).kh == 1e7);
    }
}

TEST_CASE("a plane or an open mesh that asks for pressure contact is told, is not flagged, and the ledger says so (COL-016, GAP-098)")
{
    const std::string ask = "bool newton:hydroelasticEnabled = true\n    float newton:hydroelasticStiffness = 1e7\n    int newton:sdfMaxResolution = 64";
    const std::string open =
        "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n    int[] faceVertexCounts = [3, 3, 3]\n    int[] faceVertexIndices "
        "= [0, 2, 1, 0, 1, 3, 0, 3, 2]\n";
    for (const std::string& type : {std::string("Plane"), std::string("Mesh")}) {
        CAPTURE(type);
        ImportOptions options;
        options.ledger    = true;
        const Imported in = import_text(stage_text("def " + type + " \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"NewtonSDFCollisionAPI\"]) {\n" +
                                                   (type == "Mesh" ? open : std::string()) + ask + "\n}\n"),
                                        options);
        REQUIRE(in.result);
        CHECK((in.shape_at("/c").flags & model::shape_flag::hydroelastic) == 0);
        REQUIRE(in.found.find("MODEL_HYDRO_UNSUPPORTED") != nullptr);
        CHECK(in.found.find("MODEL_HYDRO_UNSUPPORTED")->severity == Severity::warning);
        CHECK(in.found.find("MODEL_HYDRO_UNSUPPORTED")->site.property == "newton:hydroelasticEnabled");
        for (const LedgerEntry& entry : in.result->ledger) {
            if (entry.prim != "/c") continue;
            CAPTURE(entry.property);
            const bool of_field = entry.property == "newton:sdfMaxResolution";
            CHECK((entry.verdict == Verdict::ignored) == (!of_field || type == "Plane"));
        }
        Diagnostics out;
        REQUIRE(in.builder.finalize({}, out));
        CHECK(out.count("MODEL_HYDRO_UNSUPPORTED") == 0);  // once is enough
    }
}

}  // namespace mechane::importer::test
