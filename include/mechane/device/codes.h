#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::device {

inline constexpr Code kDeviceName{"DEVICE_NAME", Severity::error, "A device was named that there is no rule for.",
                                  "Devices are called cpu, host, cuda and cuda:N, with N counted from 0."};
inline constexpr Code kDeviceUnavailable{
    "DEVICE_UNAVAILABLE", Severity::error, "There is no such device here, or what drives it is missing.",
    "Install NVIDIA's driver, or run on the CPU: leave the device out, or name cpu or host."};
inline constexpr Code kDeviceKernels{
    "DEVICE_KERNELS", Severity::error,
    "The compiled kernels for the device were not found, or the device cannot run them.",
    "Run `make setup-cuda` and `make cuda`, or name the file in MECHANE_CUDA_KERNELS."};
inline constexpr Code kDeviceDriver{
    "DEVICE_DRIVER", Severity::error, "The driver of the device is too old for the compiled kernels.",
    "Update NVIDIA's driver, or build the kernels for the older one: `make cuda` says how."};
inline constexpr Code kDeviceMemory{
    "DEVICE_MEMORY", Severity::error, "The memory of the device is not enough.",
    "Simulate fewer worlds, give the contacts a smaller limit, or free what other programs hold there."};
inline constexpr Code kDeviceFailure{
    "DEVICE_FAILURE", Severity::error, "A call of the device's driver failed, or a kernel that ran on it.",
    "Nothing of this device can be used afterwards in this process; start it again. The message names the call."};
inline constexpr Code kDeviceModel{
    "DEVICE_MODEL", Severity::error,
    "The device steps only a part of what the CPU does, and the model or an option goes beyond it.",
    "Leave out what the message names, or run on the CPU."};

}  // namespace mechane::device
