#pragma once
#include "mechane/core/result.h"
#include "mechane/usd/edit.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// Kilograms in one mass unit of the stage; 1 when neither root nor session layer says.
double kilograms_per_unit(const Stage& stage);
bool   has_authored_kilograms_per_unit(const Stage& stage);
/// Metres in one length unit of the stage; 0.01 when neither root nor session layer says.
double meters_per_unit(const Stage& stage);
bool   has_authored_meters_per_unit(const Stage& stage);

/// Writes a unit into a layer's own metadata.
/// @error META_UNIT_INVALID  the value is not positive and finite; the layer is left as it was
Result<void> set_kilograms_per_unit(LayerWriter& layer, double value);
Result<void> set_meters_per_unit(LayerWriter& layer, double value);

/// Two units are the same when the relative difference to both is below the tolerance; a unit that is not positive
/// equals none.
bool mass_units_are(double a, double b, double relative_tolerance = 1e-5);
bool length_units_are(double a, double b, double relative_tolerance = 1e-5);

}  // namespace mechane::usd
