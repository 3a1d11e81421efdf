// Surfaces as glTF's metallic-roughness model (export 4.6, 4.7).
// In: the material bound to a prim and the coordinate sets of its mesh. Out: an entry of glTF's `materials` with its
// textures.
// UsdPreviewSurface is close to glTF's model, with differences that this file bridges: glTF packs roughness (G) and
// metalness (B) into one picture and opacity into the alpha of the base colour, has factors but no bias, and fixes
// colour spaces (base colour and emission sRGB, others linear). A picture is passed on byte by byte where it fits, and
// composed anew where channels, scale, bias or colour space differ.
// Values are told as losses only when `tell_` is set, because sources() runs twice for each material (once to ask,
// once to write).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "exporter/gltf/writer.h"
#include "mechane/core/hash.h"
#include "mechane/usd/asset_bytes.h"
#include "mechane/usd/shading.h"
#include "mechane/usd/start_value.h"
#include "mechane/usd/udim.h"

namespace mechane::exporter::gltf {

namespace fs = std::filesystem;

namespace {

using Rgba = std::array<double, 4>;

constexpr std::size_t kMostPictureBytes = std::size_t{256} << 20;

/// What an input of a surface reads: a constant, or channels of a picture.
struct Source {
    bool        textured = false;
    Rgba        value{0, 0, 0, 1};  ///< of a constant; of a picture what stands where it is missing
    std::string file;
    std::string output = "rgb";  ///< of the texture that is read
    Rgba        scale{1, 1, 1, 1}, bias{};
    std::string wrap_s = "useMetadata", wrap_t = "useMetadata";
    std::string primvar = "st";
    double      angle   = 0;  ///< [rad]
    Vec2d       stretch{1, 1}, shift;
    std::string space;  ///< authored colour space of the file; empty for none
    usd::Prim   texture;
    bool        udim = false, vertex_color = false;

    /// Reads the same texels at the same places.
    [[nodiscard]] bool along(const Source& b) const
    {
        return wrap_s == b.wrap_s && wrap_t == b.wrap_t && primvar == b.primvar && angle == b.angle &&
               stretch == b.stretch && shift == b.shift;
    }
    [[nodiscard]] std::size_t channel() const { return output == "g" ? 1 : output == "b" ? 2 : output == "a" ? 3 : 0; }
    [[nodiscard]] bool        plain(std::size_t c) const { return scale[c] == 1 && bias[c] == 0; }
};

/// OpenGL's numbers: 33071 clamp to edge, 33648 mirrored repeat, 10497 repeat.
int wrap_code(const std::string& wrap)
{ return wrap == "clamp" || wrap == "black" ? 33071 : wrap == "mirror" ? 33648 : 10497; }

double in_unit(double v) { return std::isfinite(v) ? std::clamp(v, 0.0, 1.0) : 0; }

Json rounded(std::initializer_list<double> values)
{
    Json out = Json::array();
    for (const double v : values) out.push_back(v);
    return out;
}

std::string stem_of(const std::string& file)
{
    const std::string inner = usd::packaged_file(file).inner;
    return fs::path(inner.empty() ? file : inner).stem().string();
}

}  // namespace

usd::Prim bound_look(const usd::Stage& stage, const usd::Prim& prim)
{
    const usd::Prim preview = stage.bound_material(prim, "preview");
    return preview ? preview : stage.bound_material(prim, "full");
}

/// One material on its way into the document.
class Surface {
  public:
    Surface(Writer& writer, Materials& materials, const usd::Prim& material)
        : w_(writer), m_(materials), material_(material)
    {
    }

    enum class Kind { preview, mdl, openpbr, none };

    Kind find()
    {
        // The order is OpenUSD's: the universal output first. MDL is known by its source asset, since its shaders have
        // no info:id.
        usd::Prim shader = usd::surface_shader(material_);
        if (shader && shader.attribute("info:id").get_or<std::string>("") == "UsdPreviewSurface")
            return shader_ = shader, Kind::preview;
        if (shader &&
            (shader.attribute("info:mdl:sourceAsset") ||
             shader.attribute("info:implementationSource").get_or<std::string>("") == "sourceAsset") &&
            !shader.attribute("info:id").authored())
            return shader_ = shader, Kind::mdl;
        for (const char* output : {"outputs:mtlx:surface", "outputs:surface"}) {
            const usd::Attribute terminal = material_.attribute(output);
            if (!terminal) continue;
            const auto source = usd::shading_source(terminal);
            if (!source.computed) continue;
            const std::string id = source.attribute.prim().attribute("info:id").get_or<std::string>("");
            if (id.find("open_pbr_surface") != std::string::npos)
                return shader_ = source.attribute.prim(), Kind::openpbr;
        }
        shader_ = shader;
        return Kind::none;
    }

