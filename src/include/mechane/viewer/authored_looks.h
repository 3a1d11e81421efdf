#pragma once
#include <string>
#include <vector>

#include "mechane/math/pose.h"
#include "mechane/model/model.h"
#include "mechane/usd/stage.h"

namespace mechane::viewer {

/// A light of the stage, as far as a page can show it. Lengths in metres, colours linear Rec.709.
struct AuthoredLight {
    enum class Kind { distant, dome, point, spot };
    std::string  label;
    Kind         kind = Kind::distant;
    std::int32_t body = -1;  ///< -1: stands in the world
    Vec3d        position;   ///< in its body
    Vec3d        direction;  ///< unit, in its body: along which it shines
    Vec3d        color;      ///< largest part 1
    double       strength =
        0;  ///< of the colour's largest part; irradiance, or intensity [times m^2] of what stands somewhere
    double cone     = 0;  ///< of a spot: between axis and rim [rad]
    double softness = 0;  ///< of a spot: share of the cone in which it fades, 0..1
};

/// A camera of the stage. It looks along -z of its pose, with y upwards.
struct AuthoredCamera {
    std::string  label;
    std::int32_t body = -1;
    Posed        X_BC;     ///< [m]
    double       fov = 0;  ///< vertical [rad]
};

struct AuthoredLooks {
    std::vector<AuthoredLight>  lights;    ///< at most 16, the first of the stage
    std::vector<AuthoredCamera> cameras;   ///< at most 64
    std::vector<std::string>    left_out;  ///< lights of kinds that are not shown
};

/// Lights and cameras that a stage shows at its start. Those below a body move with it.
///
/// Strengths follow UsdLux: intensity times 2^exposure is a radiance, which the area that is seen makes an intensity,
/// or the angle of a distant light an irradiance; `inputs:normalize` divides by that. Rectangles and disks are spots of
/// a wide cone; pictures of domes, profiles (IES) and filters are left out.
/// @param X_WS    where the stage stands in the world of the model
/// @param metres  of a unit of the stage
AuthoredLooks authored_looks(const usd::Stage& stage, const model::Model& model, const Posed& X_WS, double metres);

/// For `HtmlOptions::looks`; empty where there is nothing to show.
std::string to_json(const AuthoredLooks& looks);

/// The colour of a black body of 1000 to 25000 K, linear Rec.709, largest part 1.
Vec3d black_body(double kelvin);

}  // namespace mechane::viewer
