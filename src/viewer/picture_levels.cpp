// Textures: a chain of halved sizes, and samples from it (trilinear).
// Averages are taken in linear light: the mean of display values would be too dark. Rows stand from the top, and v
// counts from the bottom, as in OpenUSD.
// Inputs: pixels RGBA of 8 bits; uv and the extent of a screen pixel in uv. Output: a linear colour.
// Called by Shading and build_scene.

#include "picture_levels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "shading.h"

namespace mechane::viewer {
namespace {

constexpr int kLongestEdge = 2048;

const std::array<float, 256>& linear_values()
{
    static const auto table = [] {
        std::array<float, 256> out{};
        // A table, as each texel of each level goes through it.
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = to_linear(static_cast<float>(i) / 255.0F);
        return out;
    }();
    return table;
}

const std::uint8_t* texel(const model::Pixels& p, int x, int y)
{
    return &p.rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x))];
}

model::Pixels halved(const model::Pixels& from)
{
    model::Pixels out{(from.width + 1) / 2, (from.height + 1) / 2, {}};
    out.rgba.resize(4 * static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height));
    const auto&   linear = linear_values();
    std::uint8_t* to     = out.rgba.data();
    for (int y = 0; y < out.height; ++y)
        for (int x = 0; x < out.width; ++x, to += 4) {
            // With an odd count the last pixel is not averaged.
            const int           x1 = std::min(2 * x + 1, from.width - 1), y1 = std::min(2 * y + 1, from.height - 1);
            const std::uint8_t* four[] = {texel(from, 2 * x, 2 * y), texel(from, x1, 2 * y), texel(from, 2 * x, y1),
                                          texel(from, x1, y1)};
            for (std::size_t k = 0; k < 3; ++k)
                to[k] = to_display_byte(
                    0.25F * (linear[four[0][k]] + linear[four[1][k]] + linear[four[2][k]] + linear[four[3][k]]));
            to[3] = static_cast<std::uint8_t>((four[0][3] + four[1][3] + four[2][3] + four[3][3] + 2) / 4);
        }
    return out;
}

/// The pixel that shows a place along one edge; -1: black.
int wrapped(int i, int count, model::Wrap how)
{
    if (i >= 0 && i < count) return i;
    switch (how) {
        case model::Wrap::black:
            return -1;
        case model::Wrap::clamp:
            return std::clamp(i, 0, count - 1);
        case model::Wrap::repeat: {
            const int r = i % count;
            return r < 0 ? r + count : r;
        }
        case model::Wrap::mirror: {
            int r = i % (2 * count);
            if (r < 0) r += 2 * count;
            return r < count ? r : 2 * count - 1 - r;
        }
    }
    return 0;
}

/// An equivalent coordinate near the picture: a far one would overflow an integer.
double near_coordinate(double t, model::Wrap how)
{
    switch (how) {
        case model::Wrap::repeat:
            return t - std::floor(t);
        case model::Wrap::mirror:
            return t - 2 * std::floor(t / 2);
        case model::Wrap::black:
        case model::Wrap::clamp:
            return std::clamp(t, -2.0, 3.0);
    }
    return t;
}

Vec3f bilinear(const model::Pixels& level, model::Wrap wrap_s, model::Wrap wrap_t, double u, double v)
{
    const double x = u * level.width - 0.5, y = (1 - v) * level.height - 0.5;
    const int    x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
    const auto   fx = static_cast<float>(x - x0), fy = static_cast<float>(y - y0);
    const auto&  linear = linear_values();
    const auto   at     = [&](int i, int j) -> Vec3f {
        const int a = wrapped(i, level.width, wrap_s), b = wrapped(j, level.height, wrap_t);
        if (a < 0 || b < 0) return {};
        const std::uint8_t* p = texel(level, a, b);
        return {linear[p[0]], linear[p[1]], linear[p[2]]};
    };
    return (1 - fy) * ((1 - fx) * at(x0, y0) + fx * at(x0 + 1, y0)) +
           fy * ((1 - fx) * at(x0, y0 + 1) + fx * at(x0 + 1, y0 + 1));
}

}  // namespace

DrawPicture levels_of(std::string file, const model::Pixels& pixels)
{
    DrawPicture   out{std::move(file), pixels.width, pixels.height, {}};
    model::Pixels level = pixels;
    while (level.width > kLongestEdge || level.height > kLongestEdge) level = halved(level);
    for (;;) {
        out.levels.push_back(level);
        if (level.width == 1 && level.height == 1) return out;
        level = halved(level);
    }
}

Vec3f sample(const DrawPicture& picture, model::Wrap wrap_s, model::Wrap wrap_t, const Vec2d& uv, const Vec2d& extent)
{
    const model::Pixels& first = picture.levels.front();
    const double wide = std::max(std::abs(extent.x) * first.width, std::abs(extent.y) * first.height);
    // Mirroring flips rows by v from below, wrapping by row from above: the same for whole numbers of pictures.
    const double u = near_coordinate(uv.x, wrap_s), v = near_coordinate(uv.y, wrap_t);
    const double most  = static_cast<double>(picture.levels.size() - 1);
    // The level on which one texel is about as large as the pixel: finer ones would flicker, coarser ones blur.
    const double level = wide > 1 ? std::min(std::log2(wide), most) : 0;
    const auto   low   = static_cast<std::size_t>(level);
    const auto   part  = static_cast<float>(level - static_cast<double>(low));
    const Vec3f  fine  = bilinear(picture.levels[low], wrap_s, wrap_t, u, v);
    if (part == 0) return fine;
    return (1 - part) * fine + part * bilinear(picture.levels[low + 1], wrap_s, wrap_t, u, v);
}

Vec3f mean_color(const DrawPicture& picture)
{
    const std::uint8_t* p      = picture.levels.back().rgba.data();
    const auto&         linear = linear_values();
    return {linear[p[0]], linear[p[1]], linear[p[2]]};
}

}  // namespace mechane::viewer
