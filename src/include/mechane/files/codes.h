#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of reading and writing whole files. Sites name the file or the folder.
namespace mechane::files {

inline constexpr Code kWriteFailed{"FILES_WRITE_FAILED", Severity::error, "A file could not be written.",
                                   "Check that the folder exists, is writable and has space left."};
inline constexpr Code kReadFailed{"FILES_READ_FAILED", Severity::error, "A file could not be read.",
                                  "Check the path; folders, pipes and devices are not read as files."};
inline constexpr Code kInput{"FILES_INPUT", Severity::error, "A result would replace a file that this run reads.",
                             "Write it elsewhere; only 'mechane fix --in-place' replaces the asset's own files."};
inline constexpr Code kFolder{"FILES_FOLDER", Severity::error, "A folder holds something else than an earlier result.",
                              "Name a new or an empty folder, or remove this one yourself."};
inline constexpr Code kBusy{"FILES_BUSY", Severity::error, "Another run is writing there.",
                            "Wait for the other run, or write elsewhere."};
inline constexpr Code kChanged{"FILES_CHANGED", Severity::error,
                               "A file was changed by somebody else while its replacement was computed.",
                               "Nothing was written; run the command again."};
inline constexpr Code kRecovered{"FILES_RECOVERED", Severity::warning,
                                 "An interrupted replacement of several files was brought to its end.",
                                 "Nothing to do: the files are all old or all new again."};
inline constexpr Code kNotRecovered{"FILES_NOT_RECOVERED", Severity::error,
                                    "An interrupted replacement of several files cannot be brought to its end.",
                                    "See the message; the folder's .mechane-journal lists the files."};
inline constexpr Code kOutside{"FILES_OUTSIDE_ROOT", Severity::warning,
                               "A file from outside the asset's folder is taken into the result.",
                               "Name the folder with --root if that is meant; --outside refuse forbids it."};

}  // namespace mechane::files
