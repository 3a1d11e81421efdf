// Rules of REP-0158 3.1 to 3.3 about materials and textures that every renderer can draw: preview surface, formats, bit
// depth, colour spaces, subsets.
// Networks are walked from the surface, each shader once; the input at which a branch ends decides whether its texture
// is colour or data.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "conformance/family.h"
#include "conformance/first_value.h"
#include "conformance/image_header.h"
#include "mechane/files/suffix.h"
#include "mechane/usd/shading.h"

/// REP-0158 3.1 to 3.3: materials and textures that every renderer can draw.
namespace mechane::conformance {
namespace {

#define MECHANE_LOOK(surface, shaders)                                                                           \
    "def Material \"look\" {\n    " surface "\n" shaders                                                         \
    "\n}\ndef Cube \"box\" (prepend apiSchemas = "                                                               \
    "[\"MaterialBindingAPI\"]) { rel material:binding = </robot/look>\n double3 xformOp:translate = (0, 0, 1)\n" \
    "    uniform token[] xformOpOrder = [\"xformOp:translate\"] }\n"
#define MECHANE_PREVIEW(inputs)                                                     \
    "    def Shader \"s\" { uniform token info:id = \"UsdPreviewSurface\"\n" inputs \
    "        token outputs:surface "                                                \
    "}\n"
#define MECHANE_SURFACE "token outputs:surface.connect = </robot/look/s.outputs:surface>"
#define MECHANE_TEXTURE(name, file, more)                                                                        \
    "    def Shader \"" name "\" { uniform token info:id = \"UsdUVTexture\"\n        asset inputs:file = @" file \
    "@\n" more "        float3 outputs:rgb }\n"
constexpr Rule kPreview{
    .id      = "REP-3.1-a",
    .slug    = "preview-surface",
    .summary = "Every material that is seen has a UsdPreviewSurface.",
    .why     = "It is the only surface that every renderer and exporter knows.",
    .fix     = "None: the look has to be described by a preview surface.",
    .bad     = MECHANE_LOOK(
        "token outputs:mdl:surface.connect = </robot/look/s.outputs:out>",
        "    def Shader \"s\" { uniform token info:implementationSource = \"sourceAsset\"\n token outputs:out }\n"),
    .good = MECHANE_LOOK(MECHANE_SURFACE, MECHANE_PREVIEW("")),
};
constexpr Rule kReplaced{
    .id      = "REP-3.1-b",
    .slug    = "terminal-replaced",
    .keyword = Keyword::must_not,
    .summary = "The universal surface is not fed by a shader of one renderer.",
    .why     = "Other renderers then draw nothing, although a preview surface may be there.",
    .fix     = "None: connect the preview surface, and the renderer's shader to its own terminal.",
    .bad     = MECHANE_LOOK(
        MECHANE_SURFACE,
        "    def Shader \"s\" { uniform token info:implementationSource = \"sourceAsset\"\n"
        "        uniform token info:mdl:sourceAsset:subIdentifier = \"OmniPBR\"\n token outputs:surface }\n"),
    .good = MECHANE_LOOK(MECHANE_SURFACE, MECHANE_PREVIEW("")),
};
constexpr Rule kUdim{
    .id      = "REP-3.1-d",
    .slug    = "udim",
    .keyword = Keyword::must_not,
    .summary = "Textures are single pictures, not tiles.",
    .why     = "Few engines and no glTF reader know tiles.",
    .fix     = "None: an atlas has to be baked.",
    .bad     = MECHANE_LOOK(MECHANE_SURFACE,
                            MECHANE_PREVIEW("color3f inputs:diffuseColor.connect = </robot/look/t.outputs:rgb>\n")
                                MECHANE_TEXTURE("t", "./tex.<UDIM>.png", "")),
    .good    = MECHANE_LOOK(MECHANE_SURFACE, MECHANE_PREVIEW("")),
};
constexpr Rule kFamilyName{
    .id      = "REP-3.1-f",
    .slug    = "subset-family",
    .summary = "Subsets that bind a material belong to the family materialBind.",
    .why     = "Other families are not looked at for materials.",
    .fix     = "The family is written. Shared faces stay with the first of two subsets that wear the same material.",
    .fixable = true,
    .bad     = R"(
def Material "look" {
    token outputs:surface.connect = </robot/look/s.outputs:surface>
    def Shader "s" { uniform token info:id = "UsdPreviewSurface"
        token outputs:surface }
}
def Mesh "m"
{
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]

    def GeomSubset "part" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        uniform token elementType = "face"
        uniform token familyName = "parts"
        int[] indices = [0]
        rel material:binding = </robot/look>
    }
}
)",
    .good    = "",
};
constexpr Rule kFormats{
    .id      = "REP-3.2-a",
    .slug    = "surface-formats",
    .summary = "Textures of surfaces are PNG or JPEG.",
    .why     = "Other formats are read by some engines only.",
    .fix     = "None: convert the picture.",
    .bad     = MECHANE_LOOK(MECHANE_SURFACE,
                            MECHANE_PREVIEW("color3f inputs:diffuseColor.connect = </robot/look/t.outputs:rgb>\n")
                                MECHANE_TEXTURE("t", "./look.tga", "")),
    .good    = MECHANE_LOOK(MECHANE_SURFACE, MECHANE_PREVIEW("")),
};
constexpr Rule kDepth{
    .id      = "REP-3.2-b",
    .slug    = "eight-bit",
    .summary = "Textures have eight bits a channel.",
    .why     = "Sixteen bits are cut or refused by real-time engines.",
    .fix     = "None: convert the picture.",
    .bad     = "#files\n=== robot.usda\n<<entry references @./instances.usda@>>\n"
               "=== instances.usda\n#usda 1.0\n( defaultPrim = \"robot\" )\ndef Xform \"robot\" {\n"
               MECHANE_LOOK(MECHANE_SURFACE, MECHANE_PREVIEW("color3f inputs:diffuseColor.connect = </robot/look/t.outputs:rgb>\n")
                                MECHANE_TEXTURE("t", "./look.png", "")) "}\n"
               // Signature and IHDR of a PNG: 1 x 1, 16 bits, RGB.
               "=== look.png hex\n89504e470d0a1a0a0000000d49484452000000010000000110020000004914ab22\n",
    .good    = "",
};
constexpr Rule kData{
    .id      = "REP-3.2-c",
    .slug    = "data-png",
    .summary = "Normals, roughness and other data are PNG.",
    .why     = "JPEG smears what is no colour.",
    .fix     = "None: convert the picture from its source.",
    .bad =
        MECHANE_LOOK(MECHANE_SURFACE, MECHANE_PREVIEW("normal3f inputs:normal.connect = </robot/look/t.outputs:rgb>\n")
                                          MECHANE_TEXTURE("t", "./look.jpg", "")),
    .good = MECHANE_LOOK(MECHANE_SURFACE, MECHANE_PREVIEW("")),
};
constexpr Rule kEnvironment{
    .id      = "REP-3.2-f",
    .slug    = "env-hdr",
    .summary = "Environment pictures of dome lights are HDR, PNG or JPEG.",
    .why     = "OpenEXR is not read everywhere.",
    .fix     = "None: convert the picture.",
    .bad     = "def DomeLight \"sky\" { asset inputs:texture:file = @./env.exr@ }\n",
    .good    = "def DomeLight \"sky\" { float inputs:intensity = 1 }\n",
};
constexpr Rule kSpace{
    .id       = "REP-3.2-g",
    .slug     = "color-space",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Data textures are raw, colour textures are not, and normals have their range.",
    .why      = "A normal that is read as a colour is bent.",
    .fix      = "The colour space is written, and the range of normals where none was.",
    .fixable  = true,
    .bad  = MECHANE_LOOK(MECHANE_SURFACE,
                         MECHANE_PREVIEW("normal3f inputs:normal.connect = </robot/look/t.outputs:rgb>\n")
                             MECHANE_TEXTURE("t", "./look.png", "        token inputs:sourceColorSpace = \"sRGB\"\n")),
    .good = MECHANE_LOOK(MECHANE_SURFACE, MECHANE_PREVIEW("")),
};
constexpr Rule kProcedural{
    .id      = "REP-3.3-a",
    .slug    = "procedural",
    .summary = "Surfaces are fed by textures and primvars only.",
    .why     = "A noise node looks different, or is missing, in the next renderer.",
    .fix     = "None: bake the pattern into a texture.",
    .bad     = MECHANE_LOOK(
        MECHANE_SURFACE,
        MECHANE_PREVIEW(
            "color3f inputs:diffuseColor.connect = </robot/look/n.outputs:out>\n") "    def Shader \"n\" { uniform "
                                                                                   "token info:id = "
                                                                                   "\"ND_noise2d_float\"\n float "
                                                                                   "outputs:out }\n"),
    .good = MECHANE_LOOK(MECHANE_SURFACE, MECHANE_PREVIEW("")),
};

