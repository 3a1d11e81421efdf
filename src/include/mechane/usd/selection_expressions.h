#pragma once
#include <string>

#include "mechane/usd/stage.h"

namespace mechane::usd {

/// The selection of a variant set as it is authored, "`${NAME}`", where that is an expression; else empty. The value is
/// VariantSetUse::selection.
std::string selection_expression(const Prim& prim, const std::string& set);

}  // namespace mechane::usd
