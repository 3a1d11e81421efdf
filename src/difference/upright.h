#pragma once
#include <numbers>

#include "mechane/model/model.h"

namespace mechane::difference {

/// From a model's world to one whose z is up, in which both sides of a comparison are seen.
inline Quatd upright(const model::Model& m)
{
    if (m.up_axis == 1) return from_axis_angle(Vec3d{1, 0, 0}, std::numbers::pi / 2);
    if (m.up_axis == 0) return from_axis_angle(Vec3d{0, 1, 0}, -std::numbers::pi / 2);
    return {};
}

}  // namespace mechane::difference
