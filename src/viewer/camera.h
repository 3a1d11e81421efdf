#pragma once
#include <vector>

#include "mechane/viewer/render.h"
#include "mechane/viewer/scene.h"

namespace mechane::viewer {

/// A pinhole: a point at p = eye + z (forward + x right + y up) lies at depth z and at (x, y) on the plane one metre
/// away.
struct Camera {
    Vec3d  eye, right, up, forward;
    double tan_half_fov = 0.3;  ///< of the vertical angle
};

/// The focus of camera and sun: a sphere around what moves.
struct Focus {
    Vec3d  centre;
    double radius = 1;  ///< [m], positive
};

/// Points on what moves (on everything finite when nothing does), in the world.
std::vector<Vec3d> focus_points(const Scene& scene, const record::Frame& frame);
Focus              focus_of(const std::vector<Vec3d>& points);

/// The camera that the options ask for; without an eye it stands where all points lie within the middle 84 % of the
/// frame.
Camera make_camera(const RenderOptions& options, int up_axis, const std::vector<Vec3d>& points);

/// Direction towards the sun: to the front right, high.
Vec3d sun_direction(int up_axis);

}  // namespace mechane::viewer