    /// All sources, by name of the input of UsdPreviewSurface.
    std::map<std::string, Source> sources(Kind kind, bool tell)
    {
        tell_ = tell;
        std::map<std::string, Source> out;
        if (kind == Kind::preview) {
            // Fallbacks of the UsdPreviewSurface specification.
            static const std::pair<const char*, Rgba> kInputs[] = {
                {"diffuseColor", {0.18, 0.18, 0.18, 1}}, {"emissiveColor", {0, 0, 0, 1}},
                {"specularColor", {0, 0, 0, 1}},         {"normal", {0, 0, 1, 1}},
                {"useSpecularWorkflow", {0, 0, 0, 0}},   {"metallic", {0, 0, 0, 0}},
                {"roughness", {0.5, 0, 0, 0}},           {"clearcoat", {0, 0, 0, 0}},
                {"clearcoatRoughness", {0.01, 0, 0, 0}}, {"opacity", {1, 0, 0, 0}},
                {"opacityThreshold", {0, 0, 0, 0}},      {"ior", {1.5, 0, 0, 0}},
                {"displacement", {0, 0, 0, 0}},          {"occlusion", {1, 0, 0, 0}}};
            for (const auto& [name, otherwise] : kInputs)
                out[name] = read(shader_.attribute("inputs:" + std::string(name)), otherwise);
            return out;
        }
        const auto first = [&](std::initializer_list<const char*> names, Rgba otherwise) {
            for (const char* name : names) {
                const usd::Attribute a = shader_.attribute("inputs:" + std::string(name));
                if (a && (a.authored() || !a.connections().empty())) return read(a, otherwise);
            }
            Source s;
            s.value = otherwise;
            return s;
        };
        if (kind == Kind::mdl) {
            out["diffuseColor"] =
                first({"diffuse_color_constant", "diffuse_color", "diffuseColor", "base_color", "baseColor"},
                      {0.2, 0.2, 0.2, 1});
            const Source picture = mdl_texture({"diffuse_texture", "albedo_map", "base_color_texture"});
            if (picture.textured) out["diffuseColor"] = picture;
            out["metallic"]  = first({"metallic_constant", "metallic"}, {0, 0, 0, 0});
            out["roughness"] = first({"reflection_roughness_constant", "roughness"}, {0.5, 0, 0, 0});
            if (usd::start_or<bool>(shader_.attribute("inputs:enable_emission"), false))
                out["emissiveColor"] = first({"emissive_color"}, {0, 0, 0, 1});
            if (usd::start_or<bool>(shader_.attribute("inputs:enable_opacity"), false))
                out["opacity"] = first({"opacity_constant", "opacity"}, {1, 0, 0, 0});
        } else if (kind == Kind::openpbr) {
            out["diffuseColor"] = first({"base_color"}, {0.8, 0.8, 0.8, 1});
            const Source weight = first({"base_weight"}, {1, 0, 0, 0});
            // base_color times base_weight is the diffuse albedo; a product of pictures is not made.
            for (std::size_t c = 0; c < 3 && !weight.textured && !out["diffuseColor"].textured; ++c)
                out["diffuseColor"].value[c] *= weight.value[0];
            out["metallic"]      = first({"base_metalness"}, {0, 0, 0, 0});
            out["roughness"]     = first({"specular_roughness"}, {0.3, 0, 0, 0});
            out["emissiveColor"] = first({"emission_color"}, {0, 0, 0, 1});
            // emission_luminance is in nits; glTF's strength is too (KHR_materials_emissive_strength).
            const Source luminance = first({"emission_luminance"}, {0, 0, 0, 0});
            if (!out["emissiveColor"].textured)
                for (std::size_t c = 0; c < 3; ++c) out["emissiveColor"].value[c] *= luminance.value[0];
            out["opacity"] = first({"geometry_opacity"}, {1, 0, 0, 0});
            out["ior"]     = first({"specular_ior"}, {1.5, 0, 0, 0});
        }
        return out;
    }

    int write(bool double_sided, const std::map<std::string, int>& uv_sets, int tile)
    {
        uv_sets_        = &uv_sets;
        tile_           = tile;
        const Kind kind = find();
        Json       out;
        out["name"] = material_.name().text();
        if (kind == Kind::none || (kind == Kind::openpbr && !w_.options.openpbr)) {
            w_.lose("material", Severity::error, sf::LossAction::approximated, "material", material_,
                    shader_ ? shader_.attribute("info:id").get_or<std::string>("another shader") : "no surface", "grey",
                    kind == Kind::openpbr ? "only UsdPreviewSurface is read; --openpbr reads this one"
                                          : "only UsdPreviewSurface is read");
            out["pbrMetallicRoughness"] = {{"metallicFactor", 0.0}, {"roughnessFactor", 0.9}};
            if (double_sided) out["doubleSided"] = true;
            return w_.out.add("materials", std::move(out));
        }
        if (kind == Kind::mdl)
            w_.lose("material", Severity::warning, sf::LossAction::approximated, "material", material_, "MDL",
                    "its colour, metalness and roughness", "programs of MDL are not run");
        if (kind == Kind::openpbr) tell_openpbr();
        auto in = sources(kind, true);
        if (in.contains("useSpecularWorkflow") && in["useSpecularWorkflow"].value[0] != 0) specular(in, out);
        Json pbr;
        base_color(in, out, pbr);
        metal_rough(in, out, pbr);
        out["pbrMetallicRoughness"] = std::move(pbr);
        normal(in, out);
        emission(in, out);
        coat(in, out);
        if (in.contains("ior") && !in["ior"].textured && in["ior"].value[0] != 1.5)
            extension(out, "KHR_materials_ior", {{"ior", std::max(in["ior"].value[0], 1.0)}});
        if (const auto& d = in["displacement"]; d.textured || d.value[0] != 0)
            w_.lose("displacement", Severity::warning, sf::LossAction::dropped, "material", material_, "displacement",
                    {}, "glTF moves no points");
        if (double_sided) out["doubleSided"] = true;
        return w_.out.add("materials", std::move(out));
    }

  private:
    Writer&                           w_;
    Materials&                        m_;
    usd::Prim                         material_, shader_;
    const std::map<std::string, int>* uv_sets_ = nullptr;
    int                               tile_    = -1;
    bool                              tell_    = false;

