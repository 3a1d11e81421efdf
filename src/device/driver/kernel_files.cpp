#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/own_folder.h"
#include "mechane/device/codes.h"
#include "mechane/device/driver.h"
#include "mechane/files/read.h"

namespace mechane::device {

namespace {

namespace fs = std::filesystem;

// By nvcc of CUDA 13: PTX and machine code. By NVRTC of CUDA 12, for drivers that do not know CUDA 13: PTX.
constexpr const char *kNew = "mechane_kernels.fatbin", *kOld = "mechane_kernels_cu12.ptx";
constexpr int         kNewNeeds     = 13000;
constexpr int         kFoldersAbove = 3;
constexpr std::size_t kMostBytes    = std::size_t{256} << 20U;

std::vector<fs::path> places()
{
    std::vector<fs::path> all;
    fs::path              folder = own_folder();
    all.push_back(folder);
    all.push_back(folder.parent_path() / "lib" / "mechane");
    for (int k = 0; k < kFoldersAbove && folder.has_relative_path(); ++k, folder = folder.parent_path())
        all.push_back(folder / "cuda");
    return all;
}

}  // namespace

Result<std::vector<std::string>> find_kernels(int driver_version)
{
    std::vector<fs::path>    looked;
    std::vector<std::string> found;
    std::error_code          error;
    const char* const        named = std::getenv("MECHANE_CUDA_KERNELS");
    if (named != nullptr && *named != '\0') {
        if (fs::is_regular_file(named, error)) return std::vector<std::string>{named};
        looked = {named};
    } else {
        looked = places();
    }
    std::pair<const char*, const char*> order{kNew, kOld};
    if (driver_version < kNewNeeds) std::swap(order.first, order.second);
    for (const fs::path& folder : looked) {
        for (const char* const name : {order.first, order.second})
            if (fs::is_regular_file(folder / name, error)) found.push_back((folder / name).string());
        if (!found.empty()) return found;
    }
    std::vector<std::string> names;
    for (const fs::path& folder : looked) names.push_back(folder.string());
    return make_diagnostic(
        kDeviceKernels, {},
        fmt::format("the kernels for the device were not found: no {} in {}", kNew, fmt::join(names, ", ")));
}

Result<Module> Module::load_kernels(const Context& context)
{
    const Result<std::vector<std::string>> found = find_kernels(context.driver_version());
    if (!found) return found.error();
    std::optional<Diagnostic> first;
    for (const std::string& file : *found) {
        Result<std::string> bytes = files::read_own(file, kMostBytes);
        Result<Module>      loaded =
            bytes ? Module::load(context, std::as_bytes(std::span(bytes->c_str(), bytes->size() + 1)), file)
                  : Result<Module>(bytes.error());
        if (loaded) return loaded;
        if (!first) first = loaded.error();
    }
    return *first;
}

}  // namespace mechane::device
