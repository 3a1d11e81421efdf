#pragma once
#include <optional>
#include <vector>

#include "mechane/resolve/resolver.h"
#include "mechane/usd/path.h"

/// What prims of actuators say of the joints they name: one reading for simulations and for robots of other formats.
namespace mechane::resolve {

/// Factors that take efforts, gains and coordinates of a joint's axis from the stage's units to SI.
struct ActuatorUnits {
    double force      = 1;  ///< forces, of a hinge torques
    double stiffness  = 1;  ///< of them to a length or a radian, or to their rates
    double coordinate = 1;  ///< lengths; angles are radians
};
/// @param angular  of a hinge; else along a slide or a tendon
ActuatorUnits actuator_units(const Context& context, bool angular);

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
/// What the servos on one joint have said so far.
struct ServoSum {
    int    count     = 0;
    double own_force = kInfinity;  ///< bound of the drive without them
    double force     = 0;          ///< sum of their bounds
};
/// Several servos on one joint add, in the place of the joint's own drive, as their forces do in MuJoCo.
/// @param sum  of the servos before it on this joint; it is counted in
void add(AxisDrive& drive, const MjcServo& servo, const Context& context, ServoSum& sum);

/// A NewtonActuator as authored: gains are per length unit, or per radian.
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
void           to_si(NewtonActuator& actuator, const ActuatorUnits& units);
/// Several actuators on one joint add.
void add(AxisDrive& drive, const NewtonActuator& actuator);

}  // namespace mechane::resolve