    void extension(Json& of, const char* name, Json value)
    {
        w_.out.use(name);
        of["extensions"][name] = std::move(value);
    }

    void tell(const char* code, Severity severity, sf::LossAction action, const std::string& from,
              const std::string& to, const std::string& reason)
    {
        if (tell_) w_.lose(code, severity, action, "material", material_, from, to, reason);
    }

    Rgba constant(const usd::Attribute& a, const Rgba& otherwise)
    {
        Rgba out = otherwise;
        if (const auto v = usd::start_as<Vec3d>(a))
            out = {v->x, v->y, v->z, 1};
        else if (const auto f = usd::start_as<std::array<double, 4>>(a))
            out = *f;
        else if (const auto d = usd::start_as<double>(a))
            out[0] = *d;
        else if (const auto i = usd::start_as<int>(a))
            out[0] = *i;
        for (std::size_t c = 0; c < 4; ++c)
            if (!std::isfinite(out[c])) out[c] = otherwise[c];
        return out;
    }

    // What an input reads, followed through the network of UsdShade. Only UsdUVTexture with primvar readers is
    // understood; other nodes become a constant, which is told.
    Source read(const usd::Attribute& input, const Rgba& otherwise)
    {
        Source out;
        out.value = otherwise;
        if (!input) return out;
        // Follows connections through node graphs to the node or constant that gives the value.
        const auto source = usd::shading_source(input);
        if (!source.computed) {
            out.value = constant(source.attribute, otherwise);
            return out;
        }
        const usd::Prim   node = source.attribute.prim();
        const std::string id   = node.attribute("info:id").get_or<std::string>("");
        if (id != "UsdUVTexture") {
            out.value = constant(input, otherwise);
            // displayColor is written as vertex colours, which glTF multiplies with the base colour: white leaves them
            // as they are.
            if (id.starts_with("UsdPrimvarReader") &&
                usd::start_as<std::string>(usd::shading_source(node.attribute("inputs:varname")).attribute)
                        .value_or("") == "displayColor") {
                out.vertex_color = true;
                out.value        = {1, 1, 1, 1};
                return out;
            }
            tell("network", Severity::error, sf::LossAction::approximated,
                 input.name().text() + " <- " + (id.empty() ? node.path().text() : id), "a constant",
                 "only pictures by UsdUVTexture are read");
            return out;
        }
        out.texture            = node;
        const std::string name = source.attribute.name().text();
        out.output             = name.starts_with("outputs:") ? name.substr(8) : "rgb";
        const auto four        = [&](const char* n, Rgba& to) {
            const usd::Attribute a = usd::shading_source(node.attribute(n)).attribute;
            if (a) to = constant(a, to);
        };
        const auto word = [&](const char* n, const std::string& or_else) {
            return usd::start_as<std::string>(usd::shading_source(node.attribute(n)).attribute).value_or(or_else);
        };
        four("inputs:scale", out.scale), four("inputs:bias", out.bias);
        Rgba fallback{0, 0, 0, 1};
        four("inputs:fallback", fallback);
        out.wrap_s = word("inputs:wrapS", "useMetadata"), out.wrap_t = word("inputs:wrapT", "useMetadata");
        if (out.wrap_s == "black" || out.wrap_t == "black")
            tell("wrap", Severity::info, sf::LossAction::approximated, "black", "clamp",
                 "glTF repeats, mirrors or clamps");
        out.space = usd::texture_color_space(node);
        // "auto" and nothing leave the choice to the reader: sRGB is then what glTF assumes anyway.
        if (const auto own =
                usd::shading_source(node.attribute("inputs:sourceColorSpace")).attribute.authored_as<std::string>();
            !own || own->empty() || *own == "auto")
            if (out.space == "sRGB") out.space.clear();
        const usd::Attribute path = usd::shading_source(node.attribute("inputs:file")).attribute;
        const auto           file = usd::start_as<usd::AssetPath>(path);
        const std::string    said = file ? (file->evaluated.empty() ? file->authored : file->evaluated) : std::string();
        if (said.find("<UDIM>") != std::string::npos) {
            out.udim = true;
            if (w_.options.udim == Udim::refuse) {
                tell("udim", Severity::error, sf::LossAction::dropped, said, "a constant",
                     "tiles of pictures are no part of glTF; --udim atlas or --udim split");
            } else if (w_.options.udim == Udim::atlas) {
                out.file = atlas(usd::find_udim_tiles(path));
            } else {
                // With --udim split each tile gets a material of its own, with its own picture.
                for (const auto& tile : usd::find_udim_tiles(path).tiles)
                    if (tile_ < 0 || tile.number == tile_) {
                        out.file = tile.file;
                        break;
                    }
            }
        } else if (file) {
            out.file = file->resolved;
        }
        coordinates(node, out);
        out.textured = !out.file.empty();
        if (!out.textured && !out.udim)
            tell("texture-missing", Severity::error, sf::LossAction::dropped, said.empty() ? node.path().text() : said,
                 "its fallback", "the picture was not found");
        if (!out.textured) {
            const std::size_t c = out.channel();
            out.value           = fallback;
            // UsdUVTexture applies scale and bias to its fallback as well.
            for (std::size_t i = 0; i < 4; ++i) out.value[i] = fallback[i] * out.scale[i] + out.bias[i];
            if (out.output != "rgb") out.value[0] = out.value[c];
        }
        return out;
    }

