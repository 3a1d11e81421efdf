#pragma once
#include <pxr/sdf/valueTypeName.h>

#include <string_view>

namespace mechane::usd {

/// The type of USD that has this name; invalid when none has.
pxr::SdfValueTypeName value_type(std::string_view name);

}  // namespace mechane::usd
