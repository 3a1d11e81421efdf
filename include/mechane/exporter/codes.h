#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::exporter {

// clang-format off
inline constexpr Code kEmpty{"EXPORT_EMPTY", Severity::error, "The stage holds nothing that the format could say.", "Convert a stage with bodies or shapes."};
// clang-format on

}  // namespace mechane::exporter
