#pragma once
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "mechane/resolve/resolver.h"
#include "mechane/usd/path.h"

/// What prims of actuators say of the joints they name: one reading for simulations and for robots of other formats.
namespace mechane::resolve {

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
ActuatorUnits actuator_units(const Context& context, bool angular);
/// Whether the gain of an actuator is that of a servo: the control is a coordinate, or its rate.
bool is_servo_gain(double gain, double b1, double b2);

/// The drive of one axis, as its joint and the actuators on it say it together [SI, radians].
struct AxisDrive {
    enum class Command { none, position, velocity, both, effort };
    double  stiffness = 0, damping = 0, max_force = kInfinity;
    Command command = Command::none;
};

/// An MjcActuator whose gains are those of <position> or <velocity>: force = stiffness (u - q) - damping qd, or
/// damping (u - qd) [SI, radians].
struct MjcServo {
    bool                  position  = true;
    double                stiffness = 0, damping = 0;
    std::optional<double> max_force;  ///< a drive's limit is symmetric: the larger magnitude of the range
};
/// Nothing for actuators of any other law, which are no drives.
std::optional<MjcServo> mjc_servo(const usd::Prim& prim, const Context& context, bool angular);
void                    add(AxisDrive& drive, const MjcServo& servo);

/// A NewtonActuator as authored; gains are SI, per radian.
struct NewtonActuator {
    std::vector<usd::Path> targets;
    bool                   pd = false, pid = false, neural = false;  ///< control schemas that are applied
    double                 kp = 0, kd = 0, ki = 0, const_effort = 0;
    double                 integral_max = kInfinity, max_effort = kInfinity;
    bool                   bounded = false, delayed = false;
    int                    delay_steps = 0;
    const char*            obstacle    = nullptr;  ///< why it is more than the drive of a joint; null: it is one

    /// Whether exactly one law is said, and one that can be read.
    [[nodiscard]] bool one_law() const { return int(pd) + int(pid) + int(neural) == 1 && !neural; }
};
NewtonActuator newton_actuator(const usd::Prim& prim);
/// Several actuators on one joint add.
void add(AxisDrive& drive, const NewtonActuator& actuator);

}  // namespace mechane::resolve
