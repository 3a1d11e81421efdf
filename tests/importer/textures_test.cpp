#include <fmt/format.h>
#include <png.h>

#include <array>

#include "import_support.h"
#include "mechane/model/paint.h"

namespace mechane::importer::test {

namespace {

/// A picture of 2 x 2 pixels of one grey, half transparent.
std::string write_grey(const mechane::test::TemporaryFolder& folder, std::uint8_t grey)
{
    std::array<std::uint8_t, 16> pixels{};
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = i % 4 == 3 ? 128 : grey;
    png_image image{};
    image.version          = PNG_IMAGE_VERSION;
    image.width            = 2;
    image.height           = 2;
    image.format           = PNG_FORMAT_RGBA;
    const std::string file = (folder.path() / "grey.png").string();
    REQUIRE(png_image_write_to_file(&image, file.c_str(), 0, pixels.data(), 0, nullptr) != 0);
    return file;
}

/// The material /top/m whose base colour is a picture.
/// @param metadata  of the file's attribute
/// @param texture   further inputs of the UsdUVTexture
/// @param nodes     further nodes
/// @param surface   further inputs of the surface
std::string material(const std::string& file, const std::string& metadata, const std::string& texture,
                     const std::string& nodes = "", const std::string& surface = "")
{
    return fmt::format(R"(def Material "m" {{
    token outputs:surface.connect = </top/m/s.outputs:surface>
    def Shader "s" {{
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </top/m/t.outputs:rgb>
        {4}
        token outputs:surface
    }}
    def Shader "t" {{
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @{0}@ {1}
        {2}
        float3 outputs:rgb
        float outputs:r
    }}
    {3}
}}
)",
                       file, metadata, texture, nodes, surface);
}

/// A mesh that a texture colours; the colour space may be said in three places.
std::string textured(const std::string& file, const std::string& on_node, const std::string& on_file,
                     const std::string& above)
{
    return stage_text(fmt::format(
        R"(def Xform "top" {0} {{
{1}
{2}def Mesh "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) {{
    rel material:binding = </top/m>
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
}}
}}
)",
        above.empty() ? "" : "(prepend apiSchemas = [\"ColorSpaceAPI\"])",
        above.empty() ? "" : "uniform token colorSpace:name = \"" + above + "\"",
        material(file, on_file.empty() ? "" : "( colorSpace = \"" + on_file + "\" )",
                 on_node.empty() ? "" : "token inputs:sourceColorSpace = \"" + on_node + "\"")));
}

}  // namespace

TEST_CASE(
    "pixels of a linear picture are encoded, where its space is said; without a word it is sRGB (IMP-230, GAP-024)")
{
    const mechane::test::TemporaryFolder folder;
    const std::string                    file = write_grey(folder, 128);
    const struct {
        const char *on_node, *on_file, *above;
        bool        linear;
    } table[] = {
        {"raw", "", "", true},
        {"", "lin_rec709", "", true},
        {"auto", "", "lin_rec709_scene", true},
        {"auto", "", "", false},
        {"", "", "", false},
        {"sRGB", "lin_rec709", "raw", false},  // the node has the first word
    };
    for (const auto& row : table) {
        CAPTURE(row.on_node);
        CAPTURE(row.on_file);
        CAPTURE(row.above);
        const Imported in = import_text(textured(file, row.on_node, row.on_file, row.above));
        REQUIRE(in.result);
        REQUIRE(in.result->path_shape_texture.count("/top/c") == 1);
        const Texture& texture = *in.result->path_shape_texture.at("/top/c");
        CHECK(texture.file == file);
        CHECK(texture.linear == row.linear);
        if (!row.linear) {
            CHECK(texture.pixels.empty());  // the file is shown as it is
            continue;
        }
        CHECK(texture.width == 2);
        CHECK(texture.height == 2);
        // 128/255 = 0.50196 by the sRGB curve is 0.73681, times 255: 188. The alpha stays.
        CHECK(texture.pixels.at(0) == 188);
        CHECK(texture.pixels.at(2) == 188);
        CHECK(texture.pixels.at(3) == 128);
        CHECK(texture.pixels.size() == 16);
    }
}

