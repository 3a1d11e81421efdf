#include <fmt/format.h>

#include "import_support.h"

namespace mechane::importer::test {
using mechane::test::distance;

namespace {

enum class Where { diffuse, base, display };

/// A cube whose colour (0.5, 0.25, 1) is authored as said, below an ancestor with a ColorSpaceAPI of this name: as a
/// default, or as the only sample.
std::string cube(Where where, const std::string& above, const std::string& own, bool sampled)
{
    const auto authored = [&](const std::string& declared, const std::string& value, const std::string& metadata) {
        return sampled ? fmt::format("{0}{2}\n{0}.timeSamples = {{ 4: {1} }}", declared, value, metadata)
                       : fmt::format("{} = {}{}", declared, value, metadata);
    };
    const std::string space = above.empty() ? "" : " (prepend apiSchemas = [\"ColorSpaceAPI\"])";
    const std::string name  = above.empty() ? "" : fmt::format("uniform token colorSpace:name = \"{}\"\n", above);
    const std::string tag   = own.empty() ? "" : fmt::format(" ( colorSpace = \"{}\" )", own);
    const std::string shape = fmt::format(
        "def Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"MaterialBindingAPI\"]) {{\n{}\n}}\n",
        where == Where::display ? authored("color3f[] primvars:displayColor", "[(0.5, 0.25, 1)]", tag)
                                : "rel material:binding = </top/paint>");
    const std::string material =
        where == Where::display
            ? ""
            : fmt::format(
                  "def Material \"paint\" {{\n token outputs:surface.connect = </top/paint/s.outputs:surface>\n def "
                  "Shader \"s\" {{\n uniform token info:id = \"UsdPreviewSurface\"\n {}\n token "
                  "outputs:surface\n }}\n}}\n",
                  authored(where == Where::base ? "color3f inputs:baseColor" : "color3f inputs:diffuseColor",
                           "(0.5, 0.25, 1)", tag));
    return stage_text(fmt::format("def Xform \"top\"{} {{\n{}{}{}}}\n", space, name, material, shape));
}

}  // namespace

TEST_CASE("a colour is encoded or not by its own space, else by the one that it inherits (GAP-025)")
{
    const Vec3d linear{0.73536, 0.53710, 1}, as_is{0.5, 0.25, 1};
    const struct {
        const char* above;
        const char* own;
        Vec3d       shown;
    } table[] = {
        {"", "", linear},
        {"srgb_rec709_scene", "", as_is},
        {"lin_rec709_scene", "srgb_rec709_scene", as_is},
        {"srgb_rec709_scene", "lin_rec709_scene", linear},
    };
    for (const Where where : {Where::diffuse, Where::base, Where::display})
        for (const auto& row : table) {
            CAPTURE(static_cast<int>(where));
            CAPTURE(row.above);
            CAPTURE(row.own);
            for (const bool sampled : {false, true}) {
                CAPTURE(sampled);
                const Imported in = import_text(cube(where, row.above, row.own, sampled));
                REQUIRE(in.result);
                CHECK(distance(in.shape_at("/top/c").color, row.shown) < 1e-4);  // five digits in the table
            }
        }
}

}  // namespace mechane::importer::test
