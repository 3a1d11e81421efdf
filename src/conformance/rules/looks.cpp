// Rules of REP-0158 3.1 and 3.3 about materials and the geometry that wears them: one look for all purposes, texture
// coordinates in range, interpolation of colours.
// Textures are found by following connections of the surface shader, each shader once.

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "conformance/family.h"
#include "conformance/instance_copies.h"
#include "mechane/usd/shading.h"

/// REP-0158 3.1 and 3.3: how materials meet the geometry that wears them.
namespace mechane::conformance {
namespace {

constexpr std::string_view kTwoLooks = R"(
def Material "matt"
{
    token outputs:surface.connect = </robot/matt/s.outputs:surface>

    def Shader "s"
    {
        uniform token info:id = "UsdPreviewSurface"
        token outputs:surface
    }
}

def Material "shiny"
{
    token outputs:surface.connect = </robot/shiny/s.outputs:surface>

    def Shader "s"
    {
        uniform token info:id = "UsdPreviewSurface"
        float inputs:roughness = 0.1
        token outputs:surface
    }
}

def Cube "box" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    rel material:binding = </robot/matt>
    rel material:binding:preview = </robot/shiny>
}
)";
constexpr std::string_view kOneLook  = R"(
def Material "matt"
{
    token outputs:surface.connect = </robot/matt/s.outputs:surface>

    def Shader "s"
    {
        uniform token info:id = "UsdPreviewSurface"
        token outputs:surface
    }
}

def Cube "box" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    rel material:binding = </robot/matt>
}
)";

constexpr Rule kSingle{
    .id       = "REP-3.1-c",
    .slug     = "single-material",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Geometry wears one material, whatever the purpose.",
    .why      = "Exporters keep one, and which one differs.",
    .fix      = "None: the author must decide which look is meant.",
    .bad      = kTwoLooks,
    .good     = kOneLook,
};

#define MECHANE_WORN(wrap)                                                                                      \
    "def Material \"look\"\n{\n    token outputs:surface.connect = </robot/look/s.outputs:surface>\n"           \
    "    def Shader \"s\"\n    {\n        uniform token info:id = \"UsdPreviewSurface\"\n        color3f "      \
    "inputs:diffuseColor.connect = </robot/look/t.outputs:rgb>\n        token outputs:surface\n    }\n"         \
    "    def Shader \"t\"\n    {\n        uniform token info:id = \"UsdUVTexture\"\n        float2 "            \
    "inputs:st.connect = </robot/look/r.outputs:result>\n        token inputs:wrapS = \"" wrap                  \
    "\"\n        token inputs:wrapT = \"" wrap                                                                  \
    "\"\n        float3 outputs:rgb\n    }\n    def Shader "                                                    \
    "\"r\"\n    {\n        uniform token info:id = \"UsdPrimvarReader_float2\"\n        string inputs:varname " \
    "= \"st\"\n        float2 outputs:result\n    }\n}\n"                                                       \
    "def Mesh \"m\" (\n    prepend apiSchemas = [\"MaterialBindingAPI\"]\n)\n{\n    int[] faceVertexCounts = "  \
    "[3]\n    int[] faceVertexIndices = [0, 1, 2]\n    rel material:binding = </robot/look>\n    point3f[] "    \
    "points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n    texCoord2f[] primvars:st = [(0, 0), (2, 0), (0, 1)] (\n"   \
    "        interpolation = \"vertex\"\n    )\n}\n"

constexpr Rule kRange{
    .id       = "REP-3.1-e",
    .slug     = "uv-range",
    .severity = Severity::warning,
    .summary  = "Texture coordinates beyond 0 to 1 meet textures that repeat.",
    .why      = "Beyond its edge a texture that does not repeat is black or smeared.",
    .fix      = "None: write inputs:wrapS and wrapT, or unwrap the mesh anew.",
    .bad      = MECHANE_WORN("clamp"),
    .good     = MECHANE_WORN("repeat"),
};

#undef MECHANE_WORN

constexpr Rule kInterpolation{
    .id       = "REP-3.3-b",
    .slug     = "primvar-interp",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "Colours are constant or one a point.",
    .why      = "glTF and most engines have no colours by face; exporters split the mesh.",
    .fix      = "None: colours by face have to be baked.",
    .bad      = R"(
def Mesh "m"
{
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    color3f[] primvars:displayColor = [(1, 0, 0)] (
        interpolation = "uniform"
    )
}
)",
    .good     = R"(
def Mesh "m"
{
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    color3f[] primvars:displayColor = [(1, 0, 0)] (
        interpolation = "constant"
    )
}
)",
};

/// A texture of a material and the primvar that places it.
struct Texture {
    usd::Prim   shader;
    std::string primvar;
};

/// A word, given there or by the material's interface.
std::string text_of(const usd::Prim& prim, const char* name)
{
    const usd::Attribute attribute = prim.attribute(name);
    if (!attribute) return {};
    const usd::ShadingSource source = usd::shading_source(attribute);
    return source.computed ? std::string() : source.attribute.get<std::string>().value_or("");
}

