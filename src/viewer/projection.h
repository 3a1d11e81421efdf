#pragma once
#include <vector>

#include "camera.h"
#include "raster.h"

namespace mechane::viewer {

/// From the world to samples of a picture, and back to rays.
class Projection {
  public:
    /// @param width, height  [samples]
    Projection(const Camera& camera, int width, int height, double near);

    /// Appends the part of a triangle that lies in front of the near plane: none, one or two triangles.
    void add_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, std::uint32_t id,
                      std::vector<ScreenTriangle>& out) const;
    /// A line of `width` samples, as two triangles. `lift` multiplies nearness.
    void add_line(const Vec3d& a, const Vec3d& b, double width, double lift, std::uint32_t id,
                  std::vector<ScreenTriangle>& out) const;
    /// A disc of `radius` samples around a point.
    void add_disc(const Vec3d& centre, double radius, double lift, std::uint32_t id,
                  std::vector<ScreenTriangle>& out) const;
    /// A filled triangle at the tip of an arrow from a to b.
    void add_head(const Vec3d& a, const Vec3d& b, double size, double lift, std::uint32_t id,
                  std::vector<ScreenTriangle>& out) const;

    /// Direction of the ray through a point of the picture [samples]; its part along `forward` is 1.
    [[nodiscard]] Vec3d ray(double x, double y) const
    { return camera_.forward + ((x - centre_x_) / focal_) * camera_.right + ((centre_y_ - y) / focal_) * camera_.up; }
    [[nodiscard]] const Camera& camera() const { return camera_; }

  private:
    struct Point {
        double x, y, nearness;
    };
    [[nodiscard]] Vec3d to_view(const Vec3d& p) const;
    [[nodiscard]] Point to_screen(const Vec3d& view) const;
    /// Both ends in view coordinates, moved in front of the near plane; false when nothing is left.
    [[nodiscard]] bool clip(Vec3d& a, Vec3d& b) const;

    Camera camera_;
    double centre_x_, centre_y_, focal_, near_;
};

}  // namespace mechane::viewer
