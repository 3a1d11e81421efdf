// Newton's own actuator prims (NewtonActuator): recorded in the result; a proportional-derivative law with at most a
// bound of effort becomes part of the joint's drive. Gains are authored in stage units, per radian, and leave in SI.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "actuator_units.h"
#include "import.h"
#include "mechane/model/joint_table.h"
#include "mechane/usd/start_value.h"

namespace mechane::importer {
namespace {

using physics::Use;

/// The axis that a target joint moves along or about; null for everything but hinges and sliders of their own.
model::JointDofConfig* axis_of(Import& run, physics::Index source)
{
    if (source == physics::kNone || run.joint_of[static_cast<std::size_t>(source)] < 0) return nullptr;
    if (run.merged_axis.count(source) != 0) return nullptr;
    model::BuilderJoint& joint =
        run.builder.joints[static_cast<std::size_t>(run.joint_of[static_cast<std::size_t>(source)])];
    if (joint.type == model::JointType::revolute) return &joint.angular_axes.front();
    if (joint.type == model::JointType::prismatic) return &joint.linear_axes.front();
    return nullptr;
}

double number(const usd::Prim& prim, const char* name, double otherwise)
{
    const double x = usd::start_or<double>(prim.attribute(name), otherwise);
    return std::isnan(x) ? otherwise : x;
}

constexpr std::array kProperties{"newton:targets",
                                 "newton:kp",
                                 "newton:kd",
                                 "newton:ki",
                                 "newton:constEffort",
                                 "newton:integralMax",
                                 "newton:maxEffort",
                                 "newton:maxMotorEffort",
                                 "newton:saturationEffort",
                                 "newton:velocityLimit",
                                 "newton:lookupPositions",
                                 "newton:lookupEfforts",
                                 "newton:delaySteps",
                                 "newton:modelPath"};

void add_actuator(Import& run, const usd::Prim& prim)
{
    const usd::Relationship      relationship = prim.relationship("newton:targets");
    const std::vector<usd::Path> targets      = relationship.targets();
    const std::string            path         = prim.path().text();
    const auto                   ignore_all   = [&](const std::string& reason) {
        for (const char* name : kProperties)
            if (prim.attribute(name).authored() || prim.relationship(name).authored())
                run.took(prim, name, Use::ignored, reason);
    };
    const auto refuse = [&](const Code& code, const Site& site, const std::string& reason) {
        ignore_all(reason);
        run.refuse(code, site, fmt::format("{}: {}", path, reason));
    };
    if (targets.empty()) return refuse(codes::kActTarget, prim.site(), "it names no joint");
    const physics::Index   joint = run.physics.joint_at(targets.front());
    model::JointDofConfig* axis  = axis_of(run, joint);
    if (axis == nullptr)
        return refuse(codes::kActTarget, relationship.site(),
                      fmt::format("<{}> is not an imported hinge or slider", targets.front().text()));
    if (targets.size() > 1)
        run.found.add(codes::kActMultiTarget, relationship.site(),
                      fmt::format("{} names {} joints; the first is driven", path, targets.size()));

    const bool pd = prim.has_api("NewtonPDControlAPI"), pid = prim.has_api("NewtonPIDControlAPI"),
               neural = prim.has_api("NewtonNeuralControlAPI");
    if (int(pd) + int(pid) + int(neural) != 1)
        return refuse(codes::kActControl, prim.site(),
                      fmt::format("{} control schemas are applied, expected one", int(pd) + int(pid) + int(neural)));
    if (neural) return refuse(codes::kActControl, prim.site(), "neural controllers are not supported");

    ImportedActuator actuator;
    actuator.path    = path;
    actuator.joint   = run.joint_of[static_cast<std::size_t>(joint)];
    actuator.control = pd ? "pd" : "pid";
    // Efforts are forces or torques, gains efforts per distance or radian.
    const ActuatorUnits units = actuator_units(run, run.joint(joint).kind == physics::JointKind::revolute);
    actuator.kp               = units.stiffness * number(prim, "newton:kp", 0);
    actuator.kd               = units.stiffness * number(prim, "newton:kd", 0);
    actuator.ki               = pid ? units.stiffness * number(prim, "newton:ki", 0) : 0;
    actuator.const_effort     = units.force * number(prim, "newton:constEffort", 0);
    actuator.integral_max     = pid ? units.coordinate * number(prim, "newton:integralMax", kInfinity) : kInfinity;
    const bool bounded        = prim.has_api("NewtonMaxEffortClampingAPI");
    if (bounded) actuator.max_effort = std::abs(units.force * number(prim, "newton:maxEffort", kInfinity));
    const bool delayed = prim.has_api("NewtonActuatorDelayAPI");
    if (delayed) actuator.delay_steps = static_cast<int>(number(prim, "newton:delaySteps", 1));
    const bool motor = prim.has_api("NewtonDCMotorClampingAPI"), table = prim.has_api("NewtonPositionBasedClampingAPI");

    // A proportional-derivative law with a bound is what the joint's drive does.
    const char* obstacle = pid && actuator.ki != 0      ? "the integral part of a controller is not simulated"
                           : delayed                    ? "delays of actuators are not simulated"
                           : motor || table             ? "this bound of the effort is not simulated"
                           : actuator.const_effort != 0 ? "a constant effort is not simulated"
                                                        : nullptr;
    actuator.is_drive    = obstacle == nullptr && !run.conventions.actuators_recorded_only;
    if (actuator.is_drive) {
        // Several actuators on one joint add.
        axis->target_ke += actuator.kp;
        axis->target_kd += actuator.kd;
        if (bounded) axis->effort_limit = std::min(axis->effort_limit, actuator.max_effort);
        if (!axis->actuator_mode || *axis->actuator_mode == model::TargetMode::none)
            axis->actuator_mode = actuator.kp != 0   ? model::TargetMode::position
                                  : actuator.kd != 0 ? model::TargetMode::velocity
                                                     : model::TargetMode::effort;
        const Use gain   = units.stiffness == 1 ? Use::used : Use::converted,
                  effort = units.force == 1 ? Use::used : Use::converted;
        for (const auto& [name, use] :
             {std::pair{"newton:targets", Use::used}, std::pair{"newton:kp", gain}, std::pair{"newton:kd", gain},
              std::pair{"newton:ki", gain}, std::pair{"newton:constEffort", effort}})
            run.took(prim, name, use, "part of the drive of its joint");
        if (bounded) run.took(prim, "newton:maxEffort", effort, "bounds the drive of its joint");
    } else {
        ignore_all(obstacle != nullptr ? obstacle : "it is recorded only");
        if (obstacle != nullptr)
            run.found.add(codes::kActControl, prim.site(), fmt::format("{}: {}", path, obstacle),
                          "It is recorded in the result; the joint is not driven by it.");
    }
    run.result.actuators.push_back(std::move(actuator));
}

}  // namespace

void add_newton_actuators(Import& run)
{
    if (!run.resolvers.has("newton") && !run.conventions.actuators_without_resolver) return;
    static const usd::Token kType("NewtonActuator");
    for (const usd::Prim& prim : run.stage.traverse())
        if (prim.type_name() == kType && !run.ignored(prim.path())) {
            add_actuator(run, prim);
            if (run.fatal) return;
        }
    run.result.actuator_count += static_cast<std::int32_t>(run.result.actuators.size());
}

void number_actuators(Import& run)
{
    std::vector<std::int32_t> dofs{0}, coords{0};
    for (const model::BuilderJoint& j : run.builder.joints) {
        const auto& info = model::joint_type_info(j.type);
        const auto  axes = static_cast<std::int32_t>(j.linear_axes.size() + j.angular_axes.size());
        dofs.push_back(dofs.back() + (info.dofs >= 0 ? info.dofs : axes));
        coords.push_back(coords.back() + (info.coords >= 0 ? info.coords : axes));
    }
    for (ImportedActuator& actuator : run.result.actuators) {
        if (run.result.collapse_results)
            actuator.joint = run.result.collapse_results->joint_remap[static_cast<std::size_t>(actuator.joint)];
        // The joint was left out with the bodies that it joined: they are one now, which has been reported.
        if (actuator.joint < 0) continue;
        actuator.dof   = dofs[static_cast<std::size_t>(actuator.joint)];
        actuator.coord = coords[static_cast<std::size_t>(actuator.joint)];
    }
}

}  // namespace mechane::importer