    void coordinates(const usd::Prim& node, Source& out)
    {
        usd::ShadingSource st = usd::shading_source(node.attribute("inputs:st"));
        if (!st.computed) return;
        usd::Prim at = st.attribute.prim();
        // Scale first, then rotation, then translation, as the node's specification says.
        if (at.attribute("info:id").get_or<std::string>("") == "UsdTransform2d") {
            const auto number = [&](const char* n, auto otherwise) {
                return usd::start_or(usd::shading_source(at.attribute(n)).attribute, otherwise);
            };
            out.angle   = number("inputs:rotation", 0.0) * std::numbers::pi / 180;
            out.stretch = number("inputs:scale", Vec2d{1, 1});
            out.shift   = number("inputs:translation", Vec2d{0, 0});
            st          = usd::shading_source(at.attribute("inputs:in"));
            if (!st.computed) return;
            at = st.attribute.prim();
        }
        const std::string id = at.attribute("info:id").get_or<std::string>("");
        if (!id.starts_with("UsdPrimvarReader")) {
            tell("network", Severity::error, sf::LossAction::approximated, "texture coordinates of " + id, "st",
                 "only primvar readers and UsdTransform2d are read");
            return;
        }
        if (const auto name = usd::start_as<std::string>(usd::shading_source(at.attribute("inputs:varname")).attribute);
            name && !name->empty())
            out.primvar = name->starts_with("primvars:") ? name->substr(9) : *name;
    }

    Source mdl_texture(std::initializer_list<const char*> names)
    {
        Source out;
        for (const char* name : names) {
            const usd::Attribute a    = usd::shading_source(shader_.attribute("inputs:" + std::string(name))).attribute;
            const auto           file = a ? usd::start_as<usd::AssetPath>(a) : std::nullopt;
            if (!file || file->authored.empty()) continue;
            if (file->resolved.empty()) {
                tell("texture-missing", Severity::error, sf::LossAction::dropped, file->authored, "its colour",
                     "the picture was not found");
                continue;
            }
            out.textured = true;
            out.file     = file->resolved;
            out.texture  = shader_;
            return out;
        }
        return out;
    }

    void tell_openpbr()
    {
        static const std::set<std::string> kRead{"base_color",         "base_weight",    "base_metalness",
                                                 "specular_roughness", "emission_color", "emission_luminance",
                                                 "geometry_opacity",   "specular_ior"};
        for (const usd::Token& name : shader_.authored_property_names())
            if (name.text().starts_with("inputs:") && !kRead.contains(name.text().substr(7)))
                w_.lose("openpbr", Severity::warning, sf::LossAction::dropped, "material", shader_, name.text(), {},
                        "the metallic-roughness model has no such word");
    }

    // -- pictures

    const std::string& bytes(const std::string& file)
    {
        const auto [slot, fresh] = m_.bytes_.try_emplace(file);
        if (fresh) slot->second = usd::first_bytes(file, kMostPictureBytes);
        return slot->second;
    }
    const std::optional<Pixels>& pixels(const std::string& file)
    {
        const auto [slot, fresh] = m_.pixels_.try_emplace(file);
        if (fresh) slot->second = decode(bytes(file));
        return slot->second;
    }

    /// All tiles as one picture, which is known by a name of its own.
    std::string atlas(const usd::UdimTexture& texture)
    {
        if (texture.tiles.empty()) return {};
        const std::string name = "atlas:" + texture.pattern;
        if (m_.pixels_.contains(name)) return name;
        // The atlas has a cell for each tile of the grid that all tiles of the material need, all of the size of the
        // largest tile. Tile 1001 + u + 10 v lies at column u and, since v grows upwards, row v from below.
        const auto [columns, rows] = m_.grid(material_);
        int width = 1, height = 1;
        for (const auto& tile : texture.tiles)
            if (const auto& p = pixels(tile.file))
                width = std::max(width, p->width), height = std::max(height, p->height);
        if (std::int64_t{width} * columns * height * rows > (std::int64_t{64} << 20)) {
            tell("udim", Severity::error, sf::LossAction::dropped, texture.pattern, "a constant",
                 "one picture of all tiles would have more than 64 million pixels");
            return {};
        }
        Pixels out;
        out.width = width * columns, out.height = height * rows;
        out.rgba.assign(4 * gltf::at(out.width) * gltf::at(out.height), 255);
        for (const auto& tile : texture.tiles) {
            const auto& p = pixels(tile.file);
            const int   u = (tile.number - 1001) % 10, v = (tile.number - 1001) / 10;
            if (!p || u >= columns || v >= rows) continue;
            out.alpha = out.alpha || p->alpha, out.wide = out.wide || p->wide;
            for (int y = 0; y < height; ++y)
                for (int x = 0; x < width; ++x)
                    for (std::size_t c = 0; c < 4; ++c)
                        // Tiles count upwards from below, rows of a picture downwards.
                        out.rgba[4 * (gltf::at((rows - 1 - v) * height + y) * gltf::at(out.width) +
                                      gltf::at(u * width + x)) +
                                 c] = p->at((x + 0.5) / width, (y + 0.5) / height, c);
        }
        m_.bytes_[name]  = encode_png(out, out.alpha);
        m_.pixels_[name] = std::move(out);
        return name;
    }

    /// A picture that can be decoded, or is at least one that glTF takes.
    bool usable(Source& s)
    {
        if (!s.textured) return false;
        const PictureKind kind = kind_of(bytes(s.file));
        if (kind != PictureKind::other && pixels(s.file)) return true;
        tell("texture-format", Severity::error, sf::LossAction::dropped, s.file, "its fallback",
             "it is not a readable PNG, JPEG, OpenEXR or TGA file");
        s.textured = false;
        return false;
    }