/// Textures that the surface of a material reads.
std::vector<Texture> textures_of(const usd::Prim& material)
{
    std::vector<Texture>   found;
    std::set<usd::Path>    seen;
    std::vector<usd::Prim> open;
    const auto             follow = [&](const usd::Attribute& attribute) {
        if (!attribute || attribute.connections().empty()) return usd::Prim();
        const usd::ShadingSource source = usd::shading_source(attribute);
        if (!source.computed) return usd::Prim();
        if (seen.insert(source.attribute.prim().path()).second) open.push_back(source.attribute.prim());
        return source.attribute.prim();
    };
    follow(material.attribute("outputs:surface"));
    while (!open.empty()) {
        const usd::Prim shader = open.back();
        open.pop_back();
        if (text_of(shader, "info:id") == "UsdUVTexture") {
            const usd::Prim reader = follow(shader.attribute("inputs:st"));
            std::string     name   = reader ? text_of(reader, "inputs:varname") : "";
            found.push_back({shader, name.empty() ? "st" : name});
        }
        for (const usd::Token& name : shader.authored_property_names())
            if (name.text().starts_with("inputs:")) follow(shader.attribute(name));
    }
    return found;
}

void check_range(const Facts& facts, const usd::Prim& mesh, Sink& sink)
{
    // Coordinates slightly outside of 0 to 1 are rounding of exporters.
    constexpr double kTolerance = 1e-4;
    const usd::Prim  material   = facts.stage.bound_material(mesh, "");
    if (!material) return;
    for (const Texture& texture : textures_of(material)) {
        const auto st = mesh.attribute("primvars:" + texture.primvar).get<std::vector<Vec2d>>();
        if (!st) continue;
        sink.applies(kRange);
        double low = 0, high = 1;
        for (const Vec2d& p : *st) low = std::min({low, p.x, p.y}), high = std::max({high, p.x, p.y});
        if (low >= -kTolerance && high <= 1 + kTolerance) continue;
        const std::string s = text_of(texture.shader, "inputs:wrapS"), t = text_of(texture.shader, "inputs:wrapT");
        if (s == "repeat" && t == "repeat") continue;
        const bool mirrored = (s == "repeat" || s == "mirror") && (t == "repeat" || t == "mirror");
        return sink.report(kRange, {.site    = site_of(mesh, ("primvars:" + texture.primvar).c_str()),
                                    .message = "texture coordinates leave 0 to 1, and " + texture.shader.path().text() +
                                               (mirrored ? " is mirrored there" : " does not repeat"),
                                    .observed = number(low) + " to " + number(high),
                                    .expected = "0 to 1, or wrapS and wrapT \"repeat\"",
                                    .hint     = "write inputs:wrapS and inputs:wrapT = \"repeat\" on the texture",
                                    .variant  = mirrored ? "mirror" : "",
                                    .severity = mirrored ? std::optional(Severity::info) : std::nullopt});
    }
}

void check_single(const Facts& facts, const usd::Prim& gprim, Sink& sink)
{
    const usd::Prim all = facts.stage.bound_material(gprim, "");
    for (const char* purpose : {"preview", "full"}) {
        const usd::Prim other = facts.stage.bound_material(gprim, purpose);
        if (!other) continue;
        sink.applies(kSingle);
        if (!all || other == all) continue;
        return sink.report(kSingle, {.site     = gprim.site(),
                                     .message  = std::string("another material for the purpose ") + purpose,
                                     .observed = all.path().text() + ", " + other.path().text(),
                                     .expected = "one material",
                                     .hint     = "bind the one that shall be exported by material:binding alone"});
    }
}

void check_interpolation(const PrimFacts& gprim, Sink& sink)
{
    for (const usd::Token& name : gprim.properties) {
        if (!name.text().starts_with("primvars:")) continue;
        const usd::Attribute primvar = gprim.prim.attribute(name);
        if (!primvar || (!primvar.type_name().starts_with("color") && name.text() != "primvars:displayOpacity"))
            continue;
        sink.applies(kInterpolation);
        const std::string how = primvar.metadata("interpolation").get<std::string>().value_or("constant");
        if (how == "uniform" || how == "faceVarying")
            sink.report(kInterpolation,
                        {.site     = primvar.site(),
                         .message  = name.text() + " is given by " + (how == "uniform" ? "face" : "face and corner"),
                         .observed = how,
                         .expected = "constant or vertex",
                         .hint     = "bake the colours into points or a texture"});
    }
}

void check(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kGprim) || is_copy(prim.prim)) continue;
        // A collider that is only a guide is not seen.
        if (facts.stage.purpose(prim.prim).text() == "guide") continue;
        check_single(facts, prim.prim, sink);
        if (prim.is(kMesh)) check_range(facts, prim.prim, sink);
        check_interpolation(prim, sink);
    }
}

constexpr std::array<const Rule*, 3> kRules{&kSingle, &kRange, &kInterpolation};

}  // namespace

constexpr Family kLookRules{kRules, check};

}  // namespace mechane::conformance
