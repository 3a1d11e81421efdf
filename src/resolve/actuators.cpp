// Prims of actuators as drives: MuJoCo's servos take the place of the joint's own drive, Newton's
// proportional-derivative laws add to it. Several of either on one joint add.

#include "mechane/resolve/actuators.h"

#include <algorithm>
#include <cmath>

#include "mechane/resolve/mujoco_units.h"
#include "mechane/usd/start_value.h"

namespace mechane::resolve {

ActuatorUnits actuator_units(const Context& context, bool angular)
{
    // Newton takes the numbers as they stand, and reads no range of forces.
    if (context.rules.conventions.servo_force_range_unread) return {};
    const auto motion = angular ? Motion::angular : Motion::linear;
    const auto of     = [&](Unit unit) { return factor(unit, context.scale, motion); };
    return {of(Unit::force_or_torque), of(Unit::stiffness_rad),
            angular ? 1 : context.scale.factor(physics::Dimension::length)};
}

std::optional<MjcServo> mjc_servo(const usd::Prim& prim, const Context& context, bool angular)
{
    const auto word = [&](const char* name, const char* fallback) {
        return prim.attribute(name).get_or<std::string>(fallback);
    };
    const auto numbers = [&](const char* name, std::vector<double> fallback) {
        auto values = prim.attribute(name).get_or<std::vector<double>>(fallback);
        // Authored lists may be shorter than MuJoCo's.
        values.resize(std::max(values.size(), fallback.size()));
        return values;
    };
    if (word("mjc:biasType", "none") != "affine" || word("mjc:dynType", "none") != "none" ||
        word("mjc:gainType", "fixed") != "fixed")
        return std::nullopt;
    const auto gear = numbers("mjc:gear", {1, 0, 0, 0, 0, 0});
    // A gear other than 1 scales force and length; a drive has none.
    if (!same_gain(gear[0], 1) || std::any_of(gear.begin() + 1, gear.end(), [](double g) { return !same_gain(g, 0); }))
        return std::nullopt;
    const auto   gain = numbers("mjc:gainPrm", {1, 0, 0}), bias = numbers("mjc:biasPrm", {0, 0, 0});
    const double k = gain[0];
    if (!(k > 0) || !same_gain(bias[0], 0)) return std::nullopt;
    const ActuatorUnits units = actuator_units(context, angular);
    MjcServo            servo;
    // A positive velocity term is a damping ratio that the compiler has not resolved.
    // force = k u - k q - kv qd: the servo u -> q. With a zero position term it is k (u - qd).
    if (same_gain(bias[1], -k) && bias[2] <= 0)
        servo = {true, units.stiffness * k, units.stiffness * -bias[2], {}};
    else if (same_gain(bias[1], 0) && same_gain(bias[2], -k))
        servo = {false, 0, units.stiffness * k, {}};
    else
        return std::nullopt;
    if (!context.rules.conventions.servo_force_range_unread && prim.attribute("mjc:forceRange:max").authored()) {
        const double low  = prim.attribute("mjc:forceRange:min").get_or<double>(0),
                     high = prim.attribute("mjc:forceRange:max").get_or<double>(0);
        if (low < high) servo.max_force = units.force * std::max(std::abs(low), std::abs(high));
    }
    return servo;
}

void add(AxisDrive& drive, const MjcServo& servo, const Context& context, ServoSum& sum)
{
    using Command    = AxisDrive::Command;
    const bool first = sum.count++ == 0;
    if (!context.rules.conventions.servos_replace_each_other) {
        // Forces of actuators add: so do the gains of several servos, whose forces are k (u - q) - kv qd.
        if (first) {
            sum.own_force = drive.max_force;
            drive         = {0, 0, drive.max_force, Command::none};
        }
        drive.stiffness += servo.stiffness;
        drive.damping += servo.damping;
        const Command own = servo.position ? Command::position : Command::velocity;
        drive.command     = drive.command == Command::none || drive.command == own ? own : Command::both;
        // One without a bound leaves all of them without one.
        sum.force += servo.max_force.value_or(kInfinity);
        drive.max_force = std::min(sum.own_force, sum.force);
        return;
    }
    const Command command = drive.command;
    if (servo.position) {
        drive.stiffness = servo.stiffness;
        // A velocity servo on the joint has said the damping already.
        if (command == Command::none) drive.damping = servo.damping;
    } else {
        drive.damping = servo.damping;
    }
    const Command own   = servo.position ? Command::position : Command::velocity;
    const Command other = servo.position ? Command::velocity : Command::position;
    if (command == Command::none) drive.command = own;
    if (command == other) drive.command = Command::both;
    // The tighter of both limits holds.
    if (servo.max_force) drive.max_force = std::min(drive.max_force, *servo.max_force);
}

NewtonActuator newton_actuator(const usd::Prim& prim)
{
    const auto number = [&](const char* name, double otherwise) {
        const double x = usd::start_or<double>(prim.attribute(name), otherwise);
        return std::isnan(x) ? otherwise : x;
    };
    NewtonActuator out;
    out.targets = prim.relationship("newton:targets").targets();
    out.pd = prim.has_api("NewtonPDControlAPI"), out.pid = prim.has_api("NewtonPIDControlAPI"),
    out.neural       = prim.has_api("NewtonNeuralControlAPI");
    out.kp           = number("newton:kp", 0);
    out.kd           = number("newton:kd", 0);
    out.ki           = out.pid ? number("newton:ki", 0) : 0;
    out.const_effort = number("newton:constEffort", 0);
    out.integral_max = out.pid ? number("newton:integralMax", kInfinity) : kInfinity;
    out.bounded      = prim.has_api("NewtonMaxEffortClampingAPI");
    if (out.bounded) out.max_effort = std::abs(number("newton:maxEffort", kInfinity));
    out.delayed = prim.has_api("NewtonActuatorDelayAPI");
    if (out.delayed) out.delay_steps = static_cast<int>(number("newton:delaySteps", 1));
    const bool motor = prim.has_api("NewtonDCMotorClampingAPI"), table = prim.has_api("NewtonPositionBasedClampingAPI");
    // A proportional-derivative law with a bound is what the joint's drive does.
    out.obstacle = out.pid && out.ki != 0  ? "the integral part of a controller is not simulated"
                   : out.delayed           ? "delays of actuators are not simulated"
                   : motor || table        ? "this bound of the effort is not simulated"
                   : out.const_effort != 0 ? "a constant effort is not simulated"
                                           : nullptr;
    return out;
}

void to_si(NewtonActuator& actuator, const ActuatorUnits& units)
{
    for (double* gain : {&actuator.kp, &actuator.kd, &actuator.ki}) *gain *= units.stiffness;
    for (double* effort : {&actuator.const_effort, &actuator.max_effort}) *effort *= units.force;
    actuator.integral_max *= units.coordinate;
}

void add(AxisDrive& drive, const NewtonActuator& actuator)
{
    using Command = AxisDrive::Command;
    drive.stiffness += actuator.kp;
    drive.damping += actuator.kd;
    if (actuator.bounded) drive.max_force = std::min(drive.max_force, actuator.max_effort);
    if (drive.command == Command::none)
        drive.command = actuator.kp != 0 ? Command::position : actuator.kd != 0 ? Command::velocity : Command::effort;
}

}  // namespace mechane::resolve