#undef MECHANE_TEXTURE
#undef MECHANE_SURFACE
#undef MECHANE_PREVIEW
#undef MECHANE_LOOK

std::string id_of(const usd::Prim& shader) { return shader.attribute("info:id").get<std::string>().value_or(""); }

/// The shader that an input or output ends at, through node graphs.
usd::Prim source_of(const usd::Attribute& attribute)
{
    if (!attribute || attribute.connections().empty()) return {};
    const usd::ShadingSource source = usd::shading_source(attribute);
    return source.computed ? source.attribute.prim() : usd::Prim();
}

/// The value that an input has, given there or by the material's interface, at the default time or at its first sample.
template <class T>
T value_of(const usd::Attribute& input)
{
    if (!input) return T{};
    const usd::ShadingSource source = usd::shading_source(input);
    return source.computed ? T{} : first_value<T>(source.attribute);
}

bool is_data_input(const std::string& input)
{
    static const std::set<std::string> kInputs{
        "inputs:normal",  "inputs:metallic",           "inputs:roughness", "inputs:occlusion", "inputs:displacement",
        "inputs:opacity", "inputs:clearcoatRoughness", "inputs:clearcoat", "inputs:ior"};
    return kInputs.count(input) != 0;
}

bool is_color_input(const std::string& input)
{ return input == "inputs:diffuseColor" || input == "inputs:emissiveColor" || input == "inputs:specularColor"; }