    /// The bytes of a file as glTF takes them: eight bits, PNG or JPEG.
    std::string fitting(const Source& s)
    {
        const std::string& own  = bytes(s.file);
        const PictureKind  kind = kind_of(own);
        if (kind == PictureKind::jpeg || (kind == PictureKind::png && png_bits(own) <= 8)) return own;
        const auto& p = pixels(s.file);
        tell("texture-depth", Severity::info, sf::LossAction::converted, fmt::format("{}, {} bits", s.file, p->bits),
             "PNG, 8 bits", "glTF takes PNG and JPEG");
        return encode_png(*p, p->alpha);
    }

    /// Writes a picture whose channels are computed.
    template <class Texel>
    std::string composed(const std::vector<const Source*>& from, bool alpha, const Texel& texel)
    {
        Pixels out;
        for (const Source* s : from)
            out.width  = std::max(out.width, pixels(s->file)->width),
            out.height = std::max(out.height, pixels(s->file)->height);
        out.rgba.resize(4 * gltf::at(out.width) * gltf::at(out.height));
        for (int y = 0; y < out.height; ++y)
            for (int x = 0; x < out.width; ++x) {
                // Sampled at the centre of each texel, so that sources of other sizes are resized by the same rule
                // (nearest).
                const Rgba v = texel((x + 0.5) / out.width, (y + 0.5) / out.height);
                for (std::size_t c = 0; c < 4; ++c)
                    out.rgba[4 * (gltf::at(y) * gltf::at(out.width) + gltf::at(x)) + c] =
                        static_cast<std::uint8_t>(std::lround(255 * in_unit(v[c])));
            }
        return encode_png(out, alpha);
    }

    /// A channel of a source where it is read: as the surface gets it.
    double texel(const Source& s, double u, double v, std::size_t channel, bool data)
    {
        double x = pixels(s.file)->at(u, v, channel) / 255.0;
        // Data of a file that is marked sRGB is linearised first; alpha is never encoded.
        if (channel < 3 && data && s.space == "sRGB") x = to_linear(x);
        return x * s.scale[channel] + s.bias[channel];
    }

    Json info(const Source& s, const std::string& picture, const std::string& name)
    {
        const int image = w_.out.picture(picture, name);
        // 9729 linear, 9987 linear with linear mipmaps.
        const int sampler = w_.out.add_once(
            "samplers",
            {{"magFilter", 9729}, {"minFilter", 9987}, {"wrapS", wrap_code(s.wrap_s)}, {"wrapT", wrap_code(s.wrap_t)}});
        Json       out{{"index", w_.out.add_once("textures", {{"sampler", sampler}, {"source", image}})}};
        const auto set = uv_sets_->find(s.primvar);
        if (set == uv_sets_->end())
            tell("uv", Severity::warning, sf::LossAction::approximated, "texture coordinates '" + s.primvar + "'",
                 "the first set", "the mesh has no primvar of that name");
        const int coordinate = set == uv_sets_->end() ? 0 : set->second;
        if (coordinate != 0) out["texCoord"] = coordinate;
        if (s.angle != 0 || !(s.stretch == Vec2d{1, 1}) || !(s.shift == Vec2d{0, 0})) {
            // USD turns (u, v) with v upwards. With U = u and V = 1 - v the map keeps its angle and scale, and the
            // extension's own matrix is [c su, s sv; -s su, c sv].
            const double c = std::cos(s.angle), d = std::sin(s.angle);
            Json         t;
            t["offset"] = rounded({s.shift.x - d * s.stretch.y, 1 - s.shift.y - c * s.stretch.y});
            if (s.angle != 0) t["rotation"] = s.angle;
            t["scale"] = rounded({s.stretch.x, s.stretch.y});
            extension(out, "KHR_texture_transform", std::move(t));
        }
        return out;
    }

    // -- inputs

    void specular(std::map<std::string, Source>& in, Json& out)
    {
        tell("specular", Severity::warning, sf::LossAction::approximated, "specular workflow",
             "KHR_materials_specular, metallic 0", "glTF has no reflectance at normal incidence of its own");
        const Source& s = in["specularColor"];
        Json          ext;
        // Reflectance at normal incidence of a dielectric of index 1.5 is 0.04; the factor is what is above it.
        if (!s.textured)
            ext["specularColorFactor"] = rounded(
                {std::max(s.value[0], 0.0) / 0.04, std::max(s.value[1], 0.0) / 0.04, std::max(s.value[2], 0.0) / 0.04});
        else
            tell("specular", Severity::warning, sf::LossAction::dropped, s.file, {},
                 "pictures of reflectance are not converted");
        extension(out, "KHR_materials_specular", ext.is_null() ? Json::object() : std::move(ext));
        in["metallic"] = {};
    }

