#pragma once
#include <cstdint>
#include <vector>

#include "mechane/math/vec.h"

namespace mechane::viewer {

/// A triangle on the picture. `nearness` is linear on the picture and grows towards the eye: 1/depth in perspective.
struct ScreenTriangle {
    double        x[3], y[3];  ///< [samples], sample (i, j) lies at (i + 0.5, j + 0.5)
    double        nearness[3];
    std::uint32_t id;
};

inline constexpr std::uint32_t kNothing = 0xffffffffU;

/// A strip of samples: what is nearest at each.
struct Strip {
    int                        width = 0, y0 = 0, rows = 0;
    std::vector<float>         nearness;
    std::vector<std::uint32_t> ids;

    void reset(int width_, int y0_, int rows_)
    {
        width = width_, y0 = y0_, rows = rows_;
        const auto count = static_cast<std::size_t>(width) * static_cast<std::size_t>(rows);
        nearness.assign(count, 0.0F);
        ids.assign(count, kNothing);
    }
};

/// Enters a triangle, seen from either side. Samples on an edge that two triangles share belong to exactly one of them;
/// of equally near ones the first stays.
void fill(Strip& strip, const ScreenTriangle& triangle);

/// Which triangles touch which strip of `rows` sample rows, in their order.
class Bins {
  public:
    Bins(const std::vector<ScreenTriangle>& triangles, int height, int rows);
    /// Fills the strip at index `strip` with its triangles.
    void fill_strip(Strip& out, int strip) const;

  private:
    const std::vector<ScreenTriangle>&      triangles_;
    std::vector<std::vector<std::uint32_t>> members_;
};

}  // namespace mechane::viewer