class Looks {
  public:
    Looks(const Facts& facts, Sink& sink) : facts_(facts), sink_(sink) {}

    void run()
    {
        for (const PrimFacts& prim : facts_.prims) {
            if (prim.is(kLight)) picture_of_light(prim.prim);
            if (prim.is(kSubset)) subset(prim.prim);
            if (!prim.is(kGprim | kSubset)) continue;
            // A collider that is only a guide is not seen.
            if (prim.is(kGprim) && facts_.stage.purpose(prim.prim).text() == "guide") continue;
            for (const char* purpose : {"", "preview", "full"})
                if (const usd::Prim material = facts_.stage.bound_material(prim.prim, purpose))
                    if (seen_.insert(material.path()).second) judge(material);
        }
        // A picture that feeds data as well, as packed ones do, cannot be both.
        for (const auto& [path, color] : raw_colors_)
            if (data_.count(path) == 0)
                say(kSpace, color.first, "inputs:sourceColorSpace",
                    "a colour is read as data (" + color.second.substr(7) + ")", "raw", "sRGB",
                    "write inputs:sourceColorSpace = \"sRGB\"", "color");
    }

  private:
    const Facts&        facts_;
    Sink&               sink_;
    std::set<usd::Path> seen_, textures_, data_;  ///< data_: textures that feed no colour
    std::map<usd::Path, std::pair<usd::Prim, std::string>>
        raw_colors_;  ///< colours that are read as data, with the input

    void say(const Rule& rule, const usd::Prim& prim, const char* property, std::string message, std::string observed,
             std::string expected, std::string hint, const char* variant = "", std::optional<Severity> severity = {})
    {
        sink_.report(rule, {.site     = property == nullptr ? prim.site() : site_of(prim, property),
                            .message  = std::move(message),
                            .observed = std::move(observed),
                            .expected = std::move(expected),
                            .hint     = std::move(hint),
                            .variant  = variant,
                            .severity = severity});
    }

