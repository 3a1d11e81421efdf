#pragma once
#include <string>
#include <string_view>

#include "sourceformats/expression.h"

namespace mechane::sourceformats {

/// Reads YAML as robots' packages have it: mappings and lists in blocks or in brackets, plain and quoted texts, block
/// texts, anchors, merges, and the units of xacro (`!degrees 90`). Tags and documents beyond these are refused.
/// @return the value, or in `why` what is wrong, with its line
Evaluated parse_yaml(std::string_view text);

}  // namespace mechane::sourceformats
