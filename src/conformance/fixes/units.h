#pragma once
#include <map>
#include <optional>
#include <string>

#include "conformance/fixes/repair.h"

namespace mechane::conformance {

/// What a layer says of its unit ("metersPerUnit"); nothing for what is no positive number.
std::optional<double> unit_of(const usd::Layer& layer, const char* field);

/// Multiplies an attribute of a layer, and its samples, by what its dimension asks for.
/// @param lengths, masses  new units in one old unit
void scale_attribute(Repair& repair, const EditPlace& at, double lengths, double masses);

/// Sizes that prims have from their schema alone are authored: a fallback is so many units, whatever those are. Prims
/// that the stage does not show have them too: of other variants, not active, not loaded.
/// @param factors  of lengths, by layer; prims that other layers define are left alone
void write_fallbacks(Repair& repair, const std::map<const usd::Layer*, double>& factors);
/// The first prim whose size is a fallback in the state at hand and authored by a variant that is not selected: no
/// place holds the one and not the other. Empty where there is none.
std::string fallback_beside_variants(Repair& repair, const std::map<const usd::Layer*, double>& factors);

/// Says of a dome whose pole stands along the stage's up axis that it is the one before the stage is turned to Z.
void keep_pole(Repair& repair, const EditPlace& dome);

/// Whether a prim that brings the layer in is scaled as if to make up for its units, but not by an operation of its own
/// that says just the ratio, so that it cannot be taken back.
/// @param lengths  the layer's unit in units of the stage
bool is_compensated(Repair& repair, const std::string& file, double lengths);
/// Whether such a layer is brought in at the prim, above or below it: what scales there belongs to its units.
bool holds_compensated(Repair& repair, const usd::Prim& prim);

/// Rotates (x, y, z) to (x, -z, y): row vectors.
usd::Matrix4d y_up_to_z_up();

}  // namespace mechane::conformance
