// Prims of actuators as drives of the joints that they name, by the reading that simulations use
// (mechane/resolve/actuators.h). MuJoCo's own prims go on into MJCF beside it (stage_extras.cpp).

#include <fmt/format.h>

#include <cmath>

#include "exporter/stage_reader.h"
#include "mechane/resolve/actuators.h"

namespace mechane::exporter {
namespace {

using resolve::AxisDrive;

AxisDrive drive_of(const sf::Dof& dof)
{
    if (!dof.drive) return {};
    const sf::Drive& d = *dof.drive;
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
    const bool one   = joint.kind == sf::Joint::Kind::revolute || joint.kind == sf::Joint::Kind::prismatic;
    return one && joint.dofs.size() == 1 ? &joint.dofs.front() : nullptr;
}

double StageReader::vendor_factor(const usd::Prim& prim, const std::string& name, std::size_t element) const
{
    const auto starts = [&](const char* start) { return name.starts_with(start); };
    const auto of     = [&](resolve::Unit what, bool angular) {
        return resolve::factor(what, context.scale, angular ? resolve::Motion::angular : resolve::Motion::linear);
    };
    if (prim.type_name() == usd::Token("MjcActuator")) {
        const auto targets = prim.relationship("mjc:target").targets();
        const auto joint   = targets.empty() ? joints.end() : joints.find(targets.front());
        const bool angular = joint != joints.end() && !tree.joints[at(joint->second)].dofs.empty() &&
                             tree.joints[at(joint->second)].dofs.front().angular;
        const auto list    = [&](const char* which) {
            auto values = prim.attribute(which).get_or<std::vector<double>>({});
            values.resize(3);
            return values;
        };
        const resolve::ActuatorUnits units = resolve::actuator_units(context, angular);
        const auto                   gain = list("mjc:gainPrm"), bias = list("mjc:biasPrm");
        const bool                   servo = resolve::is_servo_gain(gain[0], bias[1], bias[2]);
        if (starts("mjc:forceRange")) return units.force;
        if (starts("mjc:ctrlRange")) return units.command(servo);
        const auto word = [&](const char* which, const char* otherwise) {
            return prim.attribute(which).get_or<std::string>(otherwise);
        };
        if (starts("mjc:gainPrm")) {
            // Those of a muscle are told in lengths of the muscle and one force.
            if (word("mjc:gainType", "fixed") == "muscle") return 1;
            return element == 0 ? units.gain(servo) : element < 3 ? units.stiffness : 1;
        }
        if (starts("mjc:biasPrm") && word("mjc:biasType", "none") == "affine")
            // A positive b2 is a ratio of damping, without a unit.
            return element == 0 ? units.force : element == 1 || (element == 2 && bias[2] <= 0) ? units.stiffness : 1;
        return 1;
    }
    const bool tendon = prim.type_name() == usd::Token("MjcTendon");
    if (tendon || prim.is_a("PhysicsJoint")) {
        const bool angular = !tendon && !prim.is_a("PhysicsPrismaticJoint");
        if (name == "mjc:stiffness" || (tendon && name == "mjc:damping"))
            return of(resolve::Unit::stiffness_rad, angular);
        if (starts("mjc:actuatorfrcrange") || (tendon && name == "mjc:frictionloss"))
            return of(resolve::Unit::force_or_torque, angular);
        if (tendon && name == "mjc:armature") return of(resolve::Unit::mass_or_inertia, false);
        const bool place = name == "mjc:margin" || (tendon && (starts("mjc:range") || name == "mjc:springlength")) ||
                           (!tendon && (name == "mjc:springref" || name == "mjc:ref"));
        return place && !angular ? unit : 1;
    }
    return name == "mjc:margin" || name == "mjc:gap" ? unit : 1;
}

void StageReader::actuators()
{
    const auto set = [&](sf::Dof& dof, const AxisDrive& drive, const usd::Prim& prim) {
        if (!dof.drive) dof.drive.emplace();
        dof.drive->stiffness = drive.stiffness, dof.drive->damping = drive.damping;
        dof.drive->max_force = drive.max_force;
        dof.drive->place     = place(prim.site());
    };
    std::vector<usd::Prim> newton;  // which add to what MuJoCo's say
    for (const usd::Prim& prim : stage.traverse()) {
        if (prim.type_name() == usd::Token("NewtonActuator")) newton.push_back(prim);
        if (prim.type_name() != usd::Token("MjcActuator")) continue;
        sf::Dof* dof = driven_axis(prim.relationship("mjc:target").targets());
        if (dof == nullptr) continue;
        if (const auto servo = resolve::mjc_servo(prim, context, dof->angular)) {
            AxisDrive drive = drive_of(*dof);
            resolve::add(drive, *servo);
            set(*dof, drive, prim);
        }
    }
    for (const usd::Prim& prim : newton) {
        const resolve::NewtonActuator said = resolve::newton_actuator(prim);
        sf::Dof*                      dof  = driven_axis(said.targets);
        if (dof == nullptr || !said.one_law() || said.obstacle != nullptr) {
            lose("actuator", Severity::warning, sf::LossAction::dropped, "actuation", prim.site(),
                 fmt::format("actuator '{}'", prim.name().text()), fmt::format("kp {}, kd {}", said.kp, said.kd), {},
                 dof == nullptr             ? "it drives no joint of one axis"
                 : said.obstacle != nullptr ? said.obstacle
                                            : "its law is none that is simulated");
            continue;
        }
        AxisDrive drive = drive_of(*dof);
        resolve::add(drive, said);
        set(*dof, drive, prim);
    }
}

}  // namespace mechane::exporter
