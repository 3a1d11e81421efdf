#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of the checker itself; what it finds in an asset are findings of rules.
namespace mechane::conformance::codes {

inline constexpr Code kOption{"CHECK_OPTION", Severity::error, "An option of the check names nothing that exists.",
                              "`mechane check --list-rules` prints rules and profiles."};

}  // namespace mechane::conformance::codes
