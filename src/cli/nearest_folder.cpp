#include "cli/nearest_folder.h"

#include <system_error>

#include "mechane/files/replace.h"

namespace mechane::cli {

std::filesystem::path nearest_folder(const std::string& result)
{
    std::error_code       failed;
    std::filesystem::path folder = std::filesystem::path(files::real_place(result)).parent_path();
    while (!std::filesystem::is_directory(folder, failed) && folder != folder.parent_path())
        folder = folder.parent_path();
    return folder;
}

}  // namespace mechane::cli
