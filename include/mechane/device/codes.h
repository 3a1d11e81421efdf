#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of steps on a device.
namespace mechane::device {

inline constexpr Code kNotSupported{"DEV_NOT_SUPPORTED", Severity::error,
                                    "The kernels of the device do not honour something of the model.",
                                    "Step the model on the host with the solver softstep, or leave out what is named."};
inline constexpr Code kNotAlike{"DEV_NOT_ALIKE", Severity::error, "The worlds of a batch are not alike in structure.",
                                "Build each world from the same robot, with ModelBuilder::replicate."};
inline constexpr Code kOption{"DEV_OPTION", Severity::error, "An option or an array of a device's batch is not valid.",
                              "Correct what the message names."};

}  // namespace mechane::device
