#pragma once
#include <string_view>

namespace mechane::physics {

// What usable values of PhysicsMassAPI and of a material's density are, as the messages about others say it.
inline constexpr std::string_view kUnusableBodyMass        = "the authored mass is not positive and finite";
inline constexpr std::string_view kExpectedMass            = "a mass must be positive and finite";
inline constexpr std::string_view kExpectedDensity         = "a MassAPI density must be positive and finite";
inline constexpr std::string_view kExpectedDiagonal        = "diagonalInertia must have finite, nonnegative components";
inline constexpr std::string_view kExpectedMaterialDensity = "a material density must be finite";

}  // namespace mechane::physics