    void base_color(std::map<std::string, Source>& in, Json& out, Json& pbr)
    {
        Source& color   = in["diffuseColor"];
        Source& opacity = in["opacity"];
        if (!in.contains("opacity") || (!opacity.textured && opacity.file.empty() && opacity.value == Rgba{0, 0, 0, 1}))
            opacity.value = {1, 0, 0, 0};
        const bool   seen = usable(color), thin = usable(opacity);
        const double threshold =
            in.contains("opacityThreshold") && !in["opacityThreshold"].textured ? in["opacityThreshold"].value[0] : 0;
        Rgba factor{in_unit(color.value[0]), in_unit(color.value[1]), in_unit(color.value[2]), 1};
        if (seen) factor = {1, 1, 1, 1};
        if (!thin) factor[3] = in_unit(opacity.value[0]);
        std::string   picture, name;
        const Source* mapped = seen ? &color : &opacity;
        if (seen) name = stem_of(color.file);
        // Scale without bias is the factor; what is left is written into the picture.
        // A picture can be taken as it is only if glTF reads the same from it: sRGB colours, no bias, a scale between
        // zero and one.
        bool bake = seen && (color.space == "raw" || color.space == "lin_rec709" || color.space == "lin_rec709_scene" ||
                             pixels(color.file)->wide || color.output != "rgb");
        if (seen) {
            for (std::size_t c = 0; c < 3; ++c)
                bake = bake || color.bias[c] != 0 || color.scale[c] < 0 || color.scale[c] > 1;
            if (!bake)
                for (std::size_t c = 0; c < 3; ++c) factor[c] = color.scale[c];
        }
        // Opacity in the alpha of the colour's own picture: it fits as it is.
        const bool same = seen && thin && opacity.file == color.file && opacity.along(color) && opacity.output == "a" &&
                          opacity.plain(3) && !bake;
        if (seen && thin && !opacity.along(color))
            tell("opacity-map", Severity::warning, sf::LossAction::approximated, opacity.file,
                 "the coordinates of the colour", "colour and opacity share one picture");
        if (seen && !thin && !bake) {
            picture = fitting(color);
        } else if (same) {
            picture = fitting(color);
        } else if (seen || thin) {
            std::vector<const Source*> from;
            if (seen) from.push_back(&color);
            if (thin) from.push_back(&opacity);
            const bool linear =
                seen && (color.space == "raw" || color.space.starts_with("lin_") || pixels(color.file)->wide);
            // The composed picture is known by its nodes, so that materials which share them share the picture.
            const auto   key  = fmt::format("color {} {} {} {}", seen ? color.texture.path().text() : "", color.output,
                                            thin ? opacity.texture.path().text() : "", opacity.output) +
                                fmt::format("{}", tile_);
            std::string& made = m_.made_[key];
            if (made.empty())
                made = composed(from, thin, [&](double u, double v) {
                    Rgba p{1, 1, 1, 1};
                    if (seen)
                        for (std::size_t c = 0; c < 3; ++c) {
                            const std::size_t k = color.output == "rgb" ? c : color.channel();
                            double            x = pixels(color.file)->at(u, v, k) / 255.0;
                            if (!bake) {
                                p[c] = x;
                                continue;
                            }
                            // Scale and bias act on linear values; the picture of base colour is stored along the sRGB
                            // curve.
                            p[c] = to_curve(in_unit((linear ? x : to_linear(x)) * color.scale[k] + color.bias[k]));
                        }
                    if (thin) p[3] = texel(opacity, u, v, opacity.channel(), true);
                    return p;
                });
            picture = made;
            name    = (seen ? stem_of(color.file) : stem_of(opacity.file)) + (thin ? "_opacity" : "_color");
            if (bake)
                tell("texture-values", Severity::info, sf::LossAction::converted, color.file, "PNG, 8 bits",
                     "scale, bias or colour space are written into the picture");
            if (!seen)
                for (std::size_t c = 0; c < 3; ++c) factor[c] = in_unit(color.value[c]);
        }
        if (factor != Rgba{1, 1, 1, 1}) pbr["baseColorFactor"] = rounded({factor[0], factor[1], factor[2], factor[3]});
        if (!picture.empty()) pbr["baseColorTexture"] = info(*mapped, picture, name);
        if (threshold > 0) {
            // opacityThreshold cuts out; without it opacity blends.
            out["alphaMode"]   = "MASK";
            out["alphaCutoff"] = threshold;
        } else if (thin || factor[3] < 1) {
            out["alphaMode"] = "BLEND";
        }
    }

