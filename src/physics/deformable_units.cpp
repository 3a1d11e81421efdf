// Units of the attributes of deformables, as powers of mass and length; times are seconds on every stage.
// They follow from what a stiffness is meant for: of a solid it is a modulus, of a membrane it is per width, of a rod
// it belongs to a whole section.
// `UnitPowers` is {mass, length}, and a force has the length one.

#include "mechane/physics/deformable_units.h"

namespace mechane::physics {
namespace {

struct Row {
    std::string_view name;
    UnitPowers       unit;
};
constexpr Row kRows[] = {
    {"mass", {1, 0}},
    {"masses", {1, 0}},
    {"density", {1, -3}},
    {"thickness", {0, 1}},
    {"thicknesses", {0, 1}},
    {"surfaceThickness", {0, 1}},
    {"curvesThickness", {0, 1}},
    {"restShapePoints", {0, 1}},
    {"youngsModulus", {1, -1}},
    {"poissonsRatio", {}},
    // A membrane: per width.
    {"surfaceStretchStiffness", {1, 0}},
    {"surfaceShearStiffness", {1, 0}},
    {"surfaceBendStiffness", {1, 2}},
    // A section: forces, and forces times length squared.
    {"curvesStretchStiffness", {1, 1}},
    {"curvesShearStiffness", {1, 1}},
    {"curvesBendStiffness", {1, 3}},
    {"curvesTwistStiffness", {1, 3}},
    {"curvesStretchDamping", {1, 1}},
    {"curvesShearDamping", {1, 1}},
    {"curvesBendDamping", {1, 3}},
    {"curvesTwistDamping", {1, 3}},
    // Of an earlier revision: moduli.
    {"stretchStiffness", {1, -1}},
    {"shearStiffness", {1, -1}},
    {"bendStiffness", {1, -1}},
    {"twistStiffness", {1, -1}},
    // Attachments: force per length.
    {"stiffness", {1, 0}},
    {"damping", {1, 0}},
};

}  // namespace

std::optional<UnitPowers> deformable_unit(std::string_view name)
{
    for (const Row& row : kRows)
        if (row.name == name) return row.unit;
    return std::nullopt;
}

std::optional<UnitPowers> deformable_property_unit(std::string_view property)
{
    if (property.starts_with("newton:curves")) return deformable_unit(property.substr(7));
    for (const std::string_view space : kDeformableNamespaces)
        if (property.starts_with(space)) return deformable_unit(property.substr(space.size()));
    return std::nullopt;
}

}  // namespace mechane::physics
