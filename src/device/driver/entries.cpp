// The driver's library is opened while the program runs, so that one build works with and without a GPU. Its
// functions are looked up by name; the list with the signatures is in entries.h. MECHANE_CUDA_DRIVER names another
// library, which is how tests put a stand-in in its place.
#include "device/driver/entries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "mechane/device/codes.h"

namespace mechane::device {

namespace {

constexpr const char* kLibrary = "libcuda.so.1";

struct Drivers {
    std::mutex                                                    mutex;
    std::string                                                   chosen;
    std::map<std::string, Result<std::shared_ptr<const Entries>>> loaded;  ///< by path
};
// A library stays loaded as long as the process lives: handles of the driver point into it.
Drivers& drivers()
{
    static Drivers* const all = new Drivers;  // buffers of static objects are freed through it
    return *all;
}

Diagnostic unavailable(std::string message, std::string hint = {})
{ return make_diagnostic(kDeviceUnavailable, {}, std::move(message), std::move(hint)); }

Result<std::shared_ptr<const Entries>> load(const std::string& path)
{
    // Its symbols stay out of the way of other libraries that load the same driver.
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const why = dlerror();
        return unavailable(fmt::format("no CUDA device: the driver's library '{}' cannot be loaded ({})", path,
                                       why == nullptr ? "" : why));
    }
    auto made  = std::make_shared<Entries>();
    made->path = path;
    // All missing names are collected for one message: they say together how old the driver is.
    std::string missing;
#define MECHANE_CUDA_LOAD(name, symbol, parameters)                           \
    made->name = reinterpret_cast<int(*) parameters>(dlsym(library, symbol)); \
    if (made->name == nullptr) missing += missing.empty() ? symbol : ", " symbol;
    MECHANE_CUDA_ENTRIES(MECHANE_CUDA_LOAD)
#undef MECHANE_CUDA_LOAD
    // Without these two it is another library altogether, which is told apart from a driver that is too old.
    if (made->init == nullptr || made->driver_version == nullptr)
        return unavailable(fmt::format("no CUDA device: '{}' is not the library of NVIDIA's driver", path));
    if (const int answer = made->init(0); answer != status::ok) {
        if (answer == status::no_device)
            return unavailable(
                fmt::format("no CUDA device: the driver '{}' is installed and sees none", path),
                "Check with `nvidia-smi`, and that CUDA_VISIBLE_DEVICES does not hide it; or run on the CPU.");
        // A stand-in or a very old driver may lack the functions that name errors.
        if (made->error_name == nullptr || made->error_text == nullptr)
            return unavailable(fmt::format("no CUDA device: cuInit of '{}' answered {}", path, answer));
        return unavailable(
            fmt::format("no CUDA device: {}", failed(*made, "cuInit", answer)),
            "The driver's module of the kernel and its library must be of one version: check with `nvidia-smi`.");
    }
    if (const int answer = made->driver_version(&made->version); answer != status::ok)
        return unavailable(fmt::format("no CUDA device: cuDriverGetVersion answered {}", answer));
    if (!missing.empty())
        return make_diagnostic(kDeviceDriver, {},
                               fmt::format("the driver '{}' speaks CUDA {}.{} and has no {}", path,
                                           made->version / 1000, made->version % 1000 / 10, missing),
                               "Update NVIDIA's driver to one of CUDA 12 or later (525 or later).");
    if (const int answer = made->device_count(&made->devices); answer != status::ok)
        return unavailable(fmt::format("no CUDA device: {}", failed(*made, "cuDeviceGetCount", answer)));
    return std::shared_ptr<const Entries>(std::move(made));
}

}  // namespace

Result<std::shared_ptr<const Entries>> entries()
{
    Drivers&              d = drivers();
    const std::lock_guard lock(d.mutex);
    std::string           path = d.chosen;
    if (path.empty()) {
        const char* const named = std::getenv("MECHANE_CUDA_DRIVER");
        path                    = named == nullptr || *named == '\0' ? kLibrary : named;
    }
    const auto found = d.loaded.find(path);
    if (found != d.loaded.end()) return found->second;
    return d.loaded.emplace(path, load(path)).first->second;
}

void set_driver_library(std::string path)
{
    Drivers&              d = drivers();
    const std::lock_guard lock(d.mutex);
    d.chosen = std::move(path);
    // A library that failed to load is tried again when it is named again. One that was loaded is kept: handles point
    // into it.
    if (const auto at = d.loaded.find(d.chosen); at != d.loaded.end() && !at->second) d.loaded.erase(at);
}

std::string failed(const Entries& entries, std::string_view call, int answer)
{
    // The texts belong to the library.
    const char *name = nullptr, *text = nullptr;
    entries.error_name(answer, &name);
    entries.error_text(answer, &text);
    return fmt::format("{} answered {} ({}: {})", call, name == nullptr ? "an unknown error" : name, answer,
                       text == nullptr ? "" : text);
}

