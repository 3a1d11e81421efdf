#pragma once
#include <cstdint>

#include "mechane/math/real.h"

namespace mechane::physics {

/// The physical dimension of a value as UsdPhysics authors it: L and M are the stage's units of length and mass, angles
/// are degrees, time is seconds.
/// Angles and their rates are told apart from lengths by nothing but this, so each attribute of a schema has one.
enum class Dimension : std::uint8_t {
    none,                       ///< no unit: coefficients, counts, flags
    length,                     ///< L, also velocities and accelerations
    angle,                      ///< deg, also deg/s
    mass,                       ///< M
    density,                    ///< M/L^3
    inertia,                    ///< M L^2
    force,                      ///< M L/s^2
    torque,                     ///< M L^2/s^2
    linear_stiffness,           ///< M/s^2
    linear_damping,             ///< M/s
    angular_stiffness,          ///< M L^2/(s^2 deg)
    angular_damping,            ///< M L^2/(s deg)
    angular_stiffness_radians,  ///< M L^2/(s^2 rad), as MuJoCo authors it
    angular_damping_radians,    ///< M L^2/(s rad)
    per_angle,                  ///< 1/deg, of gains that know no mass: 1/(s^2 deg) and 1/(s deg) of acceleration drives
    volume_stiffness,           ///< force per length^3: M/(L^2 s^2), the hydroelastic modulus per depth
};

/// Factors from stage units to SI.
struct UnitScale {
    double meters_per_unit    = 1;  ///< [m] in a length unit of the stage
    double kilograms_per_unit = 1;  ///< [kg] in a mass unit of the stage

    /// SI value = stage value * factor(dimension). Degrees convert to radians whatever the lengths and masses.
    [[nodiscard]] double factor(Dimension dimension) const;
    /// Authored number to SI, and back for writing.
    [[nodiscard]] double to_si(double value, Dimension dimension) const { return value * factor(dimension); }
    [[nodiscard]] double from_si(double value, Dimension dimension) const { return value / factor(dimension); }
    bool                 operator==(const UnitScale&) const = default;
};

}  // namespace mechane::physics