TEST_CASE("pictures that are not there are one warning, whatever their number (IMP-230)")
{
    const mechane::test::TemporaryFolder folder;
    const std::string                    one  = textured((folder.path() / "gone.png").string(), "raw", "", "");
    const Imported                       lost = import_text(one);
    REQUIRE(lost.result);
    CHECK(lost.found.count("IMPORT_TEXTURE_MISSING") == 1);
    CHECK(lost.result->path_shape_texture.at("/top/c")->pixels.empty());
    REQUIRE(lost.found.find("IMPORT_TEXTURE_MISSING") != nullptr);
    CHECK(lost.found.find("IMPORT_TEXTURE_MISSING")->message.find("gone.png") != std::string::npos);
}

namespace {

/// A quad that a picture paints; what differs is said in the places of a shader graph.
struct Painted {
    std::string file       = "grey.png";
    std::string texture    = "";  ///< further inputs of the UsdUVTexture
    std::string nodes      = "";  ///< further nodes
    std::string faces      = "int[] faceVertexCounts = [4]\n    int[] faceVertexIndices = [0, 1, 2, 3]";
    std::string primvars   = "texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = \"vertex\")";
    std::string mesh       = "";  ///< further properties of the mesh
    std::string surface    = "";  ///< further inputs of the surface
    std::string below_mesh = "";

    [[nodiscard]] std::string text() const
    {
        return stage_text(fmt::format(R"(def Xform "top" {{
{}def Mesh "c" (prepend apiSchemas = ["MaterialBindingAPI"]) {{
    rel material:binding = </top/m>
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    {}
    {}
    {}
    {}
}}
}}
)",
                                      material(file, "", texture, nodes, surface), faces, primvars, mesh, below_mesh));
    }
};

/// The paint of the shape with this label.
const model::Paint* paint_at(const Imported& in, const std::string& label)
{
    for (const model::BuilderShape& shape : in.builder.shapes)
        if (shape.label == label) return model::paint_of(shape.source);
    return nullptr;
}

/// Where the corner of a shape's mesh that lies at `p` takes its colour from.
Vec2f coordinate_at(const Imported& in, const std::string& label, const Vec3d& p)
{
    for (const model::BuilderShape& shape : in.builder.shapes) {
        const model::Paint* paint = shape.label == label ? model::paint_of(shape.source) : nullptr;
        if (paint == nullptr) continue;
        for (std::size_t t = 0; t < shape.source->triangles.size(); ++t)
            for (std::size_t k = 0; k < 3; ++k)
                if (shape.source->points[static_cast<std::size_t>(shape.source->triangles[t][k])] == p)
                    return paint->uvs[t][k];
    }
    FAIL("no such corner");
    return {};
}

const std::string kReader = R"(def Shader "r" {
    uniform token info:id = "UsdPrimvarReader_float2"
    string inputs:varname = "st1"
    float2 outputs:result
})";
const std::string kTurn = R"(def Shader "turn" {
    uniform token info:id = "UsdTransform2d"
    float2 inputs:in.connect = </top/m/r.outputs:result>
    float2 inputs:scale = (2, 3)
    float inputs:rotation = 90
    float2 inputs:translation = (0.5, 0.25)
    float2 outputs:result
})";

}  // namespace

