#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of the checker itself; what it finds in an asset are findings of rules.
namespace mechane::conformance::codes {

inline constexpr Code kOption{"CHECK_OPTION", Severity::error, "An option of the check names nothing that exists.",
                              "`mechane check --list-rules` prints rules and profiles."};
inline constexpr Code kWorkFolder{"FIX_WORK_FOLDER", Severity::error, "The copy to be repaired could not be made.",
                                  "Check that the asset can be read and that there is room for a copy."};
inline constexpr Code kPackage{"FIX_PACKAGE", Severity::error, "A package cannot be repaired in place.",
                               "Unpack the .usdz, repair its root layer, and pack it again."};
inline constexpr Code kRuleFailed{"MECH-001", Severity::error, "A rule went wrong itself; it was not checked.",
                                  "This is a bug in Mechane, or memory ran out. What other rules found stands."};
inline constexpr Code kSuppression{"MECH-002", Severity::warning, "A suppression hides nothing, or has expired.",
                                   "Remove it from mechane.toml."};
inline constexpr Code kConfig{"CHECK_CONFIG", Severity::error, "The configuration of check cannot be understood.",
                              "docs/conformance.md lists the keys of mechane.toml."};
inline constexpr Code kEndless{"FIX_ENDLESS", Severity::error, "The repairs undo each other without end.",
                               "This is a bug in Mechane; nothing was written. Repair rule by rule with --select."};

}  // namespace mechane::conformance::codes
