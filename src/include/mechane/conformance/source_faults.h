#pragma once
#include "mechane/conformance/rule.h"
#include "mechane/core/diagnostic.h"

namespace mechane::conformance {

/// What a file of another format (URDF, MJCF, SDFormat) has wrong in itself, as its reader found it. The rule stands
/// beside the catalogue, as no sentence of the standard is about it, and is judged under every profile. It has no
/// examples.
const Rule& source_rule();

/// Whether a finding of `usd::Stage::diagnostics` is a matter of that rule. What OpenUSD has no word for is no fault of
/// the file.
bool is_source_fault(const Diagnostic& found);

}  // namespace mechane::conformance
