#pragma once
#include <optional>
#include <string_view>

#include "mechane/core/diagnostic.h"
#include "mechane/physics/physics_model.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

/// How a prim is drawn, as far as a shape can show it.
struct Appearance {
    std::optional<Vec3d>  color;             ///< display (sRGB-encoded) RGB
    std::optional<double> opacity;           ///< 0..1
    bool                  textured = false;  ///< the colour comes from an image; `color` is then unset
    usd::Prim             texture;           ///< the UsdUVTexture that gives it; invalid when another shader does
    usd::Attribute        texture_input;     ///< the asset-valued input of another shader that names the image
    usd::Prim             material;          ///< whose look this is; invalid without one
};

/// Colour of a prim: the material bound for rendering, then displayColor.
Appearance appearance_of(const usd::Stage& stage, const physics::PhysicsModel& physics, const usd::Prim& prim,
                         Diagnostics& found);

/// Whether numbers of a colour space are linear ones, by its name: of a file, or of a value that says nothing.
bool is_linear_space(std::string_view space);

/// Linear Rec.709 to display RGB by the sRGB curve; negatives become 0, values above 1 stay above 1.
Vec3d to_display(const Vec3d& linear);

/// Neutral grey of drawn shapes without a colour: linear 0.18.
inline constexpr double kNeutralGrey = 0.4613561295004338;
/// Colour of the shape with this index when nothing says one and it is not drawn.
Vec3d palette_color(std::size_t shape);

}  // namespace mechane::importer
