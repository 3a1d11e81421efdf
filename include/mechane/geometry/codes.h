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
inline constexpr Code kHeightfield{
    "GEOMETRY_HEIGHTFIELD", Severity::error, "A height field is not a grid of finite heights.",
    "Give rows x columns finite elevations, at least two of each, and a range from low to high."};

}  // namespace mechane::geometry
