#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of geometry. Callers fill in the site where the functions do not know it.
namespace mechane::geometry {

inline constexpr Code kHullDegenerate{"GEOMETRY_HULL_DEGENERATE", Severity::error,
                                      "The points span no volume, or are not finite, so they have no convex hull.",
                                      "Give the mesh at least four finite points that do not lie in one plane."};
inline constexpr Code kFitEmpty{"GEOMETRY_FIT_EMPTY", Severity::error,
                                "There are no points to fit a shape around, or one is not finite.",
                                "Give the mesh at least one finite point."};
inline constexpr Code kFallback{"GEOMETRY_FALLBACK", Severity::warning,
                                "A mesh could not be prepared as asked; a simpler shape stands in.",
                                "Repair the mesh as the message says, or ask for the simpler shape."};
inline constexpr Code kHeightfield{
    "GEOMETRY_HEIGHTFIELD", Severity::error, "A height field is not a grid of finite heights.",
    "Give rows x columns finite elevations, at least two of each, and a range from low to high."};

inline constexpr Code kSdfOptions{"GEOMETRY_SDF_OPTIONS", Severity::error,
                                  "An option of a signed distance field is out of its range.",
                                  "Correct the number that the message names."};
inline constexpr Code kSdfMemory{"GEOMETRY_SDF_MEMORY", Severity::error,
                                 "A signed distance field would need more memory than it may have.",
                                 "Lower the resolution, narrow the band, or raise the budget."};
inline constexpr Code kSdfMesh{"GEOMETRY_SDF_MESH", Severity::error,
                               "A mesh has no surface that distances could be measured from.",
                               "Give it at least one triangle, finite points, and indices of points that exist."};

}  // namespace mechane::geometry
