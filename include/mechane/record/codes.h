#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of writing recordings. Sites name the file; those of bodies the prim.
namespace mechane::record {

inline constexpr Code kWriteFailed{"RECORD_WRITE_FAILED", Severity::error, "A file could not be written.",
                                   "Check that the folder exists, is writable and has space left."};
inline constexpr Code kFormatUnknown{"RECORD_FORMAT_UNKNOWN", Severity::error,
                                     "The extension names no format that recordings are written in.",
                                     "Use .json, .csv, .usda, .usdc, .usd or .mrec."};
inline constexpr Code kCheckpoint{"RECORD_CHECKPOINT", Severity::error, "A checkpoint cannot be continued from.",
                                  "Use the file that --checkpoint wrote, with the same stage, options and build."};
inline constexpr Code kRecordingFile{"RECORD_FILE", Severity::error, "A recording cannot be read.",
                                     "Use a .mrec file of this version of mechane and of a build with the same Real."};
inline constexpr Code kCutOff{"RECORD_CUT_OFF", Severity::warning, "A recording ends early.",
                              "The run was stopped, or the file was cut; what is there is used."};
inline constexpr Code kDamaged{"RECORD_DAMAGED", Severity::error, "A part of a recording is damaged.",
                               "What comes before it is used; record the run again to have all of it."};
inline constexpr Code kOtherModel{"RECORD_OTHER_MODEL", Severity::error, "A recording is of another model.",
                                  "Use the stage and the options that were recorded."};
inline constexpr Code kInconsistent{"RECORD_INCONSISTENT", Severity::error,
                                    "A recording holds what its model cannot have.",
                                    "Somebody changed the file; record the run again."};
inline constexpr Code kBodyWithoutPrim{"RECORD_BODY_NO_PRIM", Severity::warning,
                                       "A body's motion could not be written to the layer.",
                                       "Give every body a prim of its own that is not part of an instance."};

inline constexpr Code kItemSheared{"RECORD_ITEM_SHEARED", Severity::warning,
                                   "Items of a point instancer turn below unequal scale, which its arrays cannot say.",
                                   "Give the instancer and what lies above it one scale for all axes."};

}  // namespace mechane::record
