#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::exporter {

// clang-format off
inline constexpr Code kEmpty{"EXPORT_EMPTY", Severity::error, "The stage holds nothing that the format could say.", "Convert a stage with bodies or shapes."};
inline constexpr Code kTooLarge{"EXPORT_TOO_LARGE", Severity::error, "The result is larger than the format can be.", "Convert parts of the stage, or leave prims out."};
// clang-format on

}  // namespace mechane::exporter
