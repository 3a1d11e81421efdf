#pragma once
#include <optional>
#include <string_view>

#include "mechane/physics/units.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

/// What a UsdPhysics property measures on this prim (usd-physics section 1); nothing for other properties. `none` for
/// flags, tokens, coefficients.
std::optional<physics::Dimension> dimension_of(const usd::Prim& prim, std::string_view property);

/// "degrees to radians", "stage units of length to metres": what the conversion by a dimension is called.
std::string_view conversion_name(physics::Dimension dimension);
/// "kg", "N m/rad", ...; empty for numbers without unit.
std::string_view si_unit(physics::Dimension dimension);

}  // namespace mechane::importer
