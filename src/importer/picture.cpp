// Pictures as pixels for display: decoded, linear ones encoded as sRGB by a table. The size of a file is bounded.

#include "mechane/importer/picture.h"

#include <array>
#include <cmath>
#include <utility>

#include "color.h"
#include "mechane/usd/asset_bytes.h"
#include "mechane/usd/picture.h"

namespace mechane::importer {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

}  // namespace

std::optional<model::Pixels> decode_picture(std::string_view bytes)
{
    auto picture = usd::decode_picture(bytes);
    if (!picture) return std::nullopt;
    return model::Pixels{picture->width, picture->height, std::move(picture->rgba)};
}

std::optional<model::Pixels> read_picture(const std::string& file, bool linear)
{
    auto pixels = decode_picture(usd::first_bytes(file, kMostBytes));
    if (!pixels || !linear) return pixels;
    static const auto kDisplay = [] {
        std::array<std::uint8_t, 256> table{};
        for (std::size_t i = 0; i < table.size(); ++i) {
            const double value = static_cast<double>(i) / 255;
            table[i]           = static_cast<std::uint8_t>(std::lround(255 * to_display({value, value, value}).x));
        }
        return table;
    }();
    for (std::size_t i = 0; i < pixels->rgba.size(); ++i)
        // Alpha is linear always.
        if (i % 4 != 3) pixels->rgba[i] = kDisplay[pixels->rgba[i]];
    return pixels;
}

}  // namespace mechane::importer