TEST_CASE("texture coordinates reach the corners of triangles, whatever their interpolation, set and transform")
{
    const mechane::test::TemporaryFolder folder;
    const std::string                    file  = write_grey(folder, 128);
    const auto                           check = [&](const Painted& painted, const Vec2f& at_x, const Vec2f& at_xy) {
        const Imported in = import_text(painted.text());
        REQUIRE(in.result);
        REQUIRE(paint_at(in, "/top/c") != nullptr);
        CHECK(paint_at(in, "/top/c")->uvs.size() == 2);
        const Vec2f a = coordinate_at(in, "/top/c", {1, 0, 0}), b = coordinate_at(in, "/top/c", {1, 1, 0});
        CHECK(a.x == doctest::Approx(at_x.x).epsilon(1e-6));
        CHECK(a.y == doctest::Approx(at_x.y).epsilon(1e-6));
        CHECK(b.x == doctest::Approx(at_xy.x).epsilon(1e-6));
        CHECK(b.y == doctest::Approx(at_xy.y).epsilon(1e-6));
    };
    check({.file = file}, {1, 0}, {1, 1});
    check({.file = file, .primvars = R"(texCoord2f[] primvars:st = [(0, 0), (.25, 0), (.5, .75), (0, 1)] ( interpolation = "faceVarying" ))"},
          {.25F, 0}, {.5F, .75F});
    check({.file = file, .primvars = R"(texCoord2f[] primvars:st = [(.5, .75), (0, 1), (.25, 0)] ( interpolation = "faceVarying" )
    int[] primvars:st:indices = [1, 2, 0, 1])"},
          {.25F, 0}, {.5F, .75F});
    check({.file = file, .primvars = R"(texCoord2d[] primvars:st = [(.25, .5)] ( interpolation = "constant" ))"}, {.25F, .5F},
          {.25F, .5F});
    check({.file = file, .primvars = R"(float2[] primvars:st = [(.25, .5)] ( interpolation = "uniform" ))"}, {.25F, .5F},
          {.25F, .5F});
    check({.file = file, .primvars = R"(texCoord2f[] primvars:UVMap ( interpolation = "vertex" )
    texCoord2f[] primvars:UVMap.timeSamples = { 0: [(0, 0), (1, 0), (1, 1), (0, 1)] })"},
          {1, 0}, {1, 1});
    // Left-handed faces are turned over, and keep their corners.
    check({.file = file, .mesh = R"(uniform token orientation = "leftHanded")"}, {1, 0}, {1, 1});
    // The set that the reader names, not the usual one.
    const std::string sets = R"(texCoord2f[] primvars:st = [(0, 0), (0, 0), (0, 0), (0, 0)] ( interpolation = "vertex" )
    texCoord2f[] primvars:st1 = [(0, 0), (1, 0), (1, 1), (0, 1)] ( interpolation = "vertex" ))";
    check({.file = file, .texture = "float2 inputs:st.connect = </top/m/r.outputs:result>", .nodes = kReader, .primvars = sets},
          {1, 0}, {1, 1});
    // UsdTransform2d scales, then turns, then moves: (1, 0) -> (2, 0) -> (0, 2) -> (0.5, 2.25);
    // (1, 1) -> (2, 3) -> (-3, 2) -> (-2.5, 2.25).
    check({.file = file, .texture = "float2 inputs:st.connect = </top/m/turn.outputs:result>", .nodes = kReader + "\n" + kTurn, .primvars = sets},
          {.5F, 2.25F}, {-2.5F, 2.25F});
}

TEST_CASE("wrap modes, scale and bias of a texture are those of its shader")
{
    const mechane::test::TemporaryFolder folder;
    const std::string                    file = write_grey(folder, 128);
    const Imported                       in   = import_text(Painted{.file    = file,
                                                                    .texture = R"(token inputs:wrapS = "mirror"
        token inputs:wrapT = "clamp"
        float4 inputs:scale = (0.5, 1, 1, 1)
        float4 inputs:bias = (0, 0, 1, 0))"}
                                                  .text());
    const model::Paint* paint = paint_at(in, "/top/c");
    REQUIRE(paint != nullptr);
    CHECK(paint->wrap_s == model::Wrap::mirror);
    CHECK(paint->wrap_t == model::Wrap::clamp);
    const model::Pixels* pixels = paint->picture->pixels();
    REQUIRE(pixels != nullptr);
    // 128 is 0.21586 linear; half of it, 0.10793, is 0.36225 on the display, times 255: 92. With 1 added it is white.
    CHECK(pixels->rgba[0] == 92);
    CHECK(pixels->rgba[1] == 128);
    CHECK(pixels->rgba[2] == 255);
}

