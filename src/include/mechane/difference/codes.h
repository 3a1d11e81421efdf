#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::difference {

// clang-format off
inline constexpr Code kNothing{"DIFFERENCE_NOTHING", Severity::error, "A file holds nothing that could be compared.", "Give assets with links, bodies or shapes, or recordings."};
inline constexpr Code kUnlike{"DIFFERENCE_UNLIKE", Severity::error, "A recording can only be compared with a recording.", "`mechane replay --verify --stage FILE` says whether an asset still moves as it was recorded."};
inline constexpr Code kRepairChanges{"DIFFERENCE_REPAIR", Severity::warning, "A repair changed what is simulated.", "`mechane diff BEFORE AFTER` tells all that differs; --ignore RULE leaves a repair out."};
// clang-format on

}  // namespace mechane::difference
