// Fills triangles into a strip of samples, keeping what is nearest (a z-buffer of 1 / depth).
// Strips are rows of the picture that do not depend on each other, so threads may fill them in any order with the same
// result. Within a strip triangles are filled in their order, and of equally near ones the first stays.
// Each sample on an edge that two triangles share belongs to exactly one of them: no gaps and no double ink.
// Called by draw_items and ShadowMap.

#include "raster.h"

#include <algorithm>
#include <cmath>

namespace mechane::viewer {
namespace {

/// The line through two corners as a x + b y + c, positive inside the triangle. Computed from the corners in a fixed
/// order, so that two triangles that share an edge see exactly opposite values and each sample on it has one owner.
struct Edge {
    double a, b, c;
    bool   owns_zero;

    Edge(double x0, double y0, double x1, double y1)
    {
        const bool swapped = x0 > x1 || (x0 == x1 && y0 > y1);
        if (swapped) {
            std::swap(x0, x1);
            std::swap(y0, y1);
        }
        a         = y0 - y1;
        b         = x1 - x0;
        c         = -(a * x0 + b * y0);
        owns_zero = !swapped;
        if (swapped) a = -a, b = -b, c = -c;
    }
    [[nodiscard]] bool inside(double value) const { return value > 0 || (value == 0 && owns_zero); }
};

/// Narrows [begin, end) to the samples of a row inside the edge. `base` is b y + c there; the test is monotone in x.
/// The crossing is computed and then corrected by the test itself, so rounding cannot disagree with the neighbour.
void narrow(const Edge& edge, double base, int& begin, int& end)
{
    const auto inside = [&](int i) { return edge.inside(edge.a * (i + 0.5) + base); };
    if (edge.a == 0) {
        if (!edge.inside(base)) end = begin;
        return;
    }
    const double crossing = std::clamp(-base / edge.a - 0.5, begin - 1.0, end + 1.0);
    if (edge.a > 0) {
        int first = std::clamp(static_cast<int>(std::floor(crossing)), begin, end);
        while (first < end && !inside(first)) ++first;
        while (first > begin && inside(first - 1)) --first;
        begin = first;
    } else {
        int last = std::clamp(static_cast<int>(std::ceil(crossing)) + 1, begin, end);
        while (last > begin && !inside(last - 1)) --last;
        while (last < end && inside(last)) ++last;
        end = last;
    }
}

}  // namespace

void fill(Strip& strip, const ScreenTriangle& t)
{
    const double area = (t.x[1] - t.x[0]) * (t.y[2] - t.y[0]) - (t.y[1] - t.y[0]) * (t.x[2] - t.x[0]);
    if (!(std::abs(area) > 0) || !std::isfinite(area)) return;
    const int  i1 = area > 0 ? 1 : 2, i2 = area > 0 ? 2 : 1;
    const Edge edges[] = {
        {t.x[0], t.y[0], t.x[i1], t.y[i1]}, {t.x[i1], t.y[i1], t.x[i2], t.y[i2]}, {t.x[i2], t.y[i2], t.x[0], t.y[0]}};

    const double dx =
        ((t.nearness[1] - t.nearness[0]) * (t.y[2] - t.y[0]) - (t.nearness[2] - t.nearness[0]) * (t.y[1] - t.y[0])) /
        area;
    const double dy =
        ((t.nearness[2] - t.nearness[0]) * (t.x[1] - t.x[0]) - (t.nearness[1] - t.nearness[0]) * (t.x[2] - t.x[0])) /
        area;
    // The slope of a sliver is dominated by rounding: clamp nearness to that of the corners.
    const auto [lowest, highest] = std::minmax({t.nearness[0], t.nearness[1], t.nearness[2]});

    const auto [left, right] = std::minmax({t.x[0], t.x[1], t.x[2]});
    const auto [top, bottom] = std::minmax({t.y[0], t.y[1], t.y[2]});
    const int x_begin = static_cast<int>(std::clamp(std::ceil(left - 0.5), 0.0, static_cast<double>(strip.width)));
    const int x_end = static_cast<int>(std::clamp(std::floor(right - 0.5) + 1, 0.0, static_cast<double>(strip.width)));
    const int y_begin = static_cast<int>(
        std::clamp(std::ceil(top - 0.5), static_cast<double>(strip.y0), static_cast<double>(strip.y0 + strip.rows)));
    const int y_end = static_cast<int>(std::clamp(std::floor(bottom - 0.5) + 1, static_cast<double>(strip.y0),
                                                  static_cast<double>(strip.y0 + strip.rows)));
    for (int y = y_begin; y < y_end; ++y) {
        int          begin = x_begin, end = x_end;
        const double centre = y + 0.5;
        for (const Edge& edge : edges) narrow(edge, edge.b * centre + edge.c, begin, end);
        const std::size_t row  = static_cast<std::size_t>(y - strip.y0) * static_cast<std::size_t>(strip.width);
        const double      base = t.nearness[0] + dy * (centre - t.y[0]);
        for (int x = begin; x < end; ++x) {
            const std::size_t at = row + static_cast<std::size_t>(x);
            const auto nearness  = static_cast<float>(std::clamp(base + dx * (x + 0.5 - t.x[0]), lowest, highest));
            if (nearness > strip.nearness[at]) {
                strip.nearness[at] = nearness;
                strip.ids[at]      = t.id;
            }
        }
    }
}

Bins::Bins(const std::vector<ScreenTriangle>& triangles, int height, int rows)
    : triangles_(triangles), members_(static_cast<std::size_t>((height + rows - 1) / rows))
{
    for (std::uint32_t i = 0; i < triangles.size(); ++i) {
        const auto& y            = triangles[i].y;
        const auto [top, bottom] = std::minmax({y[0], y[1], y[2]});
        if (!(bottom > 0) || !(top < height)) continue;
        const int last  = std::min(height - 1, static_cast<int>(std::min<double>(bottom, height)));
        const int first = std::max(0, static_cast<int>(std::max(top, 0.0)));
        for (int strip = first / rows; strip <= last / rows; ++strip)
            members_[static_cast<std::size_t>(strip)].push_back(i);
    }
}

void Bins::fill_strip(Strip& out, int strip) const
{
    for (const std::uint32_t i : members_[static_cast<std::size_t>(strip)]) fill(out, triangles_[i]);
}

}  // namespace mechane::viewer
