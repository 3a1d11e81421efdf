#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechane/math/vec.h"
#include "mechane/model/model.h"
#include "mechane/simulation/recording.h"
#include "mechane/viewer/render.h"

namespace mechane::viewer {

/// One moment through one camera: the picture, and where in it things are. Pixels count from the top left corner.
class Portrait {
  public:
    /// @param options  as for `render`; width and height in 1..16384
    Portrait(const model::Model& model, record::Frame frame, const RenderOptions& options);
    ~Portrait();
    Portrait(Portrait&&) noexcept;
    Portrait& operator=(Portrait&&) noexcept;

    [[nodiscard]] Image picture() const;
    /// Whether there is anything to see: shapes with a surface and a finite pose, or a ground.
    [[nodiscard]] bool empty() const;
    /// The smallest convex polygon around shapes of the model [px], counter-clockwise as it is seen; empty where none
    /// of them is drawn, or all are behind the camera.
    [[nodiscard]] std::vector<Vec2d> outline(std::span<const std::int32_t> shapes) const;
    /// Where a point of the world is seen [px]; nothing behind the camera.
    [[nodiscard]] std::optional<Vec2d> place(const Vec3d& p_W) const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// The picture as a page may hold it: "data:image/png;base64,...".
std::string png_uri(const Image& image);

}  // namespace mechane::viewer
