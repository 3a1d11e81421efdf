#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of the checker itself; what it finds in an asset are findings of rules.
namespace mechane::conformance::codes {

inline constexpr Code kOption{"CHECK_OPTION", Severity::error, "An option of check names an unknown rule or profile.",
                              "`mechane check --list-rules` prints rules and profiles."};
inline constexpr Code kWorkFolder{"FIX_WORK_FOLDER", Severity::error, "The copy to be repaired could not be made.",
                                  "Check that the asset can be read and that there is room for a copy."};
inline constexpr Code kPackage{"FIX_PACKAGE", Severity::error, "A package could not be unpacked.",
                               "Unpack the .usdz, repair its root layer, and pack it again."};
inline constexpr Code kOutside{"FIX_OUTSIDE", Severity::error,
                               "The result would lack a file from outside of the asset's folder.",
                               "Put the file into the asset's folder, or repair the asset where it is (--in-place)."};
inline constexpr Code kRuleFailed{
    "MECH-001", Severity::error, "Internal error in a rule; the rule was not checked.",
    "This is a bug in Mechane, or memory ran out. The findings of other rules are valid."};
inline constexpr Code kSuppression{"MECH-002", Severity::warning, "A suppression matches no finding, or has expired.",
                                   "Remove it from mechane.toml."};
inline constexpr Code kSourceFault{"MECH-003", Severity::error,
                                   "A file of another format has a fault of its own; what it concerns is left out.",
                                   "Mechane never writes such a file. Correct it in the program that it comes from."};
inline constexpr Code kConfig{"CHECK_CONFIG", Severity::error, "The configuration of check is invalid.",
                              "docs/conformance.md lists the keys of mechane.toml."};
inline constexpr Code kOthers{"FIX_OTHERS", Severity::warning,
                              "Not all layers around the asset were searched for other assets that use its layers.",
                              "Repair a copy with -o FOLDER, or keep assets in folders of their own."};
inline constexpr Code kEndless{"FIX_ENDLESS", Severity::error, "Repairs undo each other endlessly.",
                               "This is a bug in Mechane; nothing was written. Repair rule by rule with --select."};

/// Submissions to a schema registry (REP-0158 4.2), by `check --registry`.
inline constexpr Code kRegistrySubmission{"REGISTRY_SUBMISSION", Severity::error,
                                          "A submission to a schema registry lacks a part that REP-0158 4.2 asks for.",
                                          "Add what the message names beside schema.usda."};
inline constexpr Code kRegistryExample{"REGISTRY_EXAMPLE", Severity::error,
                                       "The example asset of a submission does not pass check.",
                                       "`mechane check FILE` lists the findings."};
inline constexpr Code kRegistryNames{"REGISTRY_NAMES", Severity::error,
                                     "A schema of a submission is not named as REP-0158 4.2.2 asks.",
                                     "Classes are named ExtendedPhysics…, their properties ext_physics:CONCEPT:NAME."};
inline constexpr Code kRegistryTransport{"REGISTRY_TRANSPORT", Severity::error,
                                         "A schema of a submission holds transport: a topic, a frame, a service.",
                                         "Use a relationship to an interface prim (REP-0158 4.2.1)."};

}  // namespace mechane::conformance::codes
