// Textures of shaders: file, colour space, scale and bias, wrapping, transform of coordinates. UsdUVTexture and inputs
// of MDL; for display only.

#include "mechane/importer/texture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "color.h"
#include "mechane/importer/codes.h"
#include "mechane/importer/picture.h"
#include "mechane/usd/shading.h"
#include "mechane/usd/start_value.h"
#include "texture_look.h"

namespace mechane::importer {
namespace {

double to_linear(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }

/// Display values after a scale and a bias of linear ones.
std::array<std::uint8_t, 256> adjusted(double scale, double bias)
{
    std::array<std::uint8_t, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        // Scale and bias act on linear values (UsdUVTexture).
        const double shown = std::clamp(to_linear(static_cast<double>(i) / 255) * scale + bias, 0.0, 1.0);
        table[i]           = static_cast<std::uint8_t>(std::lround(255 * to_display({shown, shown, shown}).x));
    }
    return table;
}

std::optional<model::Pixels> read_for_display(const std::string& file, bool linear, const std::array<double, 4>& scale,
                                              const std::array<double, 4>& bias)
{
    auto pixels = read_picture(file, linear);
    for (std::size_t channel = 0; pixels && channel < 3; ++channel) {
        if (scale[channel] == 1 && bias[channel] == 0) continue;
        const auto table = adjusted(scale[channel], bias[channel]);
        for (std::size_t i = channel; i < pixels->rgba.size(); i += 4) pixels->rgba[i] = table[pixels->rgba[i]];
    }
    return pixels;
}

/// Sets what hangs on the file: path, whether it is there, how it is read.
void take_file(const usd::Attribute& source, TextureLook& texture)
{
    const auto asset = usd::start_as<usd::AssetPath>(source);
    if (!asset) return;
    texture.site    = source.site();
    texture.tiles   = asset->authored.find("<UDIM>") != std::string::npos;
    texture.missing = asset->resolved.empty() && !texture.tiles;
    texture.file    = asset->resolved.empty() ? asset->authored : asset->resolved;
    if (texture.missing || texture.tiles) return;
    texture.picture = std::make_shared<const model::Picture>(
        texture.file, [file = texture.file, linear = texture.linear, scale = texture.scale, bias = texture.bias] {
            return read_for_display(file, linear, scale, bias);
        });
}

/// The value of an input, where it comes from followed.
template <class T>
std::optional<T> input_of(const usd::Prim& shader, const char* name, Diagnostics& found)
{
    const usd::Attribute input = shader.attribute(name);
    if (!input) return std::nullopt;
    const usd::ShadingSource source = usd::shading_source(input, &found);
    if (source.computed) return std::nullopt;
    return usd::start_as<T>(source.attribute);
}

/// UsdUVTexture's names; a picture says nothing of its edges in PNG and JPEG, so `useMetadata` repeats it.
model::Wrap wrap_of(const usd::Prim& shader, const char* name, Diagnostics& found)
{
    const auto said = input_of<std::string>(shader, name, found);
    if (!said) return model::Wrap::repeat;
    return *said == "clamp"    ? model::Wrap::clamp
           : *said == "mirror" ? model::Wrap::mirror
           : *said == "black"  ? model::Wrap::black
                               : model::Wrap::repeat;
}

/// The shader whose output an input shows; invalid when there is none.
usd::Prim producer_of(const usd::Prim& shader, const char* name, Diagnostics& found)
{
    const usd::Attribute input = shader.attribute(name);
    if (!input) return {};
    const usd::ShadingSource source = usd::shading_source(input, &found);
    return source.computed ? source.attribute.prim() : usd::Prim{};
}

/// UsdTransform2d: scale, then turn, then move.
std::array<double, 6> transform_of(const usd::Prim& node, Diagnostics& found)
{
    const Vec2d  s = input_of<Vec2d>(node, "inputs:scale", found).value_or(Vec2d{1, 1});
    const Vec2d  t = input_of<Vec2d>(node, "inputs:translation", found).value_or(Vec2d{0, 0});
    const double a = kDegrees * input_of<double>(node, "inputs:rotation", found).value_or(0);
    // u' = s_x u cos a - s_y v sin a + t_x, and so on.
    return {s.x * std::cos(a), -s.y * std::sin(a), t.x, s.x * std::sin(a), s.y * std::cos(a), t.y};
}

std::array<double, 6> times(const std::array<double, 6>& a, const std::array<double, 6>& b)
{
    return {a[0] * b[0] + a[1] * b[3], a[0] * b[1] + a[1] * b[4], a[0] * b[2] + a[1] * b[5] + a[2],
            a[3] * b[0] + a[4] * b[3], a[3] * b[1] + a[4] * b[4], a[3] * b[2] + a[4] * b[5] + a[5]};
}

}  // namespace

TextureLook look_of_texture(const usd::Prim& shader, Diagnostics& found)
{
    TextureLook texture;
    texture.linear = is_linear_space(usd::texture_color_space(shader));
    using Four     = std::array<double, 4>;
    texture.scale  = input_of<Four>(shader, "inputs:scale", found).value_or(texture.scale);
    texture.bias   = input_of<Four>(shader, "inputs:bias", found).value_or(texture.bias);
    texture.wrap_s = wrap_of(shader, "inputs:wrapS", found);
    texture.wrap_t = wrap_of(shader, "inputs:wrapT", found);
    // Several transforms may stand in a row.
    constexpr int kMostNodes = 32;
    usd::Prim     node       = producer_of(shader, "inputs:st", found);
    for (int i = 0; node && i < kMostNodes; ++i) {
        const std::string id = node.attribute("info:id").get_or<std::string>({});
        if (id == "UsdTransform2d") {
            texture.transform = times(texture.transform, transform_of(node, found));
            node              = producer_of(node, "inputs:in", found);
            continue;
        }
        if (id.starts_with("UsdPrimvarReader"))
            texture.primvar = input_of<std::string>(node, "inputs:varname", found).value_or("");
        break;
    }
    const usd::Attribute input = shader.attribute("inputs:file");
    if (!input) return texture;
    const usd::Attribute source = usd::shading_source(input, &found).attribute;
    take_file(source ? source : input, texture);
    return texture;
}

TextureLook look_of_input(const usd::Attribute& input, Diagnostics& found)
{
    TextureLook texture;
    if (!input) return texture;
    const usd::ShadingSource source = usd::shading_source(input, &found);
    const usd::Attribute     from   = source.attribute && !source.computed ? source.attribute : input;
    const std::string        space  = usd::color_space(from);
    texture.linear                  = !space.empty() && is_linear_space(space);
    take_file(from, texture);
    return texture;
}

Texture plain_texture(const TextureLook& look, Diagnostics& found)
{
    Texture texture{look.file, look.linear, 0, 0, {}};
    if (!look.linear || look.picture == nullptr) return texture;
    if (const model::Pixels* pixels = look.picture->pixels()) {
        texture.width  = pixels->width;
        texture.height = pixels->height;
        texture.pixels = pixels->rgba;
    } else {
        found.add(codes::kTextureLinear, look.site, fmt::format("{} is not a readable PNG or JPEG file", look.file));
    }
    return texture;
}

Texture read_texture(const usd::Prim& shader, Diagnostics& found)
{ return plain_texture(look_of_texture(shader, found), found); }

}  // namespace mechane::importer