    void metal_rough(std::map<std::string, Source>& in, Json& out, Json& pbr)
    {
        Source&    metal = in["metallic"];
        Source&    rough = in["roughness"];
        Source&    dark  = in["occlusion"];
        const bool has_m = usable(metal), has_r = usable(rough), has_o = usable(dark);
        if (!in.contains("metallic")) metal.value[0] = 0;
        double m = in_unit(metal.value[0]), r = in_unit(rough.value[0]);
        // glTF reads roughness from green and metalness from blue; a channel elsewhere, scaled or in sRGB is written
        // anew.
        const auto as_is = [](const Source& s, std::size_t c) {
            return s.channel() == c && s.output != "rgb" && s.bias[c] == 0 && s.scale[c] >= 0 && s.scale[c] <= 1 &&
                   s.space != "sRGB";
        };
        std::string   orm;
        const Source* mapped = has_r ? &rough : &metal;
        bool          packed = false;
        if (has_m || has_r) {
            const bool both = has_m && has_r;
            // The file can be passed on as it stands when its G and B are roughness and metalness; the other channel
            // must not matter (factor 0).
            bool own = true;
            if (both)
                own = metal.file == rough.file && metal.along(rough) && as_is(metal, 2) && as_is(rough, 1);
            else if (has_r)
                own = as_is(rough, 1) && m == 0;
            else
                own = as_is(metal, 2) && r == 0;
            own = own && !pixels(mapped->file)->wide;
            if (both && !metal.along(rough))
                tell("metallic-map", Severity::warning, sf::LossAction::approximated, metal.file,
                     "the coordinates of the roughness", "metalness and roughness share one picture");
            if (own) {
                orm = fitting(*mapped);
                if (has_m) m = metal.scale[2];
                if (has_r) r = rough.scale[1];
            } else {
                std::vector<const Source*> from;
                if (has_m) from.push_back(&metal);
                if (has_r) from.push_back(&rough);
                // Occlusion is in R of the same picture, if it is read at the same coordinates.
                packed = has_o && dark.along(*mapped);
                if (packed) from.push_back(&dark);
                const auto   key  = fmt::format("orm {}.{} {}.{} {}.{} {}", has_m ? metal.texture.path().text() : "",
                                                metal.output, has_r ? rough.texture.path().text() : "", rough.output,
                                                packed ? dark.texture.path().text() : "", dark.output, tile_);
                std::string& made = m_.made_[key];
                if (made.empty())
                    made = composed(from, false, [&](double u, double v) {
                        Rgba p{1, 1, 1, 1};
                        if (packed) p[0] = texel(dark, u, v, dark.channel(), true);
                        if (has_r) p[1] = texel(rough, u, v, rough.channel(), true);
                        if (has_m) p[2] = texel(metal, u, v, metal.channel(), true);
                        return p;
                    });
                orm = made;
                if (has_m) m = 1;
                if (has_r) r = 1;
                tell("texture-packed", Severity::info, sf::LossAction::converted,
                     fmt::format("{} {}", has_m ? metal.file : "", has_r ? rough.file : ""), "one PNG, 8 bits",
                     "glTF reads roughness of G and metalness of B of one picture");
            }
        }
        pbr["metallicFactor"]  = m;
        pbr["roughnessFactor"] = r;
        const std::string name = has_m || has_r
                                     ? stem_of(mapped->file) + (packed || orm != bytes(mapped->file) ? "_orm" : "")
                                     : std::string();
        if (!orm.empty()) pbr["metallicRoughnessTexture"] = info(*mapped, orm, name);
        if (!has_o) return;
        if (packed) {
            out["occlusionTexture"] = info(dark, orm, name);
        } else if (dark.channel() == 0 && dark.plain(0) && dark.space != "sRGB" && !pixels(dark.file)->wide) {
            out["occlusionTexture"] = info(dark, fitting(dark), stem_of(dark.file));
        } else {
            std::string& made =
                m_.made_[fmt::format("occlusion {}.{} {}", dark.texture.path().text(), dark.output, tile_)];
            if (made.empty())
                made = composed({&dark}, false, [&](double u, double v) {
                    const double x = texel(dark, u, v, dark.channel(), true);
                    return Rgba{x, x, x, 1};
                });
            out["occlusionTexture"] = info(dark, made, stem_of(dark.file) + "_occlusion");
        }
    }

    void normal(std::map<std::string, Source>& in, Json& out)
    {
        Source& n = in["normal"];
        if (!usable(n)) return;
        // UsdPreviewSurface maps a normal picture by scale 2 and bias -1; half of the scale is glTF's strength.
        double     strength = n.scale[0] / 2;
        const bool standard = n.scale[0] == 1 && n.bias[0] == 0, flip = !standard && n.scale[1] < 0;
        if (standard) {
            strength = 1;
            tell("normal-scale", Severity::info, sf::LossAction::converted, "scale 1, bias 0", "scale 2, bias -1",
                 "the picture is taken as one of 8 bits, whose normals lie between -1 and 1");
        } else if (std::abs(std::abs(n.scale[1]) - std::abs(n.scale[0])) > 1e-6) {
            tell("normal-scale", Severity::warning, sf::LossAction::approximated,
                 fmt::format("{} {}", n.scale[0], n.scale[1]), fmt::format("{}", strength), "glTF has one scale");
        }
        std::string picture, name = stem_of(n.file);
        if (flip || n.space == "sRGB") {
            std::string& made = m_.made_[fmt::format("normal {} {}", n.texture.path().text(), tile_)];
            if (made.empty())
                made = composed({&n}, false, [&](double u, double v) {
                    Rgba p{0, 0, 0, 1};
                    for (std::size_t c = 0; c < 3; ++c) {
                        p[c] = pixels(n.file)->at(u, v, c) / 255.0;
                        if (n.space == "sRGB") p[c] = to_linear(p[c]);
                    }
                    if (flip) p[1] = 1 - p[1];
                    return p;
                });
            picture = made;
            name += "_normal";
            tell("texture-values", Severity::info, sf::LossAction::converted, n.file, "PNG, 8 bits",
                 flip ? "green points downwards in the source" : "its colour space is written into the picture");
        } else {
            picture = fitting(n);
        }
        out["normalTexture"] = info(n, picture, name);
        if (std::abs(strength - 1) > 1e-9) out["normalTexture"]["scale"] = strength;
    }