    void judge(const usd::Prim& material)
    {
        sink_.applies(kPreview);
        sink_.applies(kReplaced);
        const usd::Prim surface = source_of(material.attribute("outputs:surface"));
        if (!surface) {
            // A material of physics has no look of its own.
            if (material.has_api("PhysicsMaterialAPI") && material.children().empty()) return;
            return say(kPreview, material, nullptr, "the material has no universal surface", "no outputs:surface",
                       "UsdPreviewSurface", "describe the look by a UsdPreviewSurface on outputs:surface");
        }
        const std::string id     = id_of(surface);
        const std::string source = surface.attribute("info:implementationSource").get<std::string>().value_or("id");
        if (source != "id" || (!id.empty() && id != "UsdPreviewSurface" && !id.starts_with("ND_open_pbr")))
            return say(kReplaced, material, "outputs:surface",
                       "the universal surface is fed by a shader of one renderer", source != "id" ? source : id,
                       "UsdPreviewSurface",
                       "connect a UsdPreviewSurface, and this shader to a terminal of its renderer");
        if (id.starts_with("ND_open_pbr"))
            return say(kPreview, material, "outputs:surface",
                       "the surface is OpenPBR, which exporters translate with --openpbr", id, "UsdPreviewSurface",
                       "add a UsdPreviewSurface", "openpbr", Severity::info);
        if (id.empty())
            return say(kPreview, surface, nullptr, "the surface shader has no info:id", "absent", "UsdPreviewSurface",
                       "write info:id = \"UsdPreviewSurface\"");
        std::set<usd::Path> visited;
        network(surface, "", visited);
    }

    /// Walks what feeds a shader; `input` is the preview surface's input that the branch ends at.
    // NOLINTNEXTLINE(misc-no-recursion): each shader once
    void network(const usd::Prim& shader, const std::string& input, std::set<usd::Path>& visited)
    {
        const std::string id = id_of(shader);
        sink_.applies(kProcedural);
        const bool known = id == "UsdPreviewSurface" || id == "UsdUVTexture" || id == "UsdTransform2d" ||
                           id.starts_with("UsdPrimvarReader_");
        if (!known)
            return say(kProcedural, shader, "info:id", "the surface is fed by a node that computes its pattern", id,
                       "UsdUVTexture or UsdPrimvarReader", "bake it into a texture");
        if (id == "UsdUVTexture") texture(shader, input);
        for (const usd::Token& name : shader.authored_property_names()) {
            if (!name.text().starts_with("inputs:")) continue;
            const usd::Prim next = source_of(shader.attribute(name));
            if (!next) continue;
            const std::string branch = id == "UsdPreviewSurface" ? name.text() : input;
            if (id == "UsdPreviewSurface" ? true : visited.insert(next.path()).second) network(next, branch, visited);
        }
    }

    void texture(const usd::Prim& shader, const std::string& input)
    {
        const auto path = value_of<usd::AssetPath>(shader.attribute("inputs:file"));
        if (path.authored.empty()) return;
        const std::string& name = path.authored;
        sink_.applies(kUdim);
        sink_.applies(kFormats);
        if (name.find("<UDIM>") != std::string::npos || name.find("<UVTILE>") != std::string::npos ||
            name.find("%(UDIM)d") != std::string::npos) {
            if (textures_.insert(shader.path()).second)
                say(kUdim, shader, "inputs:file", "the texture is a set of tiles", name, "one picture",
                    "bake the tiles into an atlas");
            return;
        }
        const ImageHeader header    = path.resolved.empty() ? ImageHeader{} : read_image_header(path.resolved);
        std::string       format    = header.format;
        const std::string extension = files::suffix_of(name);
        if (format.empty())
            format = extension == ".jpg" || extension == ".jpeg" ? "jpeg"
                     : extension.empty()                         ? ""
                                                                 : extension.substr(1);
        const bool first      = textures_.insert(shader.path()).second;
        const bool named_jpeg = extension == ".jpg" || extension == ".jpeg", named_png = extension == ".png";
        if (first && ((header.format == "png" && named_jpeg) || (header.format == "jpeg" && named_png)))
            say(kFormats, shader, "inputs:file", "the texture is " + header.format + ", whatever its name says", name,
                named_png ? "png" : "jpeg", "name the file after what it holds", "mismatch", Severity::warning);
        // A path that names no file says nothing of a format: REP-1.2.5 speaks of it.
        if (format.empty() && path.resolved.empty()) return;
        if (first && format != "png" && format != "jpeg")
            say(kFormats, shader, "inputs:file", "the texture is " + (format.empty() ? "of unknown format" : format),
                format, "png or jpeg",
                format == "ktx2" ? "ktx2 is an export target only: use PNG here" : "convert the picture to PNG",
                "format");
        if (header.bits > 0) {
            sink_.applies(kDepth);
            if (first && (header.bits != 8 || header.channels == 4))
                say(kDepth, shader, "inputs:file",
                    header.channels == 4 ? "the JPEG has four channels"
                                         : fmt::format("the texture has {} bits a channel", header.bits),
                    header.channels == 4 ? "4 channels" : std::to_string(header.bits),
                    "8 bits, at most 3 channels in JPEG", "convert the picture", "",
                    header.palette && header.bits < 8 ? std::optional(Severity::warning) : std::nullopt);
        }
        const auto space = value_of<std::string>(shader.attribute("inputs:sourceColorSpace"));
        if (!is_data_input(input)) {
            if (!is_color_input(input)) return;
            sink_.applies(kSpace);
            if (space == "raw") raw_colors_.emplace(shader.path(), std::pair(shader, input));
            return;
        }
        data_.insert(shader.path());
        sink_.applies(kData);
        if (format == "jpeg")
            say(kData, shader, "inputs:file", "a JPEG feeds " + input.substr(7), "jpeg", "png",
                "use a PNG from the source");
        sink_.applies(kSpace);
        if (space == "sRGB")
            say(kSpace, shader, "inputs:sourceColorSpace", "data are read as a colour (" + input.substr(7) + ")", space,
                "raw", "write inputs:sourceColorSpace = \"raw\"");
        if (input == "inputs:normal" && header.bits == 8) normal_range(shader);
    }

