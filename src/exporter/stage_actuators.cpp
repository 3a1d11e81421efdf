// Prims of actuators as drives of the joints that they name, by the reading that simulations use
// (mechane/resolve/actuators.h). MuJoCo's own prims go on into MJCF beside it (stage_extras.cpp).
//
// MuJoCo's servos come first, since Newton's actuators are added to what is there.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "exporter/stage_reader.h"
#include "mechane/resolve/actuators.h"

namespace mechane::exporter {
namespace {

using resolve::AxisDrive;

AxisDrive drive_of(const sf::Dof& dof)
{
    if (!dof.drive) return {};
    const sf::Drive& d = *dof.drive;
    // Which command a drive takes follows from its gains.
    return {d.stiffness, d.damping, d.max_force,
            d.stiffness != 0 ? AxisDrive::Command::position
            : d.damping != 0 ? AxisDrive::Command::velocity
                             : AxisDrive::Command::effort};
}

}  // namespace

sf::Dof* StageReader::driven_axis(const std::vector<usd::Path>& targets)
{
    const auto named = targets.empty() ? joints.end() : joints.find(targets.front());
    if (named == joints.end()) return nullptr;
    sf::Joint& joint = tree.joints[at(named->second)];
    if (const auto axis = axes.find(targets.front()); axis != axes.end())
        return &*std::ranges::find(joint.dofs, axis->second, &sf::Dof::name);
    // Drives of the tree belong to joints of one axis.
    const bool one = joint.kind == sf::Joint::Kind::revolute || joint.kind == sf::Joint::Kind::prismatic;
    return one && joint.dofs.size() == 1 ? &joint.dofs.front() : nullptr;
}

void StageReader::actuators()
{
    const auto set = [&](sf::Dof& dof, const AxisDrive& drive, const usd::Prim& prim) {
        if (!dof.drive) dof.drive.emplace();
        dof.drive->stiffness = drive.stiffness, dof.drive->damping = drive.damping;
        dof.drive->max_force = drive.max_force;
        dof.drive->place     = place(prim.site());
    };
    std::vector<usd::Prim>   newton;  // which add to what MuJoCo's say
    std::map<const sf::Dof*, resolve::ServoSum> driven;
    for (const usd::Prim& prim : stage.traverse()) {
        if (prim.type_name() == usd::Token("NewtonActuator")) newton.push_back(prim);
        if (prim.type_name() != usd::Token("MjcActuator")) continue;
        sf::Dof* dof = driven_axis(prim.relationship("mjc:target").targets());
        if (dof == nullptr) continue;
        if (const auto servo = resolve::mjc_servo(prim, context, dof->angular)) {
            AxisDrive drive = drive_of(*dof);
            resolve::add(drive, *servo, context, driven[dof]);
            set(*dof, drive, prim);
        }
    }
    for (const usd::Prim& prim : newton) {
        resolve::NewtonActuator said = resolve::newton_actuator(prim);
        sf::Dof*                dof  = driven_axis(said.targets);
        if (dof == nullptr || !said.one_law() || said.obstacle != nullptr) {
            // What the simulation would leave out is told with the same reason.
            lose("actuator", Severity::warning, sf::LossAction::dropped, "actuation", prim.site(),
                 fmt::format("actuator '{}'", prim.name().text()), fmt::format("kp {}, kd {}", said.kp, said.kd), {},
                 dof == nullptr             ? "it drives no joint of one axis"
                 : said.obstacle != nullptr ? said.obstacle
                                            : "its law is none that is simulated");
            continue;
        }
        resolve::to_si(said, resolve::actuator_units(context, dof->angular));
        AxisDrive drive = drive_of(*dof);
        resolve::add(drive, said);
        set(*dof, drive, prim);
    }
}

}  // namespace mechane::exporter