    void emission(std::map<std::string, Source>& in, Json& out)
    {
        Source&    e    = in["emissiveColor"];
        const bool seen = usable(e);
        Rgba       f    = e.value;
        if (seen) f = e.scale;
        for (double& v : f) v = std::isfinite(v) ? std::max(v, 0.0) : 0;
        const double most = std::max({f[0], f[1], f[2]});
        if (!(most > 0)) return;
        if (most > 1) {
            for (std::size_t c = 0; c < 3; ++c) f[c] /= most;
            extension(out, "KHR_materials_emissive_strength", {{"emissiveStrength", most}});
        }
        out["emissiveFactor"] = rounded({f[0], f[1], f[2]});
        if (!seen) return;
        const bool linear = e.space == "raw" || e.space.starts_with("lin_") || pixels(e.file)->wide,
                   bake   = linear || e.output != "rgb" || e.bias[0] != 0 || e.bias[1] != 0 || e.bias[2] != 0;
        if (!bake) {
            out["emissiveTexture"] = info(e, fitting(e), stem_of(e.file));
            return;
        }
        std::string& made = m_.made_[fmt::format("emission {}.{} {}", e.texture.path().text(), e.output, tile_)];
        if (made.empty())
            made = composed({&e}, false, [&](double u, double v) {
                Rgba p{0, 0, 0, 1};
                for (std::size_t c = 0; c < 3; ++c) {
                    const std::size_t k = e.output == "rgb" ? c : e.channel();
                    const double      x = pixels(e.file)->at(u, v, k) / 255.0, s = e.scale[k] != 0 ? e.scale[k] : 1;
                    p[c] = to_curve(in_unit((linear ? x : to_linear(x)) + e.bias[k] / s));
                }
                return p;
            });
        out["emissiveTexture"] = info(e, made, stem_of(e.file) + "_emission");
    }

    void coat(std::map<std::string, Source>& in, Json& out)
    {
        Source&    c     = in["clearcoat"];
        Source&    r     = in["clearcoatRoughness"];
        const bool has_c = usable(c), has_r = usable(r);
        if (!has_c && !(c.value[0] > 0)) return;
        Json       ext{{"clearcoatFactor", has_c ? in_unit(c.scale[c.channel()]) : in_unit(c.value[0])},
                       {"clearcoatRoughnessFactor", has_r ? in_unit(r.scale[r.channel()]) : in_unit(r.value[0])}};
        const auto channel = [&](Source& s, std::size_t want, const char* name) {
            if (s.channel() == want && s.bias[want] == 0) return info(s, fitting(s), stem_of(s.file));
            std::string& made = m_.made_[fmt::format("{} {}.{} {}", name, s.texture.path().text(), s.output, tile_)];
            if (made.empty())
                made = composed({&s}, false, [&](double u, double v) {
                    const double x = pixels(s.file)->at(u, v, s.channel()) / 255.0;
                    return Rgba{x, x, x, 1};
                });
            return info(s, made, stem_of(s.file) + "_" + name);
        };
        if (has_c) ext["clearcoatTexture"] = channel(c, 0, "coat");
        if (has_r) ext["clearcoatRoughnessTexture"] = channel(r, 1, "coat_roughness");
        extension(out, "KHR_materials_clearcoat", std::move(ext));
    }
};

const Look& Materials::needs(const usd::Prim& material)
{
    const std::string key = fmt::format("{} {}", static_cast<const void*>(&material.stage()), material.path().text());
    const auto [slot, fresh] = looks_.try_emplace(key);
    if (!fresh) return slot->second;
    Look&                 out = slot->second;
    Surface               surface(w_, *this, material);
    std::set<std::string> names;
    const auto            kind = surface.find();
    if (kind == Surface::Kind::openpbr && !w_.options.openpbr) return out;
    for (const auto& [input, source] : surface.sources(kind, false)) {
        out.udim = out.udim || source.udim;
        if (!source.textured) continue;
        names.insert(source.primvar);
        if (input == "normal") out.normal_map = true, out.normal_uv = source.primvar;
    }
    out.uvs.assign(names.begin(), names.end());
    return out;
}

std::vector<int> Materials::tiles(const usd::Prim& material)
{
    std::set<int> out;
    for (const usd::Prim& shader : material.subtree()) {
        const usd::Attribute file = shader.attribute("inputs:file");
        if (file)
            for (const auto& tile : usd::find_udim_tiles(usd::shading_source(file).attribute).tiles)
                out.insert(tile.number);
    }
    return {out.begin(), out.end()};
}

std::pair<int, int> Materials::grid(const usd::Prim& material)
{
    int columns = 1, rows = 1;
    for (const int tile : tiles(material))
        columns = std::max(columns, (tile - 1001) % 10 + 1), rows = std::max(rows, (tile - 1001) / 10 + 1);
    return {columns, rows};
}

int Materials::write(const usd::Prim& material, bool double_sided, const std::map<std::string, int>& uv_sets,
                     int udim_tile)
{
    std::string key = fmt::format("{} {} {} {}", static_cast<const void*>(&material.stage()), material.path().text(),
                                  double_sided, udim_tile);
    std::map<std::string, int> used;
    for (const std::string& name : needs(material).uvs)
        if (const auto set = uv_sets.find(name); set != uv_sets.end())
            used.insert(*set), key += fmt::format(" {}={}", name, set->second);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const int made = Surface(w_, *this, material).write(double_sided, used, udim_tile);
    // The same look under another path, as copies of a file bring it, is one material.
    const Json content = w_.out.at("materials", made);
    for (int i = 0; i < made; ++i)
        if (w_.out.at("materials", i) == content) {
            w_.out.drop_last("materials");
            return known_[key] = i;
        }
    return known_[key] = made;
}

int Materials::plain(const std::array<double, 4>& color, bool double_sided, const std::string& name)
{
    Json out{
        {"name", name},
        {"pbrMetallicRoughness",
         {{"baseColorFactor", rounded({in_unit(color[0]), in_unit(color[1]), in_unit(color[2]), in_unit(color[3])})},
          {"metallicFactor", 0.0},
          {"roughnessFactor", 0.9}}}};
    if (color[3] < 1) out["alphaMode"] = "BLEND";
    if (double_sided) out["doubleSided"] = true;
    return w_.out.add_once("materials", out);
}

}  // namespace mechane::exporter::gltf