    /// Eight bits hold 0 to 1, a normal -1 to 1: n = 2 t - 1 in each component. An axis may be turned round.
    void normal_range(const usd::Prim& shader)
    {
        using Four       = std::array<double, 4>;
        const auto given = [&shader](const char* name, const Four& fallback) -> std::optional<Four> {
            const usd::Attribute input = shader.attribute(name);
            if (!input) return fallback;
            const usd::ShadingSource source = usd::shading_source(input);
            if (source.computed || !source.attribute.time_samples().empty()) return std::nullopt;  // not known here
            return source.attribute.authored_value().get<Four>().value_or(fallback);
        };
        const auto scale = given("inputs:scale", {1, 1, 1, 1}), bias = given("inputs:bias", {0, 0, 0, 0});
        if (!scale || !bias) return;
        bool right = true;
        for (std::size_t i = 0; i < 3; ++i)
            right &= std::abs(std::abs((*scale)[i]) - 2) < 1e-4 && std::abs((*bias)[i] + (*scale)[i] / 2) < 1e-4;
        if (right) return;
        const auto text = [](const Four& v) { return fmt::format("({}, {}, {}, {})", v[0], v[1], v[2], v[3]); };
        say(kSpace, shader, "inputs:scale", "the normals of the picture are read without their range",
            text(*scale) + ", " + text(*bias), "(2, 2, 2, 1), (-1, -1, -1, 0)",
            "write inputs:scale = (2, 2, 2, 1) and inputs:bias = (-1, -1, -1, 0)", "normal-range");
    }

    /// Environments may be HDR; what another light throws is a picture like those of surfaces.
    void picture_of_light(const usd::Prim& light)
    {
        const std::string type = light.type_name().text();
        const bool        dome = type == "DomeLight" || type == "DomeLight_1";
        const auto        path = value_of<usd::AssetPath>(light.attribute("inputs:texture:file"));
        if (path.authored.empty()) return;
        sink_.applies(dome ? kEnvironment : kFormats);
        std::string format = path.resolved.empty() ? "" : read_image_header(path.resolved).format;
        if (format.empty()) {
            format = files::suffix_of(path.authored);
            if (!format.empty()) format.erase(0, 1);
        }
        if (!dome) {
            if (format != "png" && format != "jpeg" && format != "jpg")
                say(kFormats, light, "inputs:texture:file", "the picture of the light is " + format, format,
                    "png or jpeg", "convert the picture to PNG; only a DomeLight takes Radiance HDR", "format");
            return;
        }
        if (format != "hdr" && format != "png" && format != "jpeg" && format != "jpg")
            say(kEnvironment, light, "inputs:texture:file", "the environment is " + format, format, "hdr, png or jpeg",
                "convert the picture to Radiance HDR");
    }

    void subset(const usd::Prim& prim)
    {
        bool bound = false;
        for (const usd::Token& name : prim.authored_property_names())
            bound |= name.text() == "material:binding" || name.text().starts_with("material:binding:");
        if (!bound) return;
        sink_.applies(kFamilyName);
        const std::string family = prim.attribute("familyName").get<std::string>().value_or("");
        if (family != "materialBind")
            say(kFamilyName, prim, "familyName", "the subset binds a material but belongs to family \"" + family + "\"",
                family, "materialBind", "write `uniform token familyName = \"materialBind\"`");
    }
};

