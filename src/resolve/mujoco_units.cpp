// Units of MuJoCo's actuators, tendons and constraints: powers of length and mass of each number, by its attribute.
// One table for all that converts units: the importer, exporters and the repair of a stage's units.

#include "mechane/resolve/mujoco_units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace mechane::resolve {
namespace {

using physics::UnitPowers;

constexpr UnitPowers kBare{}, kOfLength{.mass = 0, .length = 1}, kOfMass{.mass = 1, .length = 0},
    kOfForce{.mass = 1, .length = 1}, kOfTorque{.mass = 1, .length = 2};

/// Numbers as authored, behind them those of MuJoCo.
std::vector<double> mjc_list(const usd::Prim& prim, const char* name, std::vector<double> otherwise)
{
    const auto given = prim.attribute(name).get_or<std::vector<double>>({});
    for (std::size_t i = 0; i < std::min(given.size(), otherwise.size()); ++i) otherwise[i] = given[i];
    return otherwise;
}

std::string mjc_word(const usd::Prim& prim, const char* name, const char* otherwise)
{ return prim.attribute(name).get_or<std::string>(otherwise); }

bool is_any_joint(const usd::Prim& prim) { return prim && prim.is_a("PhysicsJoint"); }

/// Whether the coordinate of a joint is an angle; of one with several axes, what `axis` ("rotX:name") says.
bool joint_turns(const usd::Prim& joint, const std::string& axis)
{
    const std::string type = joint.type_name().text();
    if (type == "PhysicsRevoluteJoint" || type == "PhysicsSphericalJoint") return true;
    if (type != "PhysicsJoint") return false;
    const auto names = joint.metadata(usd::Token("customData:mechane:source:dofs")).get<std::vector<std::string>>();
    for (std::size_t k = 0; names && k < names->size(); ++k)
        if (const std::size_t colon = (*names)[k].find(':');
            colon != std::string::npos && (*names)[k].substr(colon + 1) == axis)
            return (*names)[k].substr((*names)[k].starts_with("-") ? 1 : 0).starts_with("rot");
    // With every way to slide locked only turns are left.
    return std::ranges::all_of(std::array{"transX", "transY", "transZ"}, [&](const char* dof) {
        const auto bound = [&](const char* side) {
            return joint.attribute("limit:" + std::string(dof) + ":physics:" + side).get<double>();
        };
        const auto low = bound("low"), high = bound("high");
        return low && high && *low >= *high;
    });
}

/// Whether the gain of an actuator is that of a servo: the control is a coordinate, or its rate.
bool is_servo_gain(double gain, double b1, double b2)
{
    const auto opposite = [&](double b) { return b != 0 && same_gain(gain, -b); };
    return gain != 0 && (opposite(b1) || (b1 == 0 && opposite(b2)));
}

}  // namespace

bool same_gain(double a, double b) { return std::abs(a - b) <= 1e-8 + 1e-5 * std::abs(b); }

