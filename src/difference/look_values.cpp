// Materials as lists of values, so that two of them can be compared whatever their networks are called.
// A network is walked from the outputs of its material: an input is a value, a picture, or what another shader puts
// out, whose inputs follow under the name of the first ("diffuseColor.file"). What nobody authors has the value that
// UsdPreviewSurface and its nodes give it, so that authoring a fallback changes nothing.
// Names of prims, of primvars and of files mean nothing here; pictures are compared by their bytes.
// Called by compare_looks.

#include "difference/look_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "difference/values.h"
#include "mechane/core/sha256.h"
#include "mechane/usd/asset_bytes.h"
#include "mechane/usd/key_times.h"
#include "mechane/usd/primvar.h"
#include "mechane/usd/shading.h"
#include "mechane/usd/start_value.h"
#include "mechane/usd/udim.h"

namespace mechane::difference {
namespace {

constexpr std::string_view kInputs = "inputs:", kPreview = "UsdPreviewSurface", kTexture = "UsdUVTexture";
constexpr std::size_t      kDeepest = 32;  ///< shaders in a row

LookValue numbers_of(std::vector<double> numbers) { return {std::move(numbers), {}, {}, {}}; }
LookValue text_value(std::string text) { return {{}, std::move(text), {}, {}}; }

/// Of the nodes of the specification of UsdPreviewSurface 2.6; linear grey of 0.18 is where all colours start.
const std::map<std::string, std::map<std::string, LookValue>>& fallbacks()
{
    static const std::map<std::string, std::map<std::string, LookValue>> all{
        {"UsdPreviewSurface",
         {{"diffuseColor", numbers_of({0.18, 0.18, 0.18})},
          {"emissiveColor", numbers_of({0, 0, 0})},
          {"useSpecularWorkflow", numbers_of({0})},
          {"specularColor", numbers_of({0, 0, 0})},
          {"metallic", numbers_of({0})},
          {"roughness", numbers_of({0.5})},
          {"clearcoat", numbers_of({0})},
          {"clearcoatRoughness", numbers_of({0.01})},
          {"opacity", numbers_of({1})},
          {"opacityMode", text_value("transparent")},
          {"opacityThreshold", numbers_of({0})},
          {"ior", numbers_of({1.5})},
          {"normal", numbers_of({0, 0, 1})},
          {"displacement", numbers_of({0})},
          {"occlusion", numbers_of({1})}}},
        {"UsdUVTexture",
         {{"wrapS", text_value("useMetadata")},
          {"wrapT", text_value("useMetadata")},
          {"fallback", numbers_of({0, 0, 0, 1})},
          {"scale", numbers_of({1, 1, 1, 1})},
          {"bias", numbers_of({0, 0, 0, 0})}}},
        {"UsdTransform2d",
         {{"rotation", numbers_of({0})}, {"scale", numbers_of({1, 1})}, {"translation", numbers_of({0, 0})}}}};
    return all;
}

/// The numbers of a value of any type that has some.
std::vector<double> numbers_in(const usd::Value& value)
{
    if (const auto x = value.get<double>()) return {*x};
    if (const auto x = value.get<bool>()) return {*x ? 1.0 : 0.0};
    if (const auto v = value.get<Vec2d>()) return {v->x, v->y};
    if (const auto v = value.get<Vec3d>()) return {v->x, v->y, v->z};
    if (const auto v = value.get<std::array<double, 4>>()) return {v->begin(), v->end()};
    if (const auto q = value.get<Quatd>()) return {q->x, q->y, q->z, q->w};
    if (const auto m = value.get<usd::Matrix4d>()) return {m->m.begin(), m->m.end()};
    std::vector<double> out;
    if (const auto list = value.get<std::vector<double>>()) return *list;
    if (const auto list = value.get<std::vector<Vec2d>>())
        for (const Vec2d& v : *list) out.insert(out.end(), {v.x, v.y});
    if (const auto list = value.get<std::vector<Vec3d>>())
        for (const Vec3d& v : *list) out.insert(out.end(), {v.x, v.y, v.z});
    return out;
}

std::string id_of(const usd::Prim& shader)
{
    for (const char* name : {"info:id", "info:mdl:sourceAsset:subIdentifier", "info:glslfx:sourceAsset:subIdentifier"})
        if (const auto id = shader.attribute(name).get<std::string>(); id && !id->empty()) return *id;
    return "";
}

std::string short_digest(const std::string& digest) { return digest.substr(0, 8); }

}  // namespace

const LookValue* shader_fallback(const std::string& shader, const std::string& input)
{
    const auto known = fallbacks().find(shader);
    if (known == fallbacks().end()) return nullptr;
    const auto value = known->second.find(input);
    return value != known->second.end() ? &value->second : nullptr;
}

std::string text_of(const LookValue& value)
{
    const std::vector<double>& n = value.numbers;
    if (n.empty()) return !value.shown.empty() ? value.shown : value.text;
    if (n.size() == 1) return text(n[0], "");
    if (n.size() > 4)
        return fmt::format("{} numbers, {:.6g} to {:.6g}", n.size(), *std::min_element(n.begin(), n.end()),
                           *std::max_element(n.begin(), n.end()));
    return fmt::format("({:.6g})", fmt::join(n, ", "));
}

const Look& LookReader::of(const usd::Prim& prim)
{
    const usd::Prim bound = stage_.bound_material(prim, "full");
    if (!bound) {
        Look              own = display(prim);
        const std::string key = " " + (own.site.property.empty() ? "" : own.site.prim + own.site.property) +
                                text_of(own.values["diffuseColor"]) + text_of(own.values["opacity"]);
        return looks_.try_emplace(key, std::move(own)).first->second;
    }
    const std::string key = bound.path().text();
    if (const auto known = looks_.find(key); known != looks_.end()) return known->second;
    return looks_.emplace(key, material(bound)).first->second;
}

Look LookReader::material(const usd::Prim& prim)
{
    Look out;
    out.name = prim.name().text();
    out.site = prim.site();
    std::vector<std::string> above;
    for (const usd::Token& name : prim.authored_property_names()) {
        if (!name.text().starts_with("outputs:")) continue;
        const usd::ShadingSource source = usd::shading_source(prim.attribute(name));
        if (!source.computed) continue;
        // The surface is what all speak of; the others (displacement, the surface of a renderer) carry their names.
        const std::string output = name.text().substr(8);
        node(out, source.attribute.prim(), output == "surface" ? "" : output + ".", above);
    }
    if (out.values.empty()) out.values["shader"] = text_value("none");
    return out;
}

void LookReader::node(Look& look, const usd::Prim& shader, const std::string& prefix, std::vector<std::string>& above)
{
    const std::string path = shader.path().text();
    if (above.size() >= kDeepest || std::find(above.begin(), above.end(), path) != above.end()) return;
    above.push_back(path);
    const std::string id   = id_of(shader);
    LookValue&        kind = look.values[prefix + "shader"];
    kind.text              = id.empty() ? "of no name" : id;
    kind.site              = shader.site();
    if (id.starts_with("UsdPrimvarReader")) {
        // Which primvar it is means nothing, what it holds is compared with the surface.
        const auto name = usd::shading_source(shader.attribute("inputs:varname")).attribute;
        if (const auto text = usd::start_as<std::string>(name)) look.primvars.insert(*text);
    } else {
        std::set<std::string> names;
        for (const usd::Token& name : shader.authored_property_names())
            if (name.text().starts_with(kInputs)) names.insert(name.text().substr(kInputs.size()));
        if (const auto known = fallbacks().find(id); known != fallbacks().end())
            for (const auto& [name, value] : known->second) names.insert(name);
        if (id == kTexture && !names.contains("st")) look.primvars.insert("st");
        for (const std::string& name : names)
            if (id != kTexture || name != "sourceColorSpace") input(look, shader, name, prefix, above);
        if (id == kTexture)
            look.values[prefix + "colour space"] = {{}, usd::texture_color_space(shader), {}, shader.site()};
        if (const usd::Attribute source = shader.attribute("info:mdl:sourceAsset"))
            if (const auto asset = usd::start_as<usd::AssetPath>(source))
                look.values[prefix + "source"] = file(source, *asset);
    }
    // One workflow does not read the colour of the other.
    if (id == kPreview) {
        const std::vector<double>& specular = look.values[prefix + "useSpecularWorkflow"].numbers;
        look.values.erase(prefix + (!specular.empty() && specular[0] != 0 ? "metallic" : "specularColor"));
    }
    above.pop_back();
}

void LookReader::input(Look& look, const usd::Prim& shader, const std::string& name, const std::string& prefix,
                       std::vector<std::string>& above)
{
    const usd::Attribute     own    = shader.attribute(std::string(kInputs) + name);
    const usd::ShadingSource source = own ? usd::shading_source(own) : usd::ShadingSource{};
    const std::string        key    = prefix + name;
    if (source.computed) {
        look.values[key] = {{}, "from " + source.attribute.name().text().substr(8), {}, own.site()};
        return node(look, source.attribute.prim(), key + ".", above);
    }
    LookValue out;
    for (const usd::Attribute& at : {source.attribute, own}) {
        if (!at) continue;
        out = value(at);
        if (out.numbers.empty() && out.text.empty()) continue;
        const std::string space = usd::color_space(at);
        if (!space.empty() && out.numbers.size() >= 3) look.values[key + " colour space"] = {{}, space, {}, at.site()};
        break;
    }
    if (out.numbers.empty() && out.text.empty()) {
        const LookValue* known = shader_fallback(id_of(shader), name);
        if (known == nullptr) return;
        out      = *known;
        out.site = shader.site();
    }
    look.values[key] = std::move(out);
}

LookValue LookReader::value(const usd::Attribute& attribute, double scale)
{
    LookValue out;
    if (!attribute) return out;
    out.site         = attribute.site();
    const auto start = attribute.value(usd::start_of(attribute));
    if (const auto asset = start.get<usd::AssetPath>()) return file(attribute, *asset);
    if (attribute.varying()) {
        const usd::StageMetadata& meta = stage_.metadata();
        for (const double t : usd::key_times(attribute)) {
            const usd::Value at = attribute.value(t);
            out.numbers.push_back((t - meta.start_time_code) / meta.time_codes_per_second);
            const std::vector<double> n = numbers_in(at);
            for (const double x : n) out.numbers.push_back(scale * x);
            if (n.empty()) out.text += fmt::format("{:.6g}: {} ", out.numbers.back(), at.to_text());
        }
        if (!out.text.empty()) out.numbers.clear();
        return out;
    }
    for (const double x : numbers_in(start)) out.numbers.push_back(scale * x);
    if (out.numbers.empty() && !start.empty()) {
        const auto word = start.get<std::string>();
        out.text        = word ? *word : start.to_text();
    }
    return out;
}

LookValue LookReader::file(const usd::Attribute& attribute, const usd::AssetPath& path)
{
    LookValue out;
    out.site = attribute.site();
    if (path.authored.empty()) return out;
    const std::string& name = path.authored;
    if (!path.resolved.empty()) {
        out.text = digest(path.resolved);
    } else {
        for (const auto& tile : usd::find_udim_tiles(attribute, usd::start_of(attribute)).tiles)
            out.text += fmt::format("{} {} ", tile.number, digest(tile.file));
    }
    const std::string leaf = name.substr(name.find_last_of("/\\[") + 1);
    out.shown = out.text.empty()
                    ? fmt::format("{} (not found)", name)
                    : fmt::format("{} (sha256 {})", leaf.substr(0, leaf.find(']')), short_digest(out.text));
    if (out.text.empty()) out.text = "missing " + name;
    return out;
}

std::string LookReader::digest(const std::string& file)
{
    const auto [slot, fresh] = digests_.try_emplace(file);
    if (fresh) {
        const std::string bytes = usd::first_bytes(file, std::numeric_limits<std::size_t>::max());
        slot->second            = sha256_hex(std::as_bytes(std::span(bytes)));
    }
    return slot->second;
}

Look LookReader::display(const usd::Prim& prim)
{
    Look out;
    out.site             = prim.site();
    out.values           = fallbacks().at(std::string(kPreview));
    out.values["shader"] = text_value(std::string(kPreview));
    out.values.erase("specularColor");
    for (const auto& [primvar, name] :
         {std::pair{"displayColor", "diffuseColor"}, std::pair{"displayOpacity", "opacity"}}) {
        const usd::Attribute attribute = usd::find_primvar(prim, primvar);
        if (!attribute) continue;
        LookValue read = value(attribute);
        if (read.numbers.empty()) continue;
        // One colour for all faces or points is one colour.
        const std::size_t width = primvar == std::string("displayColor") ? 3 : 1;
        bool              same  = !attribute.varying() && read.numbers.size() % width == 0;
        for (std::size_t i = width; same && i < read.numbers.size(); ++i)
            same = read.numbers[i] == read.numbers[i % width];
        if (same) read.numbers.resize(width);
        if (!same) out.site.property = attribute.name().text();
        out.values[name] = std::move(read);
    }
    return out;
}

}  // namespace mechane::difference