/// At the default time and at every sample of one of the subsets.
void check_family(const std::vector<const PrimFacts*>& subsets, std::size_t faces, Sink& sink)
{
    static const usd::Token kIndices("indices");
    std::set<double>        times;
    for (const PrimFacts* subset : subsets)
        for (const double time : subset->prim.attribute(kIndices).time_samples()) times.insert(time);
    std::vector<usd::TimeCode> moments{usd::TimeCode()};
    for (const double time : times) moments.emplace_back(time);
    std::set<const PrimFacts*> said, beyond, twice;
    for (const usd::TimeCode& moment : moments) {
        std::map<int, const PrimFacts*> claimed;  // by face
        for (const PrimFacts* subset : subsets) {
            const PrimFacts* other  = nullptr;
            std::size_t      shared = 0;
            std::size_t      absent = 0, repeated = 0;
            for (const int face :
                 subset->prim.attribute(kIndices).get<std::vector<int>>(moment).value_or(std::vector<int>{}))
                if (face < 0 || static_cast<std::size_t>(face) >= faces)
                    ++absent;
                else if (const auto [at, fresh] = claimed.try_emplace(face, subset); !fresh) {
                    if (at->second == subset)
                        ++repeated;
                    else
                        ++shared, other = at->second;
                }
            if (repeated > 0 && twice.insert(subset).second)
                sink.report(kFamilyName, {.site     = site_of(subset->prim, "indices"),
                                          .message  = fmt::format("{} faces of the subset are named twice", repeated),
                                          .observed = fmt::format("{} repeated faces", repeated),
                                          .expected = "each face once",
                                          .hint     = "name each face once",
                                          .variant  = "repeated"});
            if (shared > 0 && said.insert(subset).second)
                sink.report(kFamilyName, {.site     = site_of(subset->prim, "indices"),
                                          .message  = fmt::format("{} faces of the subset belong to {} too", shared,
                                                                  other->prim.path().text()),
                                          .observed = fmt::format("{} shared faces", shared),
                                          .expected = "each face in one subset of the family",
                                          .hint     = "take the faces out of one of the two",
                                          .variant  = "overlap"});
            if (absent > 0 && beyond.insert(subset).second)
                sink.report(kFamilyName, {.site     = site_of(subset->prim, "indices"),
                                          .message  = fmt::format("{} faces of the subset are not there", absent),
                                          .observed = fmt::format("{} faces beyond the last", absent),
                                          .expected = fmt::format("faces from 0 to {}", faces == 0 ? 0 : faces - 1),
                                          .hint     = "take the faces out of the subset",
                                          .variant  = "range"});
        }
    }
}

/// Faces of a mesh that two subsets of the family materialBind claim: which material they wear is anybody's guess.
void check_overlaps(const Facts& facts, Sink& sink)
{
    std::map<std::int32_t, std::vector<const PrimFacts*>> families;  // by mesh
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kSubset) || prim.parent < 0) continue;
        const auto word = [&](const char* name) {
            return prim.prim.attribute(usd::Token(name)).get<std::string>().value_or("");
        };
        if (word("familyName") != "materialBind" || word("elementType") != "face") continue;
        sink.applies(kFamilyName);
        families[prim.parent].push_back(&prim);
    }
    for (const auto& [mesh, subsets] : families) {
        // Where faces come and go over time, the most that there are.
        const usd::Attribute counts = facts.prims[static_cast<std::size_t>(mesh)].prim.attribute("faceVertexCounts");
        std::size_t          faces  = counts.get<std::vector<int>>().value_or(std::vector<int>{}).size();
        for (const double time : counts.time_samples())
            faces =
                std::max(faces, counts.get<std::vector<int>>(usd::TimeCode(time)).value_or(std::vector<int>{}).size());
        check_family(subsets, faces, sink);
    }
}

void check(const Facts& facts, Sink& sink)
{
    Looks(facts, sink).run();
    check_overlaps(facts, sink);
}

constexpr std::array<const Rule*, 10> kRules{&kPreview, &kReplaced, &kUdim,        &kFamilyName, &kFormats,
                                             &kDepth,   &kData,     &kEnvironment, &kSpace,      &kProcedural};

}  // namespace

constexpr Family kShadingRules{kRules, check};

}  // namespace mechane::conformance
