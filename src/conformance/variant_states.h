#pragma once
#include <string>
#include <utility>
#include <vector>

#include "mechane/conformance/check.h"

namespace mechane::conformance {

/// Selections other than the default ones: "/robot{gripper}" -> "none".
using VariantState = std::vector<std::pair<std::string, std::string>>;

/// States of a stage in a fixed order: each variant by itself, or every combination (the default one left out).
/// @param left_out  gets how many are more than `wanted` allows
std::vector<VariantState> variant_states(const usd::Stage& stage, const VariantStates& wanted, std::size_t& left_out);
/// "/robot{gripper=none}".
std::string name_of(const VariantState& state);

}  // namespace mechane::conformance
