#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of writing recordings. Sites name the file; those of bodies the prim.
namespace mechane::record {

inline constexpr Code kWriteFailed{"RECORD_WRITE_FAILED", Severity::error, "A file could not be written.",
                                   "Check that the folder exists, is writable and has space left."};
inline constexpr Code kFormatUnknown{"RECORD_FORMAT_UNKNOWN", Severity::error,
                                     "The extension names no format that recordings are written in.",
                                     "Use .json, .csv, .usda, .usdc or .usd."};
inline constexpr Code kCheckpoint{"RECORD_CHECKPOINT", Severity::error, "A checkpoint cannot be continued from.",
                                  "Use the file that --checkpoint wrote, with the same stage, options and build."};
inline constexpr Code kBodyWithoutPrim{"RECORD_BODY_NO_PRIM", Severity::warning,
                                       "A body's motion could not be written to the layer.",
                                       "Give every body a prim of its own that is not part of an instance."};

}  // namespace mechane::record
