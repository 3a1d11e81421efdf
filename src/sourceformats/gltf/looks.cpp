// glTF's metallic-roughness model (specification 3.9) becomes UsdPreviewSurface, which has the same factors. Each
// texture is a UsdUVTexture with its factor as `scale` and `bias`; one reader of each set of coordinates is shared by
// a material. Of the extensions clearcoat, index of refraction, emissive strength, texture transform and variants are
// read; others are losses by name.
// Materials, their textures, and variants of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <tuple>
#include <utility>

#include "mechane/files/read.h"
#include "mechane/files/uri.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/gltf/scene.h"

namespace mechane::sourceformats {
namespace {

namespace fs = std::filesystem;

}  // namespace

// A picture lies in a view of the buffer, in the uri itself, or in a file. Formats that neither USD nor we decode end
// here.
std::string GltfScene::picture(int texture)
{
    const Json* t = d_.entry("textures", texture);
    const int   i = t != nullptr ? gltf_index(*t, "source") : -1;
    const Json* e = d_.entry("images", i);
    for (const auto& [extension, form, how] :
         {std::tuple{"KHR_texture_basisu", "KTX2 with Basis Universal", "gltf-transform ktxdecompress"},
          std::tuple{"EXT_texture_webp", "WebP", "gltf-transform png"}})
        if (e == nullptr && t != nullptr && gltf_child(gltf_child(*t, "extensions"), extension).is_object())
            return error(kTextureMissing,
                         fmt::format("{} is a picture as {} alone ({}), which nothing here can read; the material "
                                     "keeps its factors",
                                     called("textures", texture), form, extension),
                         fmt::format("Write its pictures as PNG or JPEG: {} in.glb out.glb", how)),
                   std::string();
    if (e == nullptr)
        return error(kTextureMissing, fmt::format("{} has no picture", called("textures", texture))), std::string();
    // Textures share pictures; each picture is written once.
    if (const auto known = images_.find(i); known != images_.end()) return known->second;
    std::string&      out = images_[i];
    const std::string uri = gltf_text(*e, "uri"), said = gltf_text(*e, "name");
    const auto        take = [&](std::string_view bytes, const std::string& wanted) {
        const char* suffix = bytes.starts_with("\x89PNG") ? ".png" : bytes.starts_with("\xff\xd8\xff") ? ".jpg" : "";
        if (*suffix == '\0') {
            error(kTextureMissing, fmt::format("{} is neither PNG nor JPEG", called("images", i)));
            return std::string();
        }
        const std::string name = "textures/" + picture_names_.take(wanted, "picture") + suffix;
        pictures_.emplace_back(name, std::string(bytes));
        return "./" + name;
    };
    if (uri.empty()) {
        const auto bytes = d_.view(gltf_number(*e, "bufferView", -1));
        if (!bytes) return error(kTextureMissing, fmt::format("{} lies in no buffer", called("images", i))), out;
        return out = take(*bytes, said);
    }
    if (uri.starts_with("data:"))
        return out = take(decoded_base64(std::string_view(uri).substr(std::min(uri.find(',') + 1, uri.size()))), said);
    const std::string address = files::path_of_uri(uri);
    const std::string file    = finder_.find(address, folder_);
    if (file.empty()) return error(kTextureMissing, finder_.why_not(address, folder_)), out;
    const auto head = files::read_head(file, 12);
    if (!head || !(head->starts_with("\x89PNG") || head->starts_with("\xff\xd8\xff")))
        return error(kTextureMissing, fmt::format("{} is neither PNG nor JPEG", address)), out;
    // One layer has no folder: it names the file where it is.
    if (sheet_.single()) {
        std::error_code failed;
        return out = fs::absolute(file, failed).lexically_normal().string();
    }
    const std::string name = "textures/" + picture_names_.take(fs::path(address).stem().string(), "picture") +
                             (head->starts_with("\x89PNG") ? ".png" : ".jpg");
    textures_.emplace_back(file, name);
    return out = "./" + name;
}

std::string GltfScene::coordinates(Look& look, const Json& info)
{
    // The transform may choose another set than the texture.
    int         set       = gltf_index(info, "texCoord");
    const Json& transform = gltf_child(gltf_child(info, "extensions"), "KHR_texture_transform");
    if (transform.is_object() && transform.contains("texCoord")) set = gltf_index(transform, "texCoord");
    if (set < 0) set = 0;
    const std::string key    = fmt::format("{}", set);
    std::string&      reader = look.readers[key];
    if (reader.empty()) {
        const std::string path = look.path + (set == 0 ? "/st" : fmt::format("/st{}", set));
        sheet_.define(Role::materials, path, "Shader", place_);
        sheet_.set(Role::materials, path, "info:id", "token", std::string("UsdPrimvarReader_float2"), place_, true);
        sheet_.set(Role::materials, path, "inputs:varname", "string",
                   set == 0 ? std::string("st") : fmt::format("st{}", set), place_);
        sheet_.attribute(Role::materials, path, "outputs:result", "float2", false);
        reader = path + ".outputs:result";
    }
    if (!transform.is_object()) return reader;
    const auto   offset = gltf_numbers(transform, "offset"), scale = gltf_numbers(transform, "scale");
    const double r = gltf_number(transform, "rotation", 0), su = scale.size() == 2 ? scale[0] : 1,
                 sv = scale.size() == 2 ? scale[1] : 1;
    const double ou = offset.size() == 2 ? offset[0] : 0, ov = offset.size() == 2 ? offset[1] : 0;
    std::string& out = look.readers[fmt::format("{} {} {} {} {} {}", set, r, su, sv, ou, ov)];
    if (!out.empty()) return out;
    // uv' = T R S uv in glTF, with v downwards. The translation below is what remains when both v are turned over.
    // With u = U and v = 1 - V the map keeps its angle and scale (see the writer).
    const double      c = std::cos(r), s = std::sin(r);
    const std::string path = look.path + fmt::format("/transform_{}", look.readers.size());
    sheet_.define(Role::materials, path, "Shader", place_);
    sheet_.set(Role::materials, path, "info:id", "token", std::string("UsdTransform2d"), place_, true);
    sheet_.connect(Role::materials, path, "inputs:in", "float2", reader);
    sheet_.set(Role::materials, path, "inputs:rotation", "float", r * kDegrees, place_);
    sheet_.set(Role::materials, path, "inputs:scale", "float2", Vec2d{su, sv}, place_);
    sheet_.set(Role::materials, path, "inputs:translation", "float2", Vec2d{ou + s * sv, 1 - ov - c * sv}, place_);
    sheet_.attribute(Role::materials, path, "outputs:result", "float2", false);
    return out = path + ".outputs:result";
}

std::string GltfScene::texture(Look& look, const char* name, const Json& info, bool color,
                               const std::array<double, 4>& scale, const std::array<double, 4>& bias)
{
    if (!info.is_object()) return {};
    const int         t    = gltf_index(info, "index");
    const std::string file = picture(t);
    if (file.empty()) return {};
    const std::string path = look.path + "/" + name;
    sheet_.define(Role::materials, path, "Shader", place_);
    sheet_.set(Role::materials, path, "info:id", "token", std::string("UsdUVTexture"), place_, true);
    sheet_.set(Role::materials, path, "inputs:file", "asset", usd::AssetPath{file, {}, {}}, place_);
    sheet_.set(Role::materials, path, "inputs:sourceColorSpace", "token", std::string(color ? "sRGB" : "raw"), place_);
    // Values of OpenGL: 10497 repeat, 33071 clamp to edge, 33648 mirrored repeat. Repeat is glTF's default.
    const Json* sampler = d_.entry(
        "samplers", d_.entry("textures", t) != nullptr ? gltf_number(*d_.entry("textures", t), "sampler", -1) : -1);
    for (const auto& [input, key] : {std::pair{"inputs:wrapS", "wrapS"}, std::pair{"inputs:wrapT", "wrapT"}}) {
        const double v = sampler != nullptr ? gltf_number(*sampler, key, 10497) : 10497;
        sheet_.set(Role::materials, path, input, "token",
                   std::string(v == 33071   ? "clamp"
                               : v == 33648 ? "mirror"
                                            : "repeat"),
                   place_);
    }
    if (scale != std::array<double, 4>{1, 1, 1, 1})
        sheet_.set(Role::materials, path, "inputs:scale", "float4", scale, place_);
    if (bias != std::array<double, 4>{}) sheet_.set(Role::materials, path, "inputs:bias", "float4", bias, place_);
    sheet_.connect(Role::materials, path, "inputs:st", "float2", coordinates(look, info));
    sheet_.attribute(Role::materials, path, "outputs:rgb", "float3", false);
    for (const char* output : {"outputs:r", "outputs:g", "outputs:b", "outputs:a"})
        sheet_.attribute(Role::materials, path, output, "float", false);
    return path;
}

void GltfScene::materials()
{
    const std::size_t n = d_.count("materials");
    if (n == 0) return;
    const std::string scope = "/" + name_ + "/Looks";
    sheet_.define(Role::base, scope, "Scope", place_);
    Siblings names;
    for (std::size_t i = 0; i < n; ++i) {
        const Json& m = *d_.entry("materials", static_cast<double>(i));
        looks_.push_back(scope + "/" + names.take(gltf_text(m, "name"), "material"));
        double_sided_.push_back(gltf_child(m, "doubleSided") == true);
        material(m, looks_.back());
    }
}

void GltfScene::material(const Json& m, const std::string& path)
{
    Look              look{path, {}};
    const std::string surface = path + "/surface";
    sheet_.define(Role::materials, path, "Material", place_);
    sheet_.connect(Role::materials, path, "outputs:surface", "token", surface + ".outputs:surface");
    sheet_.define(Role::materials, surface, "Shader", place_);
    sheet_.set(Role::materials, surface, "info:id", "token", std::string("UsdPreviewSurface"), place_, true);
    sheet_.attribute(Role::materials, surface, "outputs:surface", "token", false);
    const auto number = [&](const char* input, double v) {
        sheet_.set(Role::materials, surface, std::string("inputs:") + input, "float", v, place_);
    };
    const auto connect = [&](const char* input, const char* type, const std::string& to) {
        sheet_.connect(Role::materials, surface, std::string("inputs:") + input, type, to);
    };
    // A factor outside of 0 to 1 is not allowed by the specification; what is not finite becomes 0.
    const auto            in    = [](double v) { return std::isfinite(v) ? std::clamp(v, 0.0, 1.0) : 0.0; };
    const Json&           pbr   = gltf_child(m, "pbrMetallicRoughness");
    const auto            color = gltf_numbers(pbr, "baseColorFactor");
    std::array<double, 4> base{1, 1, 1, 1};
    for (std::size_t c = 0; c < 4 && c < color.size(); ++c) base[c] = in(color[c]);
    const std::string alpha = gltf_text(m, "alphaMode");
    // Colours are sRGB, data (normals, roughness, occlusion) raw.
    const std::string paint = texture(look, "base_color", gltf_child(pbr, "baseColorTexture"), true, base, {});
    if (paint.empty())
        sheet_.set(Role::materials, surface, "inputs:diffuseColor", "color3f", Vec3d{base[0], base[1], base[2]},
                   place_);
    else
        connect("diffuseColor", "color3f", paint + ".outputs:rgb");
    // OPAQUE ignores alpha, whatever the picture has. MASK cuts at a threshold, BLEND uses it as it is.
    if (alpha == "BLEND" || alpha == "MASK") {
        if (paint.empty())
            number("opacity", base[3]);
        else
            connect("opacity", "float", paint + ".outputs:a");
        if (alpha == "MASK") number("opacityThreshold", in(gltf_number(m, "alphaCutoff", 0.5)));
    }
    const double metal = in(gltf_number(pbr, "metallicFactor", 1)), rough = in(gltf_number(pbr, "roughnessFactor", 1));
    // One picture for both: green is roughness, blue metallic.
    const std::string orm = texture(look, "metallic_roughness", gltf_child(pbr, "metallicRoughnessTexture"), false,
                                    {1, rough, metal, 1}, {});
    if (orm.empty())
        number("metallic", metal), number("roughness", rough);
    else
        connect("metallic", "float", orm + ".outputs:b"), connect("roughness", "float", orm + ".outputs:g");
    const Json&  bumps    = gltf_child(m, "normalTexture");
    const double strength = gltf_number(bumps, "scale", 1);
    // A normal map's colours 0 to 1 mean directions -1 to 1: scale 2, bias -1. `strength` bends x and y only.
    if (const std::string t =
            texture(look, "normal", bumps, false, {2 * strength, 2 * strength, 2, 1}, {-strength, -strength, -1, 0});
        !t.empty())
        connect("normal", "normal3f", t + ".outputs:rgb");
    const Json& dark = gltf_child(m, "occlusionTexture");
    // occlusion = 1 + strength (picture - 1)
    const double depth = in(gltf_number(dark, "strength", 1));
    if (const std::string t = texture(look, "occlusion", dark, false, {depth, 1, 1, 1}, {1 - depth, 0, 0, 0});
        !t.empty())
        connect("occlusion", "float", t + ".outputs:r");
    const Json& extensions = gltf_child(m, "extensions");
    const auto  glow       = gltf_numbers(m, "emissiveFactor");
    // Emission above 1 needs the strength, since the factor ends at 1.
    const double power = gltf_number(gltf_child(extensions, "KHR_materials_emissive_strength"), "emissiveStrength", 1);
    std::array<double, 4> e{0, 0, 0, 1};
    for (std::size_t c = 0; c < 3 && c < glow.size(); ++c)
        e[c] = std::isfinite(glow[c] * power) ? std::max(glow[c] * power, 0.0) : 0;
    if (const std::string t = texture(look, "emissive", gltf_child(m, "emissiveTexture"), true, e, {}); !t.empty())
        connect("emissiveColor", "color3f", t + ".outputs:rgb");
    else if (e[0] + e[1] + e[2] > 0)
        sheet_.set(Role::materials, surface, "inputs:emissiveColor", "color3f", Vec3d{e[0], e[1], e[2]}, place_);
    if (!extensions.is_object()) return;
    for (const auto& [name, value] : extensions.items()) {
        if (name == "KHR_materials_clearcoat") {
            const double      factor = in(gltf_number(value, "clearcoatFactor", 0)),
                              coat   = in(gltf_number(value, "clearcoatRoughnessFactor", 0));
            const std::string a      = texture(look, "clearcoat", gltf_child(value, "clearcoatTexture"), false,
                                               {factor, 1, 1, 1}, {}),
                              b = texture(look, "clearcoat_roughness", gltf_child(value, "clearcoatRoughnessTexture"),
                                          false, {1, coat, 1, 1}, {});
            a.empty() ? number("clearcoat", factor) : connect("clearcoat", "float", a + ".outputs:r");
            b.empty() ? number("clearcoatRoughness", coat) : connect("clearcoatRoughness", "float", b + ".outputs:g");
        } else if (name == "KHR_materials_ior") {
            number("ior", std::max(gltf_number(value, "ior", 1.5), 1.0));
        } else if (name != "KHR_materials_emissive_strength") {
            lose("material-extension", Severity::warning, LossAction::dropped, "material", path, name, {},
                 "UsdPreviewSurface has no such word");
        }
    }
}

const nlohmann::json& GltfScene::variant_names() const
{ return gltf_child(gltf_child(gltf_child(d_.json(), "extensions"), "KHR_materials_variants"), "variants"); }

bool GltfScene::has_variants(const Json& primitive) const
{
    const Json& mappings =
        gltf_child(gltf_child(gltf_child(primitive, "extensions"), "KHR_materials_variants"), "mappings");
    // A mapping counts only where the file also lists the variants.
    return variant_names().is_array() && !variant_names().empty() && mappings.is_array() && !mappings.empty();
}

// One variant set on the root, "material", with the file's variants and the look without any. Bindings lie in the
// variants.
void GltfScene::variants()
{
    const Json& list = variant_names();
    if (!list.is_array() || list.empty() ||
        std::none_of(bound_.begin(), bound_.end(), [&](const Bound& b) { return has_variants(*b.primitive); }))
        return;
    const std::string        root = "/" + name_;
    Siblings                 names;
    std::vector<std::string> made;
    // 256: the number of variants times that of bindings is written.
    for (std::size_t v = 0; v < list.size() && v < 256; ++v)
        made.push_back(names.take(gltf_text(list[v], "name"), fmt::format("variant_{}", v)));
    made.push_back(names.take("default", "default"));
    for (std::size_t v = 0; v < made.size(); ++v) {
        sheet_.variant(Role::base, root, "material", made[v]);
        for (const Bound& b : bound_) {
            if (!has_variants(*b.primitive)) continue;
            int look = gltf_index(*b.primitive, "material");
            // The last mapping that names the variant counts.
            for (const Json& mapping :
                 gltf_child(gltf_child(gltf_child(*b.primitive, "extensions"), "KHR_materials_variants"), "mappings")) {
                const Json& which = gltf_child(mapping, "variants");
                const int   m     = gltf_index(mapping, "material");
                if (m >= 0 && at(m) < looks_.size() && std::any_of(which.begin(), which.end(), [&](const Json& x) {
                        return x.is_number() && x.get<double>() == static_cast<double>(v);
                    }))
                    look = m;
            }
            if (look >= 0 && at(look) < looks_.size())
                sheet_.target(Role::base,
                              fmt::format("{}{{material={}}}{}", root, made[v], b.prim.substr(root.size() + 1)),
                              "material:binding", {looks_[at(look)]}, {});
        }
    }
    sheet_.select_variant(Role::base, root, "material", made.back());
    lose("variants", Severity::info, LossAction::converted, "material", "KHR_materials_variants",
         fmt::format("{}", list.size()), "variant set 'material'",
         "the look without a variant is the variant 'default'");
}

}  // namespace mechane::sourceformats
