// Asks the loader which file this code was loaded from.

#include "core/own_folder.h"

#include <dlfcn.h>

#include <string_view>
#include <system_error>

namespace mechane {

std::filesystem::path own_folder()
{
    namespace fs = std::filesystem;
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
    std::error_code error;
    const fs::path  exe = fs::read_symlink("/proc/self/exe", error);
    // For a program the loader knows the name it was called by.
    const fs::path file = std::string_view(info.dli_fname).ends_with(".so") || error ? fs::path(info.dli_fname) : exe;
    return fs::weakly_canonical(file, error).parent_path();
}

}  // namespace mechane