TEST_CASE("faces of a subset take the corners that are theirs")
{
    const mechane::test::TemporaryFolder folder;
    const std::string                    file = write_grey(folder, 128);
    const Imported                       in   = import_text(Painted{
                                    .file     = file,
                                    .faces    = "int[] faceVertexCounts = [3, 3]\n    int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]",
                                    .primvars = R"(texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (.1, .2), (.3, .4), (.5, .6)] ( interpolation = "faceVarying" ))",
                                    .below_mesh = R"(def GeomSubset "part" (prepend apiSchemas = ["MaterialBindingAPI"]) {
        uniform token elementType = "face"
        uniform token familyName = "materialBind"
        int[] indices = [1]
        rel material:binding = </top/m>
    })"}
                                                  .text());
    REQUIRE(paint_at(in, "/top/c/part") != nullptr);
    CHECK(paint_at(in, "/top/c/part")->uvs.size() == 1);
    CHECK(coordinate_at(in, "/top/c/part", {1, 1, 0}) == Vec2f{.3F, .4F});
    CHECK(coordinate_at(in, "/top/c", {1, 1, 0}) == Vec2f{1, 1});
}

TEST_CASE("what of a material nobody draws goes with the mesh, for those who draw")
{
    using Names = std::vector<std::string>;
    const mechane::test::TemporaryFolder folder;
    const std::string                    file = write_grey(folder, 128);
    const Imported                       maps = import_text(
        Painted{.file    = file,
                .surface = "normal3f inputs:normal.connect = </top/m/t.outputs:rgb>\n"
                           "        float inputs:roughness.connect = </top/m/t.outputs:r>"}
            .text());
    REQUIRE(paint_at(maps, "/top/c") != nullptr);
    CHECK(paint_at(maps, "/top/c")->undrawn == Names{"normal maps", "roughness maps"});
    CHECK(paint_at(maps, "/top/c")->material == "/top/m");
    const Imported tiles = import_text(Painted{.file = "tiles.<UDIM>.png"}.text());
    CHECK(tiles.found.count("IMPORT_TEXTURE_MISSING") == 0);
    REQUIRE(paint_at(tiles, "/top/c") != nullptr);
    CHECK(paint_at(tiles, "/top/c")->undrawn == Names{"pictures in tiles (<UDIM>)"});
    const Imported bare = import_text(Painted{.file = file, .primvars = ""}.text());
    REQUIRE(paint_at(bare, "/top/c") != nullptr);
    CHECK(paint_at(bare, "/top/c")->picture == nullptr);
    CHECK(paint_at(bare, "/top/c")->undrawn == Names{"pictures on meshes without texture coordinates that fit"});
}

TEST_CASE("worlds and copies bring the paint, at the address of the mesh without it")
{
    const mechane::test::TemporaryFolder folder;
    const std::string                    file = write_grey(folder, 128);
    const Imported                       in   = import_text(Painted{.file = file}.text());
    model::ModelBuilder                  many;
    REQUIRE(many.replicate(in.builder, 3));
    Diagnostics found;
    const auto  model = many.finalize({}, found);
    REQUIRE(model);
    int painted = 0;
    for (const auto& mesh : model->shape_source)
        if (mesh != nullptr && model::paint_of(mesh) != nullptr) ++painted;
    CHECK(painted == 3);
    const auto plain = std::make_shared<const geometry::Mesh>();
    CHECK(model::paint_of(plain) == nullptr);
    CHECK(model::painted(plain, std::make_shared<model::Paint>()).get() == plain.get());
}

}  // namespace mechane::importer::test
