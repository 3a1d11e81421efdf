#pragma once
#include <string>

#include "mechane/record/recording.h"
#include "mechane/run/scene.h"

namespace mechane::cli {

/// What a run looks like that was hardly meant so: something falls for ever, or a robot hangs in the air above the ground
/// that was asked for. One line with the option that helps; empty for none.
std::string sim_hint(const run::Scene& scene, const record::Recording& recording, bool ground);

}  // namespace mechane::cli
