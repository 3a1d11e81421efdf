#pragma once
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/simulation/simulate.h"

namespace mechane::cli {

/// Whether a run can be stepped where --device says.
/// @param left_out  what else was asked for that no device honours
/// @error DEV_NAME; DEV_NOT_SUPPORTED  names what a device does not honour. Whether there is one shows when it is used
Result<void> fit_device(const std::string& device, const run::SimulateOptions& options,
                        std::vector<std::string> left_out = {});

}  // namespace mechane::cli
