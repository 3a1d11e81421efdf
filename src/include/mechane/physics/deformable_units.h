#pragma once
#include <optional>
#include <string_view>

namespace mechane::physics {

/// Powers of the stage's units of mass and length in the unit of a value; time is always seconds.
struct UnitPowers {
    int mass = 0, length = 0;

    bool operator==(const UnitPowers&) const = default;
};

/// The unit of a number that a deformable, its material or its attachment authors, by the property's name without its
/// namespace: `youngsModulus` is M/(L s^2). Nothing for names that the deformable schemas do not have. One table for
/// all that converts units. Source: the deformable schemas of UsdPhysics (with the names of their earlier revision)
/// and of Newton.
std::optional<UnitPowers> deformable_unit(std::string_view name);

/// The namespaces that deformables are authored in.
inline constexpr std::string_view kDeformableNamespaces[] = {"physics:", "omniphysics:", "physxDeformableBody:"};

/// The same for a whole property name, in those namespaces and, for what curves damp, `newton:`.
std::optional<UnitPowers> deformable_property_unit(std::string_view property);

}  // namespace mechane::physics
