#pragma once
#include "import.h"

namespace mechane::importer {

/// Says in one warning which values of PhysX are authored, would change the motion and are not simulated. What has its
/// schema's fallback, and what sets another engine's solver, is left out.
void report_not_simulated(Import& run);

}  // namespace mechane::importer
