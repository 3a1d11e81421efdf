#pragma once
#include <string>

#include "mechane/simulation/recording.h"
#include "mechane/run/scene.h"

namespace mechane::cli {

/// A hint for a run that was probably not intended: a body falls for ever, or a robot is fixed in the air above the
/// ground that was asked for. One line with the option that helps; empty if there is none.
std::string sim_hint(const run::Scene& scene, const record::Recording& recording, bool ground);

}  // namespace mechane::cli
