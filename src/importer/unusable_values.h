#pragma once
#include "import.h"

namespace mechane::importer {

/// Says once for each attribute that values of it cannot be used (physics::value_fault), with the number of prims. What
/// the parser has reported is not said again.
void report_unusable_values(Import& run);

}  // namespace mechane::importer
