// MuJoCo actuators as drives: an MjcActuator whose gains are those of <position> or <velocity> sets stiffness and
// damping of its joint's dof. Others stay as custom attributes only.
// Called once joints exist; gains are per radian or metre already, as MuJoCo has them.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "axis_drive.h"
#include "import.h"

namespace mechane::importer {
namespace {

/// The axis of the imported joint that a joint prim stands for, or null for joints with another number of degrees of
/// freedom.
model::JointDofConfig* axis_of(Import& run, const usd::Path& path)
{
    const physics::Index source = run.physics.joint_at(path);
    if (source == physics::kNone || run.joint_of[static_cast<std::size_t>(source)] < 0) return nullptr;
    model::BuilderJoint& joint =
        run.builder.joints[static_cast<std::size_t>(run.joint_of[static_cast<std::size_t>(source)])];
    if (const auto merged = run.merged_axis.find(source); merged != run.merged_axis.end())
        return &(merged->second.first ? joint.angular_axes : joint.linear_axes)[merged->second.second];
    if (joint.type == model::JointType::revolute) return &joint.angular_axes.front();
    if (joint.type == model::JointType::prismatic) return &joint.linear_axes.front();
    return nullptr;
}

/// Whether an axis that a joint prim became turns.
bool is_angular(const Import& run, const usd::Path& joint, const model::JointDofConfig* dof)
{
    const physics::Index source = run.physics.joint_at(joint);
    const auto& made = run.builder.joints[static_cast<std::size_t>(run.joint_of[static_cast<std::size_t>(source)])];
    return std::ranges::any_of(made.angular_axes, [&](const model::JointDofConfig& axis) { return &axis == dof; });
}

/// A joint that servos drive: its own drive as it was before them.
struct Driven {
    const model::JointDofConfig* dof;
    usd::Prim                    servo;  ///< the first
    usd::Path                    joint;
    resolve::AxisDrive           own;
    resolve::ServoSum            sum{};
};

/// Servos take the place of a drive that says something else. What conversions write beside servos says the same.
void tell_replaced(Import& run, const Driven& driven, const resolve::AxisDrive& now)
{
    const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-5 * std::max(std::abs(a), std::abs(b)); };
    if (driven.own.stiffness + driven.own.damping == 0 ||
        (same(driven.own.stiffness, now.stiffness) && same(driven.own.damping, now.damping)))
        return;
    const usd::Prim& joint = run.joint(run.physics.joint_at(driven.joint)).prim;
    run.found.add(
        codes::kServoReplaces, driven.servo.site(),
        fmt::format("servos of MuJoCo take the place of the drive of {}: stiffness {:.6g} instead of {:.6g}, "
                    "damping {:.6g} instead of {:.6g}",
                    driven.joint.text(), now.stiffness, driven.own.stiffness, now.damping, driven.own.damping));
    if (!run.log) return;
    for (const char* kind : {"angular", "linear", "transX", "transY", "transZ", "rotX", "rotY", "rotZ"})
        for (const char* gain : {"stiffness", "damping"}) {
            const std::string name = fmt::format("drive:{}:physics:{}", kind, gain);
            if (joint.attribute(name).authored())
                run.log->correct(
                    joint, usd::Token(name), physics::Use::overridden,
                    fmt::format("the servo {} of MuJoCo takes the place of the drive", driven.servo.path().text()));
        }
}

}  // namespace

void add_actuators(Import& run)
{
    if (!run.resolvers.has("mjc")) return;
    std::vector<Driven> driven;
    for (const usd::Prim& prim : run.stage.traverse()) {
        if (prim.type_name() != usd::Token("MjcActuator") || run.ignored(prim.path())) continue;
        const std::vector<usd::Path> targets = prim.relationship("mjc:target").targets();
        model::JointDofConfig*       dof     = targets.empty() ? nullptr : axis_of(run, targets.front());
        if (dof == nullptr) continue;
        const auto servo = resolve::mjc_servo(prim, run.context, is_angular(run, targets.front(), dof));
        if (!servo) continue;
        for (const char* name :
             {"mjc:target", "mjc:gainPrm", "mjc:biasPrm", "mjc:gainType", "mjc:biasType", "mjc:dynType", "mjc:gear"})
            run.took(prim, name, physics::Use::used,
                     servo->position ? "a position servo becomes the joint's drive"
                                     : "a velocity servo becomes the joint's drive");
        if (servo->max_force)
            for (const char* name : {"mjc:forceRange:min", "mjc:forceRange:max"})
                run.took(prim, name, physics::Use::converted, "the larger magnitude bounds the drive's force");
        resolve::AxisDrive drive = axis_drive(*dof);
        auto               known = std::ranges::find(driven, dof, &Driven::dof);
        if (known == driven.end()) known = driven.insert(known, {dof, prim, targets.front(), drive});
        resolve::add(drive, *servo, run.context, known->sum);
        set_drive(*dof, drive);
        run.servos.insert(prim.path());
        ++run.result.actuator_count;
    }
    if (!run.conventions.servos_replace_each_other)
        for (const Driven& one : driven) tell_replaced(run, one, axis_drive(*one.dof));
    if (run.conventions.own_actuators_counted)
        run.result.actuator_count = 0;  // there it counts Newton's own actuator prims
}

}  // namespace mechane::importer
