#pragma once
#include <optional>
#include <string>

#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// What an attribute authors where that is no finite number, or not all of its components are: "nan", "-inf",
/// "(0, nan, 0)". Nothing when it is finite, unauthored, or no number, vector or quaternion.
std::optional<std::string> not_finite(const usd::Attribute& attribute);

/// The same of numbers for which an infinity has a meaning, such as "no limit": only "nan" is left.
std::optional<std::string> not_a_number(const usd::Attribute& attribute);

}  // namespace mechane::conformance
