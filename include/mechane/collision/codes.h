#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of collision.
namespace mechane::collision {

inline constexpr Code kBroadPhaseUnknown{"COL_BROAD_PHASE_UNKNOWN", Severity::error,
                                         "The name of a broad phase is not known.",
                                         "Use auto, explicit, nxn, sap or tree."};
inline constexpr Code kOptionInvalid{"COL_OPTION_INVALID", Severity::error,
                                     "An option of the collision pipeline is out of its range.",
                                     "Correct the number that the message names."};

}  // namespace mechane::collision
