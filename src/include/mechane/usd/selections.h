#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// What is wrong with selections that a stage was opened with ("/Prim{set}" or "set" -> variant): a prim that is not
/// there, a set that the prim does not have, a variant that the set does not have. STAGE_VARIANT_UNKNOWN, with the
/// nearest names.
Diagnostics check_selections(const Stage& stage, std::span<const std::pair<std::string, std::string>> selections);

/// COMP_VARIANT_UNKNOWN for every selection that layers author of a set or variant that the prim does not have.
/// Selections of the session are left out.
void report_authored_selections(const Stage& stage, Diagnostics& found);

/// Whether findings with this id say that a part of the stage is missing: a layer, a prim that an arc names, a package.
bool is_missing_part(std::string_view id);
/// The same, or that reading was given up: of that no part may be used.
bool is_composition_finding(std::string_view id);

}  // namespace mechane::usd
