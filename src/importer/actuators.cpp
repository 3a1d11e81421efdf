// MuJoCo actuators as drives: an MjcActuator whose gains are those of <position> or <velocity> sets stiffness and
// damping of its joint's dof. Others stay as custom attributes only.
// Called once joints exist; gains are per radian or metre already, as MuJoCo has them.

#include <algorithm>

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

}  // namespace

void add_actuators(Import& run)
{
    if (!run.resolvers.has("mjc")) return;
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
        resolve::add(drive, *servo);
        set_drive(*dof, drive);
        ++run.result.actuator_count;
    }
    if (run.conventions.own_actuators_counted)
        run.result.actuator_count = 0;  // there it counts Newton's own actuator prims
}

}  // namespace mechane::importer
