#pragma once
#include <string>

#include "mechane/simulation/recording.h"
#include "mechane/run/scene.h"

namespace mechane::cli {

/// A hint for a run that was probably not intended: a body falls for ever, or a robot is fixed in the air above the
/// ground that was asked for. One line with the option that helps; empty if there is none.
/// @param switched_off  flags of MuJoCo took parts of the model out
std::string sim_hint(const run::Scene& scene, const record::Recording& recording, bool ground, bool switched_off);

}  // namespace mechane::cli
