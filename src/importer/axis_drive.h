#pragma once
#include "import.h"
#include "mechane/resolve/actuators.h"

namespace mechane::importer {

/// The drive of an axis of the model, to which actuators are added, and back.
inline resolve::AxisDrive axis_drive(const model::JointDofConfig& dof)
{
    using Command = resolve::AxisDrive::Command;
    using model::TargetMode;
    const auto command = [&] {
        switch (dof.actuator_mode.value_or(TargetMode::none)) {
            case TargetMode::none:
                return Command::none;
            case TargetMode::position:
                return Command::position;
            case TargetMode::velocity:
                return Command::velocity;
            case TargetMode::position_velocity:
                return Command::both;
            case TargetMode::effort:
                break;
        }
        return Command::effort;
    };
    return {dof.target_ke, dof.target_kd, dof.effort_limit, command()};
}
inline void set_drive(model::JointDofConfig& dof, const resolve::AxisDrive& drive)
{
    using model::TargetMode;
    constexpr TargetMode kModes[] = {TargetMode::none, TargetMode::position, TargetMode::velocity,
                                     TargetMode::position_velocity, TargetMode::effort};
    dof.target_ke                 = drive.stiffness;
    dof.target_kd                 = drive.damping;
    dof.effort_limit              = drive.max_force;
    dof.actuator_mode             = kModes[static_cast<std::size_t>(drive.command)];
}

}  // namespace mechane::importer