Diagnostic failure(const ContextState& context, std::string_view call, int answer)
{
    // Out of memory says how much is free, which the driver's own text does not.
    const Entries& e = *context.entries;
    if (answer == status::out_of_memory) {
        std::size_t   free = 0, total = 0;
        const Current here(context);
        e.memory_info(&free, &total);
        return make_diagnostic(kDeviceMemory, {},
                               fmt::format("{}: {}; {} MiB of {} MiB are free", context.info.name,
                                           failed(e, call, answer), free >> 20U, total >> 20U));
    }
    return make_diagnostic(kDeviceFailure, {}, fmt::format("{}: {}", context.info.name, failed(e, call, answer)));
}

Result<DriverInfo> driver_info()
{
    return entries().transform(
        [](const std::shared_ptr<const Entries>& e) { return DriverInfo{e->path, e->version, e->devices}; });
}

Result<DeviceInfo> device_info(int ordinal)
{
    const Result<std::shared_ptr<const Entries>> loaded = entries();
    if (!loaded) return loaded.error();
    const Entries& e = **loaded;
    if (ordinal < 0 || ordinal >= e.devices)
        return unavailable(e.devices == 0 ? fmt::format("no CUDA device: the driver '{}' sees none", e.path)
                                          : fmt::format("no device cuda:{}: the driver sees {}, the last is cuda:{}",
                                                        ordinal, e.devices, e.devices - 1));
    DeviceInfo info{.ordinal = ordinal};
    int        device = 0;
    char       name[256]{};
    int        shared = 0;
    // CUdevice_attribute: 75 and 76 compute capability, 16 multiprocessors, 39 threads of one, 97 shared memory with
    // opt-in.
    // All calls are made before the first answer is looked at. They only read, so that is harmless.
    for (const auto& [answer, call] :
         {std::pair{e.device_get(&device, ordinal), "cuDeviceGet"},
          std::pair{e.device_name(name, sizeof name - 1, device), "cuDeviceGetName"},
          std::pair{e.device_memory(&info.memory, device), "cuDeviceTotalMem_v2"},
          std::pair{e.device_attribute(&info.major, 75, device), "cuDeviceGetAttribute"},
          std::pair{e.device_attribute(&info.minor, 76, device), "cuDeviceGetAttribute"},
          std::pair{e.device_attribute(&info.multiprocessors, 16, device), "cuDeviceGetAttribute"},
          std::pair{e.device_attribute(&info.threads_per_multiprocessor, 39, device), "cuDeviceGetAttribute"},
          std::pair{e.device_attribute(&shared, 97, device), "cuDeviceGetAttribute"}})
        if (answer != status::ok)
            return unavailable(fmt::format("no device cuda:{}: {}", ordinal, failed(e, call, answer)));
    info.name                   = name;
    info.shared_bytes_per_block = static_cast<std::size_t>(shared);
    return info;
}

ContextState::~ContextState()
{
    if (handle != nullptr) entries->context_release(info.ordinal);
}

Result<Context> Context::open(int ordinal)
{
    Result<DeviceInfo> info = device_info(ordinal);
    if (!info) return info.error();
    const Result<std::shared_ptr<const Entries>> loaded = entries();
    if (!loaded) return loaded.error();
    auto state     = std::make_shared<ContextState>();
    state->entries = *loaded;
    state->info    = *std::move(info);
    // The primary context is the one that the CUDA runtime uses: memory is shared with PyTorch and others.
    if (const int answer = state->entries->context_retain(&state->handle, ordinal); answer != status::ok) {
        state->handle = nullptr;
        if (answer == status::out_of_memory)
            return make_diagnostic(kDeviceMemory, {},
                                   fmt::format("{}: no memory for a context: {}", state->info.name,
                                               failed(*state->entries, "cuDevicePrimaryCtxRetain", answer)));
        return unavailable(fmt::format("{} cannot be used: {}", state->info.name,
                                       failed(*state->entries, "cuDevicePrimaryCtxRetain", answer)),
                           "Another program may hold it alone (exclusive mode): check with `nvidia-smi`.");
    }
    Context made;
    made.state_ = std::move(state);
    return made;
}

const DeviceInfo& Context::info() const { return state_->info; }
int               Context::driver_version() const { return state_->entries->version; }

Result<Context::Memory> Context::memory() const
{
    const Current here(*state_);
    Memory        memory;
    if (const int answer = state_->entries->memory_info(&memory.free, &memory.total); answer != status::ok)
        return failure(*state_, "cuMemGetInfo_v2", answer);
    return memory;
}

Result<void> Context::synchronize() const
{
    const Current here(*state_);
    if (const int answer = state_->entries->context_synchronize(); answer != status::ok)
        return failure(*state_, "cuCtxSynchronize", answer);
    return {};
}

}  // namespace mechane::device
