// Dimensions of properties of UsdPhysics and the names of conversions for the ledger. Angular drives are per degree.

#include "property_units.h"

namespace mechane::importer {
namespace {

using physics::Dimension;

struct UnitRow {
    std::string_view property;
    Dimension        dimension;
};
constexpr UnitRow kUnitRows[] = {
    {"physics:mass", Dimension::mass},
    {"physics:density", Dimension::density},
    {"physics:centerOfMass", Dimension::length},
    {"physics:diagonalInertia", Dimension::inertia},
    {"newton:inertia", Dimension::inertia},
    {"physics:velocity", Dimension::length},
    {"physics:angularVelocity", Dimension::angle},
    {"physics:gravityMagnitude", Dimension::length},
    {"physics:localPos0", Dimension::length},
    {"physics:localPos1", Dimension::length},
    {"physics:coneAngle0Limit", Dimension::angle},
    {"physics:coneAngle1Limit", Dimension::angle},
    {"physics:minDistance", Dimension::length},
    {"physics:maxDistance", Dimension::length},
    {"physics:breakForce", Dimension::force},
    {"physics:breakTorque", Dimension::torque},
};

/// drive:<dof>:physics:<what> and limit:<dof>:physics:<what>.
std::optional<Dimension> of_dof(const usd::Prim& prim, std::string_view property)
{
    const auto first = property.find(':'), second = property.find(":physics:");
    if (second == std::string_view::npos || second <= first) return std::nullopt;
    // Instances of the multiple-apply schemas.
    const std::string_view dof = property.substr(first + 1, second - first - 1), what = property.substr(second + 9);
    const bool             turns = dof == "angular" || dof.starts_with("rot");
    if (what == "low" || what == "high" || what == "targetPosition" || what == "targetVelocity")
        return turns ? Dimension::angle : Dimension::length;
    if (what == "maxForce") return turns ? Dimension::torque : Dimension::force;
    if (what == "stiffness" || what == "damping") {
        const std::string type = "drive:" + std::string(dof) + ":physics:type";
        if (prim.attribute(type).get_or<std::string>("force") == "acceleration")
            return turns ? Dimension::per_angle : Dimension::none;
        if (what == "stiffness") return turns ? Dimension::angular_stiffness : Dimension::linear_stiffness;
        return turns ? Dimension::angular_damping : Dimension::linear_damping;
    }
    return Dimension::none;
}

}  // namespace

std::optional<Dimension> dimension_of(const usd::Prim& prim, std::string_view property)
{
    for (const UnitRow& row : kUnitRows)
        if (row.property == property) return row.dimension;
    if (property == "physics:lowerLimit" || property == "physics:upperLimit")
        return prim.is_a("PhysicsPrismaticJoint") ? Dimension::length : Dimension::angle;
    if (property.starts_with("drive:") || property.starts_with("limit:")) return of_dof(prim, property);
    if (property.starts_with("physics:")) return Dimension::none;
    return std::nullopt;
}

std::string_view conversion_name(Dimension dimension)
{
    switch (dimension) {
        case Dimension::none:
            return "";
        case Dimension::length:
            return "stage units of length to metres";
        case Dimension::angle:
            return "degrees to radians";
        case Dimension::mass:
            return "stage units of mass to kilograms";
        case Dimension::density:
            return "stage units of density to kg/m^3";
        case Dimension::inertia:
            return "stage units of inertia to kg m^2";
        case Dimension::force:
            return "stage units of force to newtons";
        case Dimension::torque:
            return "stage units of torque to newton metres";
        case Dimension::linear_stiffness:
            return "stage units to N/m";
        case Dimension::linear_damping:
            return "stage units to N s/m";
        case Dimension::angular_stiffness:
            return "per degree to N m/rad";
        case Dimension::angular_damping:
            return "per degree to N m s/rad";
        case Dimension::angular_stiffness_radians:
            return "stage units to N m/rad";
        case Dimension::angular_damping_radians:
            return "stage units to N m s/rad";
        case Dimension::per_angle:
            return "per degree to per radian";
        case Dimension::volume_stiffness:
            return "stage units to N/m^3";
    }
    return "";
}

std::string_view si_unit(Dimension dimension)
{
    switch (dimension) {
        case Dimension::none:
            return "";
        case Dimension::length:
            return "m";
        case Dimension::angle:
            return "rad";
        case Dimension::mass:
            return "kg";
        case Dimension::density:
            return "kg/m^3";
        case Dimension::inertia:
            return "kg m^2";
        case Dimension::force:
            return "N";
        case Dimension::torque:
            return "N m";
        case Dimension::linear_stiffness:
            return "N/m";
        case Dimension::linear_damping:
            return "N s/m";
        case Dimension::angular_stiffness:
        case Dimension::angular_stiffness_radians:
            return "N m/rad";
        case Dimension::angular_damping:
        case Dimension::angular_damping_radians:
            return "N m s/rad";
        case Dimension::per_angle:
            return "1/rad";
        case Dimension::volume_stiffness:
            return "N/m^3";
    }
    return "";
}

}  // namespace mechane::importer
