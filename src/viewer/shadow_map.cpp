// A shadow map: nearness to the sun over a square about what moves.
// Inputs: triangles in the world, then points and normals. Output: the share of light at a point, 0 to 1, softened over
// 5 x 5 texels (percentage-closer filtering).
// What lies outside of the square is lit. Strips are filled in parallel with one result.
// Called by draw_items.

#include "shadow_map.h"

#include <algorithm>
#include <cmath>

namespace mechane::viewer {
namespace {

constexpr int kSize = 1024, kBinRows = 64, kBlock = 16, kBlocks = kSize / kBlock, kTaps = 5;

}  // namespace

ShadowMap::ShadowMap(const Focus& focus, const Vec3d& to_sun)
    : centre_(focus.centre),
      right_(any_perpendicular(to_sun)),
      up_(cross(to_sun, right_)),
      to_sun_(to_sun),
      half_(1.7 * focus.radius),
      texel_(2 * half_ / kSize)
{
}

Vec3d ShadowMap::to_map(const Vec3d& p) const
{
    const Vec3d d = p - centre_;
    // Nearness is counted from far below the focus, so that it is positive for everything in sight.
    return {(dot(d, right_) / half_ + 1) * 0.5 * kSize, (1 - dot(d, up_) / half_) * 0.5 * kSize,
            dot(d, to_sun_) + 1000 * half_};
}

void ShadowMap::add_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c)
{
    const Vec3d p = to_map(a), q = to_map(b), r = to_map(c);
    triangles_.push_back({{p.x, q.x, r.x}, {p.y, q.y, r.y}, {p.z, q.z, r.z}, 0});
}

void ShadowMap::finish(const tasks::Pool& pool)
{
    nearness_.assign(static_cast<std::size_t>(kSize) * kSize, 0.0F);
    const Bins bins(triangles_, kSize, kBinRows);
    pool.for_each(kSize / kBinRows, 1, [&](std::size_t i) {
        Strip strip;
        strip.reset(kSize, static_cast<int>(i) * kBinRows, kBinRows);
        bins.fill_strip(strip, static_cast<int>(i));
        std::copy(strip.nearness.begin(), strip.nearness.end(),
                  nearness_.begin() + static_cast<std::ptrdiff_t>(i * kBinRows * kSize));
    });
    // Most points have no caster near them; a coarse map of blocks answers for them without the 36 taps.
    occupied_.assign(static_cast<std::size_t>(kBlocks) * kBlocks, 0);
    for (int y = 0; y < kSize; ++y)
        for (int x = 0; x < kSize; ++x) {
            if (nearness_[static_cast<std::size_t>(y) * kSize + static_cast<std::size_t>(x)] <= 0) continue;
            // Taps reach less than a block, so the neighbours of an occupied block may lie in its shadow.
            for (int by = std::max(0, y / kBlock - 1); by <= std::min(kBlocks - 1, y / kBlock + 1); ++by)
                for (int bx = std::max(0, x / kBlock - 1); bx <= std::min(kBlocks - 1, x / kBlock + 1); ++bx)
                    occupied_[static_cast<std::size_t>(by * kBlocks + bx)] = 1;
        }
}

float ShadowMap::lit(const Vec3d& point, const Vec3d& normal) const
{
    // Normal offset against self-shadowing by the size of the texels.
    const Vec3d  p = to_map(point + (2.5 * texel_) * normal);
    const double x = p.x - 0.5 - (kTaps - 1) / 2, y = p.y - 0.5 - (kTaps - 1) / 2;
    if (!(x >= 0) || !(y >= 0) || !(x < kSize - kTaps - 1) || !(y < kSize - kTaps - 1)) return 1;
    if (!occupied_[static_cast<std::size_t>(static_cast<int>(p.y) / kBlock * kBlocks + static_cast<int>(p.x) / kBlock)])
        return 1;
    const int  x0 = static_cast<int>(x), y0 = static_cast<int>(y);
    const auto fx = static_cast<float>(x - x0), fy = static_cast<float>(y - y0);
    // A second allowance along the light, for surfaces that the sun grazes.
    const auto own = static_cast<float>(p.z + 1.5 * texel_);
    float      sum = 0;
    for (int j = 0; j <= kTaps; ++j) {
        const float* row = nearness_.data() + static_cast<std::size_t>(y0 + j) * kSize + static_cast<std::size_t>(x0);
        float        inside = 0;
        for (int i = 0; i <= kTaps; ++i) {
            // A box of 5 texels at a place between texels covers six: the outer two in part.
            const float weight = i == 0 ? 1 - fx : i == kTaps ? fx : 1;
            inside += row[i] > own ? 0.0F : weight;
        }
        sum += inside * (j == 0 ? 1 - fy : j == kTaps ? fy : 1);
    }
    return sum / (kTaps * kTaps);
}

}  // namespace mechane::viewer
