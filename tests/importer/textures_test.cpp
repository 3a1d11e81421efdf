#include <fmt/format.h>
#include <png.h>

#include <array>

#include "import_support.h"

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

/// A mesh that a texture colours; the colour space may be said in three places.
std::string textured(const std::string& file, const std::string& on_node, const std::string& on_file,
                     const std::string& above)
{
    return stage_text(fmt::format(
        R"(def Xform "top" {3} {{
{4}
def Material "m" {{
    token outputs:surface.connect = </top/m/s.outputs:surface>
    def Shader "s" {{
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </top/m/t.outputs:rgb>
        token outputs:surface
    }}
    def Shader "t" {{
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @{0}@ {2}
        {1}
        float3 outputs:rgb
    }}
}}
def Mesh "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) {{
    rel material:binding = </top/m>
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
}}
}}
)",
        file, on_node.empty() ? "" : "token inputs:sourceColorSpace = \"" + on_node + "\"",
        on_file.empty() ? "" : "( colorSpace = \"" + on_file + "\" )",
        above.empty() ? "" : "(prepend apiSchemas = [\"ColorSpaceAPI\"])",
        above.empty() ? "" : "uniform token colorSpace:name = \"" + above + "\""));
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
    const Imported lost = import_text(textured(file + ".gone", "raw", "", ""));
    CHECK(lost.found.count("W_TEXTURE_LINEAR") == 1);
    CHECK(lost.result->path_shape_texture.at("/top/c")->pixels.empty());
}

}  // namespace mechane::importer::test
