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

inline constexpr Code kOverflow{"COL_OVERFLOW", Severity::warning,
                                "A stage of collision had no room for everything it found.",
                                "Raise the option that the message names, or let the buffer grow."};
inline constexpr Code kSdfMissing{"COL_SDF_MISSING", Severity::warning,
                                  "A hydroelastic shape has no distance field and makes point contacts.",
                                  "Give it an SDF resolution or voxel size, and a volume."};

inline constexpr Code kMeshPairSlow{"COL_MESH_PAIR_SLOW", Severity::info,
                                    "A mesh of many edges is tested triangle by triangle against other meshes.",
                                    "Give it a distance field (NewtonSDFCollisionAPI), or convex parts."};

}  // namespace mechane::collision
