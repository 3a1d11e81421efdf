#include "mechane/importer/texture.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "color.h"
#include "mechane/importer/codes.h"
#include "mechane/usd/shading.h"
#include "png_pixels.h"

namespace mechane::importer {
namespace {

/// Display values of all eight-bit linear ones.
std::array<std::uint8_t, 256> display_values()
{
    std::array<std::uint8_t, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        const double linear = static_cast<double>(i) / 255;
        table[i]            = static_cast<std::uint8_t>(std::lround(255 * to_display({linear, linear, linear}).x));
    }
    return table;
}

}  // namespace

Texture read_texture(const usd::Prim& shader, Diagnostics& found)
{
    const usd::Attribute input    = shader.attribute("inputs:file");
    const usd::Attribute producer = usd::shading_source(input, &found).attribute;
    const usd::Attribute source   = producer ? producer : input;
    const auto           asset    = source.get<usd::AssetPath>();
    Texture              texture;
    if (!asset) return texture;
    texture.file   = asset->resolved.empty() ? asset->authored : asset->resolved;
    texture.linear = is_linear_space(usd::texture_color_space(shader));
    if (!texture.linear) return texture;
    auto pixels = read_png(texture.file);
    if (!pixels) {
        found.add(codes::kTextureLinear, source.site(), fmt::format("{} is no PNG that can be read", texture.file));
        return texture;
    }
    static const std::array<std::uint8_t, 256> kDisplay = display_values();
    for (std::size_t i = 0; i < pixels->rgba.size(); ++i)
        if (i % 4 != 3) pixels->rgba[i] = kDisplay[pixels->rgba[i]];
    texture.width  = pixels->width;
    texture.height = pixels->height;
    texture.pixels = std::move(pixels->rgba);
    return texture;
}

}  // namespace mechane::importer
