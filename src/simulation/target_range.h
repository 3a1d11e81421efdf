#pragma once
#include "mechane/core/diagnostic.h"
#include "mechane/simulation/settings.h"

namespace mechane::run {

/// RUN_TARGET_RANGE for a commanded position, or a start, of a joint beyond its limits, with both units of a hinge: a
/// number meant in degrees is read as radians. It is taken as given all the same.
void report_beyond_limits(const model::Model& model, const Setting& setting, Diagnostics& found);
/// The same of every column of a table, for the value that is farthest out.
void report_beyond_limits(const model::Model& model, const ControlTable& table, Diagnostics& found);

/// RUN_TARGET_IDLE for a commanded position or velocity of a joint none of whose axes has a drive with a gain for it.
void report_idle_target(const model::Model& model, const Setting& setting, Diagnostics& found);

}  // namespace mechane::run
