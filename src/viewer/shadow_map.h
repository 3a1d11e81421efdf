#pragma once
#include <vector>

#include "camera.h"
#include "mechane/tasks/parallel.h"
#include "raster.h"

namespace mechane::viewer {

/// What the sun sees: a square of nearness towards it around the focus. A point lies in shadow when something is
/// nearer.
class ShadowMap {
  public:
    ShadowMap(const Focus& focus, const Vec3d& to_sun);

    void add_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c);
    /// Draws the map; then `lit` may be asked.
    void finish(const tasks::Pool& pool);

    /// Share of the light that arrives, 0..1: the mean of 5 by 5 taps, each interpolated between four texels.
    [[nodiscard]] float lit(const Vec3d& point, const Vec3d& normal) const;

  private:
    [[nodiscard]] Vec3d to_map(const Vec3d& p) const;

    Vec3d                       centre_, right_, up_, to_sun_;
    double                      half_;   ///< of the square's side [m]
    double                      texel_;  ///< [m]
    std::vector<ScreenTriangle> triangles_;
    std::vector<float>          nearness_;
    std::vector<std::uint8_t>   occupied_;  ///< blocks with a caster in reach of the taps; elsewhere all is lit
};

}  // namespace mechane::viewer
