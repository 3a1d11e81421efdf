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

inline constexpr Code kDeviceName{"DEV_NAME", Severity::error, "A device was named that there is no rule for.",
                                  "Devices are called cpu, host, cuda and cuda:N, with N counted from 0."};
inline constexpr Code kDeviceUnavailable{
    "DEV_UNAVAILABLE", Severity::error, "There is no such device here, or what drives it is missing.",
    "Install NVIDIA's driver, or run on the CPU: leave the device out, or name cpu or host."};
inline constexpr Code kDeviceKernels{
    "DEV_KERNELS", Severity::error,
    "The compiled kernels for the device were not found, or the device cannot run them.",
    "Run `make setup-cuda` and `make cuda`, or name the file in MECHANE_CUDA_KERNELS."};
inline constexpr Code kDeviceDriver{
    "DEV_DRIVER", Severity::error, "The driver of the device is too old for the compiled kernels.",
    "Update NVIDIA's driver, or build the kernels for the older one: `make cuda` says how."};
inline constexpr Code kDeviceMemory{
    "DEV_MEMORY", Severity::error, "The memory of the device is not enough.",
    "Simulate fewer worlds, give the contacts a smaller limit, or free what other programs hold there."};
inline constexpr Code kDeviceFailure{
    "DEV_FAILURE", Severity::error, "A call of the device's driver failed, or a kernel that ran on it.",
    "Nothing of this device can be used afterwards in this process; start it again. The message names the call."};

}  // namespace mechane::device
