// Newton's own actuator prims (NewtonActuator): recorded in the result; a proportional-derivative law with at most a
// bound of effort becomes part of the joint's drive. Gains are authored in stage units, per radian, and leave in SI.
//
// What such an actuator says beyond a drive (integral term, delay, lookup) is recorded for whoever implements it; the
// joint is then not driven by it, and a finding says so.

#include <fmt/format.h>

#include <array>
#include <utility>

#include "axis_drive.h"
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
    // A joint that became one axis of a D6 has no axis of its own that could be driven here.
    if (run.merged_axis.count(source) != 0) return nullptr;
    model::BuilderJoint& joint =
        run.builder.joints[static_cast<std::size_t>(run.joint_of[static_cast<std::size_t>(source)])];
    if (joint.type == model::JointType::revolute) return &joint.angular_axes.front();
    if (joint.type == model::JointType::prismatic) return &joint.linear_axes.front();
    return nullptr;
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
    resolve::NewtonActuator said         = resolve::newton_actuator(prim);
    const usd::Relationship relationship = prim.relationship("newton:targets");
    const auto&             targets      = said.targets;
    const std::string       path         = prim.path().text();
    // Every attribute that is there is noted as ignored, with the reason.
    const auto ignore_all = [&](const std::string& reason) {
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

    // Exactly one law: two would need an order.
    if (const int laws = int(said.pd) + int(said.pid) + int(said.neural); laws != 1)
        return refuse(codes::kActControl, prim.site(),
                      fmt::format("{} control schemas are applied, expected one", laws));
    if (said.neural) return refuse(codes::kActControl, prim.site(), "neural controllers are not supported");

    // Efforts are forces or torques, gains efforts per distance or radian.
    const resolve::ActuatorUnits units =
        resolve::actuator_units(run.context, run.joint(joint).kind == physics::JointKind::revolute);
    resolve::to_si(said, units);
    ImportedActuator actuator;
    actuator.path         = path;
    actuator.joint        = run.joint_of[static_cast<std::size_t>(joint)];
    actuator.control      = said.pd ? "pd" : "pid";
    actuator.kp           = said.kp;
    actuator.kd           = said.kd;
    actuator.ki           = said.ki;
    actuator.const_effort = said.const_effort;
    actuator.integral_max = said.integral_max;
    // Optional numbers stand for "not said".
    if (said.bounded) actuator.max_effort = said.max_effort;
    if (said.delayed) actuator.delay_steps = said.delay_steps;
    actuator.is_drive = said.obstacle == nullptr && !run.conventions.actuators_recorded_only;
    if (actuator.is_drive) {
        resolve::AxisDrive drive = axis_drive(*axis);
        resolve::add(drive, said);
        set_drive(*axis, drive);
        // The ledger says whether a value was used as it is or changed its unit.
        const Use gain   = units.stiffness == 1 ? Use::used : Use::converted,
                  effort = units.force == 1 ? Use::used : Use::converted;
        for (const auto& [name, use] :
             {std::pair{"newton:targets", Use::used}, std::pair{"newton:kp", gain}, std::pair{"newton:kd", gain},
              std::pair{"newton:ki", gain}, std::pair{"newton:constEffort", effort}})
            run.took(prim, name, use, "part of the drive of its joint");
        if (said.bounded) run.took(prim, "newton:maxEffort", effort, "bounds the drive of its joint");
    } else {
        ignore_all(said.obstacle != nullptr ? said.obstacle : "it is recorded only");
        if (said.obstacle != nullptr)
            run.found.add(codes::kActControl, prim.site(), fmt::format("{}: {}", path, said.obstacle),
                          "It is recorded in the result; the joint is not driven by it.");
    }
    run.result.actuators.push_back(std::move(actuator));
}

}  // namespace

// Newton imports actuators only with its resolver; some conventions read them always.
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

/// Where each actuator acts in the model's arrays: sums over the joints before it.
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
