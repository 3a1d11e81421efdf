#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "mechane/core/result.h"
#include "mechane/device/driver.h"

/// The driver's functions as we call them. The declarations are our own: types are those of the documented ABI (handles
/// are pointers, CUdevice and CUresult are int, CUdeviceptr is 64 bits wide).
namespace mechane::device {

using Handle = void*;

// X(name here, name in the library, parameters)
#define MECHANE_CUDA_ENTRIES(X)                                                                    \
    X(init, "cuInit", (unsigned))                                                                  \
    X(driver_version, "cuDriverGetVersion", (int*))                                                \
    X(device_count, "cuDeviceGetCount", (int*))                                                    \
    X(device_get, "cuDeviceGet", (int*, int))                                                      \
    X(device_name, "cuDeviceGetName", (char*, int, int))                                           \
    X(device_memory, "cuDeviceTotalMem_v2", (std::size_t*, int))                                   \
    X(device_attribute, "cuDeviceGetAttribute", (int*, int, int))                                  \
    X(error_name, "cuGetErrorName", (int, const char**))                                           \
    X(error_text, "cuGetErrorString", (int, const char**))                                         \
    X(context_retain, "cuDevicePrimaryCtxRetain", (Handle*, int))                                  \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int))                                      \
    X(context_push, "cuCtxPushCurrent_v2", (Handle))                                               \
    X(context_pop, "cuCtxPopCurrent_v2", (Handle*))                                                \
    X(context_synchronize, "cuCtxSynchronize", ())                                                 \
    X(memory_info, "cuMemGetInfo_v2", (std::size_t*, std::size_t*))                                \
    X(allocate, "cuMemAlloc_v2", (std::uint64_t*, std::size_t))                                    \
    X(release, "cuMemFree_v2", (std::uint64_t))                                                    \
    X(host_allocate, "cuMemHostAlloc", (void**, std::size_t, unsigned))                            \
    X(host_release, "cuMemFreeHost", (void*))                                                      \
    X(copy_to_device, "cuMemcpyHtoDAsync_v2", (std::uint64_t, const void*, std::size_t, Handle))   \
    X(copy_to_host, "cuMemcpyDtoHAsync_v2", (void*, std::uint64_t, std::size_t, Handle))           \
    X(copy_on_device, "cuMemcpyDtoDAsync_v2", (std::uint64_t, std::uint64_t, std::size_t, Handle)) \
    X(fill_bytes, "cuMemsetD8Async", (std::uint64_t, unsigned char, std::size_t, Handle))          \
    X(fill_words, "cuMemsetD32Async", (std::uint64_t, unsigned, std::size_t, Handle))              \
    X(stream_create, "cuStreamCreate", (Handle*, unsigned))                                        \
    X(stream_destroy, "cuStreamDestroy_v2", (Handle))                                              \
    X(stream_synchronize, "cuStreamSynchronize", (Handle))                                         \
    X(stream_wait, "cuStreamWaitEvent", (Handle, Handle, unsigned))                                \
    X(stream_begin_capture, "cuStreamBeginCapture_v2", (Handle, int))                              \
    X(stream_end_capture, "cuStreamEndCapture", (Handle, Handle*))                                 \
    X(event_create, "cuEventCreate", (Handle*, unsigned))                                          \
    X(event_destroy, "cuEventDestroy_v2", (Handle))                                                \
    X(event_record, "cuEventRecord", (Handle, Handle))                                             \
    X(event_synchronize, "cuEventSynchronize", (Handle))                                           \
    X(event_elapsed, "cuEventElapsedTime", (float*, Handle, Handle))                               \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", (Handle*, Handle, unsigned long long))     \
    X(graph_launch, "cuGraphLaunch", (Handle, Handle))                                             \
    X(graph_nodes, "cuGraphGetNodes", (Handle, Handle*, std::size_t*))                             \
    X(graph_destroy, "cuGraphDestroy", (Handle))                                                   \
    X(graph_exec_destroy, "cuGraphExecDestroy", (Handle))                                          \
    X(module_load, "cuModuleLoadData", (Handle*, const void*))                                     \
    X(module_unload, "cuModuleUnload", (Handle))                                                   \
    X(module_function, "cuModuleGetFunction", (Handle*, Handle, const char*))                      \
    X(module_global, "cuModuleGetGlobal_v2", (std::uint64_t*, std::size_t*, Handle, const char*))  \
    X(function_attribute, "cuFuncGetAttribute", (int*, int, Handle))                               \
    X(function_set_attribute, "cuFuncSetAttribute", (Handle, int, int))                            \
    X(launch, "cuLaunchKernel",                                                                    \
      (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**))

struct Entries {
    std::string path;  ///< of the library
    int         version = 0;
    int         devices = 0;
#define MECHANE_CUDA_MEMBER(name, symbol, parameters) int(*name) parameters = nullptr;
    MECHANE_CUDA_ENTRIES(MECHANE_CUDA_MEMBER)
#undef MECHANE_CUDA_MEMBER
};

/// The driver of this process. What is loaded stays loaded.
/// @error DEV_UNAVAILABLE
Result<std::shared_ptr<const Entries>> entries();

struct ContextState {
    std::shared_ptr<const Entries> entries;
    DeviceInfo                     info;
    Handle                         handle = nullptr;

    ContextState()                               = default;
    ContextState(const ContextState&)            = delete;
    ContextState& operator=(const ContextState&) = delete;
    ~ContextState();
};

/// Has the calls of this thread go to a context, and what was before come back: other libraries have current contexts
/// too.
class Current {
  public:
    explicit Current(const ContextState& context) : context_(context)
    { pushed_ = context.entries->context_push(context.handle) == 0; }
    ~Current()
    {
        Handle was = nullptr;
        if (pushed_) context_.entries->context_pop(&was);
    }
    Current(const Current&)            = delete;
    Current& operator=(const Current&) = delete;

  private:
    const ContextState& context_;
    bool                pushed_ = false;
};

namespace status {
inline constexpr int ok = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, no_device = 100,
                     invalid_device = 101, invalid_image = 200, no_binary = 209, invalid_ptx = 218,
                     unsupported_ptx = 222, not_found = 500, capture_invalidated = 901;
}

/// "cuMemAlloc_v2 answered CUDA_ERROR_OUT_OF_MEMORY (2: out of memory)".
std::string failed(const Entries& entries, std::string_view call, int answer);
/// The diagnostic of a call that failed, by its answer.
Diagnostic failure(const ContextState& context, std::string_view call, int answer);

}  // namespace mechane::device
