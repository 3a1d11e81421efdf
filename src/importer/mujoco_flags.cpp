// Flags of MuJoCo on a scene that switch parts of the model off. MuJoCo's own back end reads them too; here they are
// taken out of the model, so that all solvers step the same one. Source: mjtDisableBit in MuJoCo's documentation
// ("option/flag").

#include "importer/mujoco_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "mechane/importer/codes.h"

namespace mechane::importer {
namespace {

constexpr std::string_view kFlag = "mjc:flag:", kConstraint = "constraint";
/// What the flag "constraint" switches off.
constexpr std::string_view kConstraints[] = {"contact", "equality", "limit", "frictionloss"};

/// Newton 1.8 keeps the flags for MuJoCo's own solver.
bool is_read(const Import& run)
{ return run.scene && run.resolvers.has("mjc") && !run.conventions.vendors_unread_silently; }

bool is_false(const Import& run, std::string_view flag)
{
    const usd::Attribute attribute = run.scene.attribute(std::string(kFlag) + std::string(flag));
    return attribute.authored() && attribute.get<bool>() == false;
}

/// The flag by which a part is off.
std::string_view flag_of(const Import& run, std::string_view part) { return is_false(run, part) ? part : kConstraint; }

/// Says what was taken out, and accounts for the flag.
void tell(Import& run, std::string_view part, std::size_t count, std::string_view what)
{
    const std::string name = std::string(kFlag) + std::string(flag_of(run, part));
    run.took(run.scene, name, physics::Use::used);
    if (count > 0)
        run.found.add(codes::kMujocoFlag, run.scene.attribute(name).site(),
                      fmt::format("{} = false takes {} out of the model ({})", name, what, count));
}

/// Of a part that is off: takes it out of every degree of freedom of this import.
template <class Take>
void take_from_dofs(Import& run, std::string_view part, std::string_view what, const Take& take)
{
    if (!switched_off(run, part)) return;
    std::size_t count = 0;
    for (std::size_t j = run.first_joint; j < run.builder.joints.size(); ++j) {
        model::BuilderJoint& joint = run.builder.joints[j];
        for (auto* axes : {&joint.linear_axes, &joint.angular_axes})
            for (model::JointDofConfig& axis : *axes) count += take(axis) ? 1 : 0;
    }
    tell(run, part, count, what);
}

}  // namespace

bool switched_off(const Import& run, std::string_view part)
{
    if (!is_read(run)) return false;
    const bool constraint = std::ranges::find(kConstraints, part) != std::end(kConstraints);
    return is_false(run, part) || (constraint && is_false(run, kConstraint));
}

void apply_mujoco_flags(Import& run, std::size_t first_shape)
{
    if (!is_read(run)) return;
    using Axis = model::JointDofConfig;
    if (switched_off(run, "contact")) {
        std::size_t count = 0;
        for (std::size_t i = first_shape; i < run.builder.shapes.size(); ++i) {
            std::int32_t& flags = run.builder.shapes[i].flags;
            count += (flags & model::shape_flag::collide_shapes) != 0 ? 1 : 0;
            flags &= ~(model::shape_flag::collide_shapes | model::shape_flag::collide_particles);
        }
        tell(run, "contact", count, "contacts of shapes");
    }
    if (switched_off(run, "equality"))
        tell(run, "equality",
             static_cast<std::size_t>(std::ranges::count_if(run.physics.joints,
                                                            [](const physics::Joint& joint) {
                                                                return joint.prim.has_api("MjcEqualityConnectAPI") ||
                                                                       joint.prim.has_api("MjcEqualityWeldAPI");
                                                            })),
             "equalities of joints");
    take_from_dofs(run, "limit", "limits of joints", [](Axis& axis) {
        const bool some  = axis.limit_lower > -model::kMaxValue || axis.limit_upper < model::kMaxValue;
        axis.limit_lower = -model::kMaxValue, axis.limit_upper = model::kMaxValue;
        return some;
    });
    take_from_dofs(run, "frictionloss", "friction of joints",
                   [](Axis& axis) { return std::exchange(axis.friction, 0.0) > 0; });
    take_from_dofs(run, "spring", "springs of joints",
                   [](Axis& axis) { return std::exchange(axis.stiffness, 0.0) != 0; });
    take_from_dofs(run, "damper", "damping of joints",
                   [](Axis& axis) { return std::exchange(axis.damping, 0.0) != 0; });
    take_from_dofs(run, "actuation", "drives of joints", [](Axis& axis) {
        const bool some = axis.target_ke != 0 || axis.target_kd != 0;
        axis.target_ke = axis.target_kd = 0;
        return some;
    });
}

}  // namespace mechane::importer
