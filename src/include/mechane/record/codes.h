#pragma once
#include "mechane/core/diagnostic.h"
#include "mechane/simulation/codes.h"

/// Diagnostics of writing recordings. Sites name the file; those of bodies the prim.
namespace mechane::record {

inline constexpr Code kFormatUnknown{"RECORD_FORMAT_UNKNOWN", Severity::error,
                                     "The file extension is not a format for recordings.",
                                     "Use .json, .csv, .usda, .usdc, .usd or .mrec."};
inline constexpr Code kBodyWithoutPrim{"RECORD_BODY_NO_PRIM", Severity::warning,
                                       "The motion of a body could not be written to the layer.",
                                       "Give every body a prim of its own that is not part of an instance."};

inline constexpr Code kItemSheared{"RECORD_ITEM_SHEARED", Severity::warning,
                                   "Items of a point instancer rotate below unequal scale, which its arrays cannot express.",
                                   "Give the instancer and what lies above it one scale for all axes."};

}  // namespace mechane::record
