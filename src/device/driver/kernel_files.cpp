// Where the compiled kernels are looked for: the file or folder that MECHANE_CUDA_KERNELS names, else beside the
// program or library, in ../lib/mechane (an installation), and in `cuda` of the folders above (a build tree).
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
// Versions are 1000 * major + 10 * minor.
constexpr int kNewNeeds = 13000;
// build/release/bin, build/release/python/mechane: the folder `cuda` lies at most two above.
constexpr int kFoldersAbove = 3;
// Far above the size of our kernels: a larger file is another one, and is not read.
constexpr std::size_t kMostBytes = std::size_t{256} << 20U;

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
    // The file for the newer CUDA has machine code and is better; a driver that does not know it takes the older
    // first.
    if (driver_version < kNewNeeds) std::swap(order.first, order.second);
    for (const fs::path& folder : looked) {
        for (const char* const name : {order.first, order.second})
            if (fs::is_regular_file(folder / name, error)) found.push_back((folder / name).string());
        // The first folder that has one counts: kernels of two versions are not mixed.
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
        // The byte after the text's end is passed too: PTX must end with a zero.
        Result<std::string> bytes = files::read_own(file, kMostBytes);
        Result<Module>      loaded =
            bytes ? Module::load(context, std::as_bytes(std::span(bytes->c_str(), bytes->size() + 1)), file)
                  : Result<Module>(bytes.error());
        if (loaded) return loaded;
        // If none loads, the first cause is told: it is that of the file that fits the driver best.
        if (!first) first = loaded.error();
    }
    return *first;
}

}  // namespace mechane::device
