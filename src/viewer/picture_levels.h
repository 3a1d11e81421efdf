#pragma once
#include <string>

#include "mechane/math/vec.h"
#include "mechane/viewer/scene.h"

namespace mechane::viewer {

/// The sizes of a picture that are drawn from; halving averages linear colours.
DrawPicture levels_of(std::string file, const model::Pixels& pixels);

/// Linear colour of a picture at (u, v), v upwards, averaged over a square of `extent` [in u and v]: between the two
/// sizes whose pixels are next to that large, bilinear in each.
Vec3f sample(const DrawPicture& picture, model::Wrap wrap_s, model::Wrap wrap_t, const Vec2d& uv, const Vec2d& extent);

/// Its mean, linear.
Vec3f mean_color(const DrawPicture& picture);

}  // namespace mechane::viewer
