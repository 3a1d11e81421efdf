// Colour and opacity of what is drawn: UsdPreviewSurface and MDL inputs, connections, display primvars; sRGB out. A
// texture is noted with the shader that names it; pixels are read by paint.
// Order: material of the prim, material of a subset, primvars. Nothing here changes the simulation.

#include "color.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <span>

#include "mechane/core/letters.h"
#include "mechane/importer/codes.h"
#include "mechane/usd/primvar.h"
#include "mechane/usd/shading.h"
#include "mechane/usd/start_value.h"

namespace mechane::importer {
namespace {

/// The value of the first of these inputs that has one, with the attribute it comes from.
struct InputValue {
    usd::Value     value;
    usd::Attribute attribute;
};
InputValue first_input(const usd::Prim& node, std::initializer_list<const char*> names, Diagnostics& found)
{
    for (const char* name : names) {
        const usd::Attribute input = node.attribute(std::string("inputs:") + name);
        if (!input) continue;
        const usd::Attribute producer = usd::shading_source(input, &found).attribute;
        // Through connections to the value that is shown; an unconnected value beside it is the fallback.
        if (usd::Value value = producer.value(usd::start_of(producer)); !value.empty())
            return {std::move(value), producer};
        if (usd::Value value = input.value(usd::start_of(input)); !value.empty()) return {std::move(value), input};
    }
    return {};
}

std::optional<Vec3d> as_color(const usd::Value& value)
{
    if (const auto v = value.get<Vec3d>()) return v;
    if (const auto v = value.get<std::array<double, 4>>()) return Vec3d{(*v)[0], (*v)[1], (*v)[2]};
    if (const auto v = value.get<std::vector<Vec3d>>(); v && !v->empty()) return v->front();
    return std::nullopt;
}

/// One opacity in [0, 1]. An array says one for each face or point, of which a shape shows the first.
std::optional<double> as_opacity(const InputValue& authored, Diagnostics& found)
{
    std::optional<double> opacity = authored.value.get<double>();
    if (!opacity) {
        const auto list = authored.value.get<std::vector<double>>();
        if (!list || list->empty()) return std::nullopt;
        opacity = list->front();
        if (list->size() > 1)
            found.add(codes::kOpacityMulti, authored.attribute.site(),
                      fmt::format("{} opacities for one shape, {} is used", list->size(), *opacity));
    }
    if (!std::isfinite(*opacity)) {
        found.add(codes::kOpacityClamp, authored.attribute.site(), "the opacity is not finite; it is ignored");
        return std::nullopt;
    }
    const double clamped = std::clamp(*opacity, 0.0, 1.0);
    if (clamped != *opacity)
        found.add(codes::kOpacityClamp, authored.attribute.site(),
                  fmt::format("the opacity is {}, {} is used", *opacity, clamped));
    return clamped;
}

Vec3d display_color(const Vec3d& color, const usd::Attribute& attribute, Diagnostics& found)
{
    constexpr std::array kDisplay{"srgb", "srgb_texture", "srgb_rec709_scene", "srgb_rec709_display"};
    const std::string    space = lower_case(usd::color_space(attribute));
    // UsdPreviewSurface colours are linear.
    if (space.empty() || space == "auto" || is_linear_space(space)) return to_display(color);
    if (std::find(kDisplay.begin(), kDisplay.end(), space) != kDisplay.end()) return color;
    const bool linear = space.starts_with("lin_") || space == "acescg";
    found.add(codes::kColorSpace, attribute.site(),
              fmt::format("colour space '{}' is taken as {}; its primaries are not converted", space,
                          linear ? "linear" : "sRGB"));
    return linear ? to_display(color) : color;
}

bool is_texture(const usd::Prim& node, Diagnostics& found)
{
    if (!node.is_a("Shader")) return false;
    if (node.attribute("info:id").get_or<std::string>({}) != "UsdUVTexture") return false;
    const auto file = first_input(node, {"file"}, found).value.get<usd::AssetPath>();
    return file && !file->authored.empty();
}

/// True for an input that carries base colour by its name, as against normal or roughness maps.
bool names_color(const std::string& input)
{
    const std::string name = lower_case(input);
    for (const char* part : {"diffuse", "albedo", "basecolor", "base_color", "displaycolor"})
        if (name.find(part) != std::string::npos) return true;
    return false;
}

/// Takes the texture of a node's base colour into a look: the UsdUVTexture that is connected, or an input that names a
/// file itself, as those of MDL materials do.
bool has_color_texture(const usd::Prim& node, Appearance& look, Diagnostics& found)
{
    for (const usd::Token& name : node.authored_property_names()) {
        if (!name.text().starts_with("inputs:") || !names_color(name.text())) continue;
        const usd::Attribute input = node.attribute(name);
        if (const auto asset = usd::start_as<usd::AssetPath>(input); asset && !asset->authored.empty()) {
            look.texture_input = input;
            return true;
        }
        const usd::Attribute producer = usd::shading_source(input, &found).attribute;
        if (producer && producer.prim() != node && is_texture(producer.prim(), found)) {
            look.texture = producer.prim();
            return true;
        }
    }
    return false;
}

void add_from_display_primvars(const physics::PhysicsModel& physics, const usd::Prim& prim, Appearance& look,
                               Diagnostics& found)
{
    if (!physics.may_inherit(prim, physics::Inherited::display_primvars)) return;
    if (!look.color && !look.textured)
        if (const usd::Attribute a = usd::find_primvar(prim, "displayColor"))
            if (const auto color = as_color(a.value(usd::start_of(a)))) look.color = display_color(*color, a, found);
    if (!look.opacity)
        if (const usd::Attribute a = usd::find_primvar(prim, "displayOpacity"))
            look.opacity = as_opacity({a.value(usd::start_of(a)), a}, found);
}

/// The shader that makes a material's surface, or else the first shader below it.
usd::Prim shader_of(const usd::Prim& material, Diagnostics& found)
{
    if (const usd::Prim shader = usd::surface_shader(material, &found)) return shader;
    // Materials of other renderers have shaders without a terminal.
    for (const usd::Prim& child : material.children())
        if (child.is_a("Shader")) return child;
    return {};
}

void add_from_preview_surface(const usd::Prim& shader, Appearance& look, Diagnostics& found)
{
    usd::Attribute input = shader.attribute("inputs:baseColor");
    if (!input || !input.authored()) input = shader.attribute("inputs:diffuseColor");
    if (!input) return;
    const usd::Attribute producer = usd::shading_source(input, &found).attribute;
    if (producer && producer.prim() != shader && producer.prim().is_a("Shader")) {
        look.textured = is_texture(producer.prim(), found);
        if (look.textured) look.texture = producer.prim();
        if (look.textured) return;
        const InputValue value = first_input(
            producer.prim(),
            {"diffuseColor", "baseColor", "diffuse_color", "base_color", "diffuse_color_constant", "displayColor"},
            found);
        if (const auto color = as_color(value.value)) look.color = display_color(*color, value.attribute, found);
        return;
    }
    const InputValue value =
        first_input(shader, {input.name().text() == "inputs:baseColor" ? "baseColor" : "diffuseColor"}, found);
    if (const auto color = as_color(value.value)) look.color = display_color(*color, value.attribute, found);
}

/// Opacity of a shader or material. A connection beats the constant beside it, as UsdPreviewSurface has it: what a
/// texture's alpha gives is no single number.
std::optional<double> opacity_of(const usd::Prim& node, Diagnostics& found)
{
    for (const char* name : {"inputs:opacity", "inputs:alpha"}) {
        const usd::Attribute input = node.attribute(name);
        if (!input) continue;
        const usd::Attribute producer = usd::shading_source(input, &found).attribute;
        if (!producer || producer.prim() == node || !producer.prim().is_a("Shader")) continue;
        return as_opacity(
            first_input(producer.prim(), {"opacity", "alpha", "opacity_constant", "alpha_constant"}, found), found);
    }
    return as_opacity(
        first_input(node, {"opacity", "alpha", "displayOpacity", "opacity_constant", "alpha_constant"}, found), found);
}

std::optional<Appearance> from_material(const usd::Stage& stage, const physics::PhysicsModel& physics,
                                        const usd::Prim& prim, Diagnostics& found)
{
    const usd::Prim material = stage.bound_material(prim, {});
    if (!material) return std::nullopt;
    Appearance look;
    look.material          = material;
    const usd::Prim shader = shader_of(material, found);
    for (const usd::Prim& node : {shader, material}) {
        if (!node) continue;
        if (node == shader && node.attribute("info:id").get_or<std::string>({}) == "UsdPreviewSurface")
            add_from_preview_surface(node, look, found);
        // A colour on the material itself tints what its shader's texture shows.
        if (!look.color && (!look.textured || node == material)) {
            const InputValue value = first_input(
                node,
                // Names of MDL and other surface shaders.
                {"diffuse_color_constant", "diffuse_color", "diffuseColor", "base_color", "baseColor", "displayColor"},
                found);
            if (const auto color = as_color(value.value)) look.color = display_color(*color, value.attribute, found);
        }
        if (!look.opacity) look.opacity = opacity_of(node, found);
        if (!look.textured && has_color_texture(node, look, found)) look.textured = true;
    }
    if (!shader && !look.color && !look.opacity && !look.textured) return std::nullopt;
    add_from_display_primvars(physics, prim, look, found);
    return look;
}

}  // namespace

Appearance appearance_of(const usd::Stage& stage, const physics::PhysicsModel& physics, const usd::Prim& prim,
                         Diagnostics& found)
{
    if (auto look = from_material(stage, physics, prim, found)) return *look;
    if (prim.is_a("Mesh")) {
        for (const usd::Prim& child : prim.children())
            if (child.is_a("GeomSubset"))
                if (auto look = from_material(stage, physics, child, found)) return *look;
    }
    Appearance look;
    add_from_display_primvars(physics, prim, look, found);
    return look;
}

bool is_linear_space(std::string_view space)
{
    constexpr std::array<std::string_view, 7> kLinear{"lin_rec709_scene", "lin_rec709", "lin_srgb", "raw", "data",
                                                      "identity",         "linear"};
    return std::find(kLinear.begin(), kLinear.end(), lower_case(space)) != kLinear.end();
}

Vec3d to_display(const Vec3d& linear)
{
    // The transfer function of sRGB (IEC 61966-2-1).
    const auto encode = [](double c) {
        c = std::max(c, 0.0);
        return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
    };
    return {encode(linear.x), encode(linear.y), encode(linear.z)};
}

Vec3d palette_color(std::size_t shape)
{
    constexpr std::array<Vec3d, 8> kPalette{{{68 / 255.0, 119 / 255.0, 170 / 255.0},
                                             {102 / 255.0, 204 / 255.0, 238 / 255.0},
                                             {34 / 255.0, 136 / 255.0, 51 / 255.0},
                                             {204 / 255.0, 187 / 255.0, 68 / 255.0},
                                             {238 / 255.0, 102 / 255.0, 119 / 255.0},
                                             {170 / 255.0, 51 / 255.0, 119 / 255.0},
                                             {238 / 255.0, 153 / 255.0, 51 / 255.0},
                                             {0, 153 / 255.0, 136 / 255.0}}};
    return kPalette[shape % kPalette.size()];
}

}  // namespace mechane::importer
