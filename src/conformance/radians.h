#pragma once
#include <cmath>

#include "mechane/math/real.h"

namespace mechane::conformance {

/// An angle that is a multiple of 15 degrees when it is read as radians: 1.5708, -3.14159. In degrees nobody writes
/// such numbers.
/// @param tolerance  what the number is short of: four printed decimals of pi by default
inline bool is_round_in_radians(double angle, double tolerance = 1e-4)
{
    constexpr double kStep = kPi / 12;  // 15 degrees, up to a full turn
    const double     steps = std::round(std::abs(angle) / kStep);
    return steps <= 24 && std::abs(std::abs(angle) - steps * kStep) <= tolerance;
}

}  // namespace mechane::conformance
