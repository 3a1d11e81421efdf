#pragma once
#include <cmath>

#include "import.h"

namespace mechane::importer {

/// Equal as far as single precision and text with few digits tell.
inline bool is_close(double a, double b) { return std::abs(a - b) <= 1e-8 + 1e-5 * std::abs(b); }

/// Factors that take the numbers of an MjcActuator from the stage's units to SI. MuJoCo's law is
/// force = gain u + b0 + b1 q + b2 qd, with the joint's force (or torque) and coordinate; u is a coordinate or its rate
/// where the gain is that of a servo, else a bare number.
struct ActuatorUnits {
    double force      = 1;  ///< of the force range and of b0
    double stiffness  = 1;  ///< of b1 and b2
    double coordinate = 1;  ///< of the range of a servo's u

    /// Of the gain and of the range of u.
    [[nodiscard]] double gain(bool servo) const { return servo ? stiffness : force; }
    [[nodiscard]] double command(bool servo) const { return servo ? coordinate : 1; }
};

/// @param angular  of a hinge; else along a slide or a tendon
inline ActuatorUnits actuator_units(const Import& run, bool angular)
{
    // Newton takes the numbers as they stand, and reads no range of forces.
    if (run.conventions.servo_force_range_unread) return {};
    const auto motion = angular ? resolve::Motion::angular : resolve::Motion::linear;
    const auto of     = [&](resolve::Unit unit) { return resolve::factor(unit, run.context.scale, motion); };
    return {of(resolve::Unit::force_or_torque), of(resolve::Unit::stiffness_rad), angular ? 1 : run.length()};
}

/// Whether the gain of an actuator is that of a servo: the control is a coordinate, or its rate.
inline bool is_servo_gain(double gain, double b1, double b2)
{
    const auto opposite = [&](double b) { return b != 0 && is_close(gain, -b); };
    return gain != 0 && (opposite(b1) || (b1 == 0 && opposite(b2)));
}

}  // namespace mechane::importer