MujocoUnits::MujocoUnits(const usd::Stage& stage, const usd::Prim& prim, std::optional<bool> angular)
{
    const std::string type = prim.type_name().text();
    if (type == "MjcTendon") {
        kind_               = Kind::tendon;
        spring_             = mjc_list(prim, "mjc:springlength", {-1, -1});
        const auto targets  = prim.relationship("mjc:path").targets();
        const auto order    = prim.attribute("mjc:path:indices").get_or<std::vector<double>>({});
        const auto dofs     = prim.attribute("mechane:source:dof").get_or<std::vector<std::string>>({});
        const auto how_many = order.empty() ? targets.size() : order.size();
        for (std::size_t k = 0; k < how_many; ++k) {
            const auto i  = order.empty() ? k : static_cast<std::size_t>(std::max(order[k], 0.0));
            const auto at = i < targets.size() ? stage.prim_at(targets[i]) : usd::Prim();
            path_turns_.push_back(is_any_joint(at) && joint_turns(at, k < dofs.size() ? dofs[k] : ""));
        }
    } else if (type == "MjcActuator") {
        kind_              = Kind::actuator;
        const auto targets = prim.relationship("mjc:target").targets();
        const auto at      = targets.empty() ? usd::Prim() : stage.prim_at(targets.front());
        turns_    = is_any_joint(at) && joint_turns(at, prim.attribute("mechane:source:dof").get_or<std::string>(""));
        in_space_ = at && !is_any_joint(at) && at.type_name().text() != "MjcTendon";
        bias_values_    = mjc_list(prim, "mjc:biasPrm", {0, 0, 0});
        const auto gain = mjc_list(prim, "mjc:gainPrm", {1, 0, 0});
        servo_          = is_servo_gain(gain[0], bias_values_[1], bias_values_[2]);
        muscle_         = mjc_word(prim, "mjc:gainType", "fixed") == "muscle";
        affine_         = mjc_word(prim, "mjc:gainType", "fixed") == "affine";
        bias_           = mjc_word(prim, "mjc:biasType", "none") == "affine";
    } else {
        // An equality of two joints couples coordinates of the follower, others hold points together.
        turns_ = is_any_joint(prim) && !prim.has_api("MjcEqualityConnectAPI") && !prim.has_api("MjcEqualityWeldAPI") &&
                 joint_turns(prim, "");
    }
    turns_ = angular.value_or(turns_);
}

UnitPowers MujocoUnits::of_actuator(std::string_view name, std::size_t element) const
{
    const UnitPowers force = turns_ ? kOfTorque : kOfForce, stiffness = turns_ ? kOfTorque : kOfMass,
                     coordinate = turns_ ? kBare : kOfLength;
    if (name == "mjc:gainPrm") {
        if (muscle_) return kBare;  // it is told in lengths of the muscle and one force
        if (element == 0) return servo_ ? stiffness : force;
        return affine_ && element < 3 ? stiffness : kBare;
    }
    if (name == "mjc:biasPrm") {
        if (!bias_ || element > 2) return kBare;
        // A positive b2 is a ratio of damping, without a unit.
        if (element == 2 && bias_values_[2] > 0) return kBare;
        return element == 0 ? force : stiffness;
    }
    // Of a wrench in space the last three numbers of the gear are levers.
    if (name == "mjc:gear") return in_space_ && element >= 3 ? kOfLength : kBare;
    if (name.starts_with("mjc:forceRange:")) return force;
    if (name.starts_with("mjc:ctrlRange:") || name.starts_with("mjc:actRange:")) return servo_ ? coordinate : kBare;
    if (name.starts_with("mjc:lengthRange:")) return coordinate;
    return name == "mjc:crankLength" ? kOfLength : kBare;
}

UnitPowers MujocoUnits::of_tendon(std::string_view name, std::size_t element) const
{
    if (name == "mjc:stiffness" || name == "mjc:damping" || name == "mjc:armature") return kOfMass;
    if (name == "mjc:frictionloss" || name.starts_with("mjc:actuatorfrcrange:")) return kOfForce;
    if (name == "mjc:margin" || name == "mjc:width" || name.starts_with("mjc:range:")) return kOfLength;
    // A negative one is the length at the start.
    if (name == "mjc:springlength") return element < spring_.size() && spring_[element] < 0 ? kBare : kOfLength;
    if (name == "mjc:path:coef") return element < path_turns_.size() && path_turns_[element] ? kOfLength : kBare;
    return kBare;
}

UnitPowers MujocoUnits::of(std::string_view attribute, std::size_t element) const
{
    // The third number is how far a constraint may be from where it holds until it has its full strength.
    if (attribute.starts_with("mjc:solimp")) return element == 2 && !turns_ ? kOfLength : kBare;
    if (kind_ == Kind::actuator) return of_actuator(attribute, element);
    return kind_ == Kind::tendon ? of_tendon(attribute, element) : kBare;
}

double MujocoUnits::factor(const physics::UnitScale& scale, std::string_view attribute, std::size_t element) const
{
    const UnitPowers powers = of(attribute, element);
    return std::pow(scale.meters_per_unit, powers.length) * std::pow(scale.kilograms_per_unit, powers.mass);
}

}  // namespace mechane::resolve
