// MuJoCo actuators as drives: an MjcActuator whose gains are those of <position> or <velocity> sets stiffness and
// damping of its joint's dof. Others stay as custom attributes only.
// Called once joints exist; gains are per radian or metre already, as MuJoCo has them.

#include <algorithm>
#include <cmath>

#include "import.h"
#include "mechane/resolve/mujoco_units.h"

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

/// Gains of an actuator that MuJoCo's compiler has expanded from <position> or <velocity>: force = gain u + bias (1, q,
/// qd).
struct Servo {
    bool   position = true;
    double kp = 0, kv = 0;
};
std::optional<Servo> servo_of(const usd::Prim& prim)
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
    if (!resolve::same_gain(gear[0], 1) ||
        std::any_of(gear.begin() + 1, gear.end(), [](double g) { return !resolve::same_gain(g, 0); }))
        return std::nullopt;
    const auto   gain = numbers("mjc:gainPrm", {1, 0, 0}), bias = numbers("mjc:biasPrm", {0, 0, 0});
    const double k = gain[0];
    if (!(k > 0) || !resolve::same_gain(bias[0], 0)) return std::nullopt;
    // A positive velocity term is a damping ratio that the compiler has not resolved.
    // force = k u - k q - kv qd: the servo u -> q. With a zero position term it is k (u - qd).
    if (resolve::same_gain(bias[1], -k) && bias[2] <= 0) return Servo{true, k, -bias[2]};
    if (resolve::same_gain(bias[1], 0) && resolve::same_gain(bias[2], -k)) return Servo{false, 0, k};
    return std::nullopt;
}

}  // namespace

void add_actuators(Import& run)
{
    using model::TargetMode;
    if (!run.resolvers.has("mjc")) return;
    for (const usd::Prim& prim : run.stage.traverse()) {
        if (prim.type_name() != usd::Token("MjcActuator") || run.ignored(prim.path())) continue;
        const std::vector<usd::Path> targets = prim.relationship("mjc:target").targets();
        const auto                   servo   = servo_of(prim);
        model::JointDofConfig*       dof     = targets.empty() ? nullptr : axis_of(run, targets.front());
        if (dof == nullptr || !servo) continue;
        for (const char* name :
             {"mjc:target", "mjc:gainPrm", "mjc:biasPrm", "mjc:gainType", "mjc:biasType", "mjc:dynType", "mjc:gear"})
            run.took(prim, name, physics::Use::used,
                     servo->position ? "a position servo becomes the joint's drive"
                                     : "a velocity servo becomes the joint's drive");
        const TargetMode mode = dof->actuator_mode.value_or(TargetMode::none);
        // Newton takes the numbers as they stand, and reads no range of forces.
        const physics::UnitScale scale =
            run.conventions.servo_force_range_unread ? physics::UnitScale{} : run.context.scale;
        const resolve::MujocoUnits units(run.stage, prim, is_angular(run, targets.front(), dof));
        const double gain = units.factor(scale, "mjc:gainPrm"), drag = units.factor(scale, "mjc:biasPrm", 2);
        if (servo->position) {
            dof->target_ke = gain * servo->kp;
            // A velocity servo on the joint has said the damping already.
            if (mode == TargetMode::none) dof->target_kd = drag * servo->kv;
        } else {
            dof->target_kd = drag * servo->kv;
        }
        const TargetMode own   = servo->position ? TargetMode::position : TargetMode::velocity;
        const TargetMode other = servo->position ? TargetMode::velocity : TargetMode::position;
        if (mode == TargetMode::none) dof->actuator_mode = own;
        if (mode == other) dof->actuator_mode = TargetMode::position_velocity;
        if (!run.conventions.servo_force_range_unread && prim.attribute("mjc:forceRange:max").authored()) {
            for (const char* name : {"mjc:forceRange:min", "mjc:forceRange:max"})
                run.took(prim, name, physics::Use::converted, "the larger magnitude bounds the drive's force");
            const double low  = prim.attribute("mjc:forceRange:min").get_or<double>(0),
                         high = prim.attribute("mjc:forceRange:max").get_or<double>(0);
            // A drive's limit is symmetric; the tighter of both limits holds.
            if (low < high)
                dof->effort_limit = std::min(dof->effort_limit, units.factor(scale, "mjc:forceRange:max") *
                                                                    std::max(std::abs(low), std::abs(high)));
        }
        ++run.result.actuator_count;
    }
    if (run.conventions.own_actuators_counted)
        run.result.actuator_count = 0;  // there it counts Newton's own actuator prims
}

}  // namespace mechane::importer
