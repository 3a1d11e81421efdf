// Where the ROS environment has the packages of package:// addresses (REP-0158 1.2.5).
// Needs the standard library alone: the program's resolver and the plug-in for other programs, which is
// built from it too, share it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mechane::package_paths {

inline constexpr std::string_view kScheme = "package://";

namespace fs = std::filesystem;

inline bool is_there(const fs::path& path)
{
    std::error_code failed;
    return fs::exists(path, failed);
}

/// Calls `use` for the parts of a list like PATH until it gives true.
inline void for_each_entry(const char* variable, const auto& use)
{
    const char* const text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
    std::string_view  left = text == nullptr ? "" : text;
    while (!left.empty()) {
        const std::size_t end   = std::min(left.find(':'), left.size());
        const auto        entry = left.substr(0, end);
        if (!entry.empty() && use(fs::path(entry))) return;
        left.remove_prefix(std::min(left.size(), end + 1));
    }
}

/// The folder called `name` that holds a package.xml, at `top` or below; packages do not nest. The nearest one first,
/// by name where several are as near.
inline std::string find_source_package(const fs::path& top, const std::string& name)
{
    constexpr int         kDepth = 8, kFolders = 100'000;
    std::vector<fs::path> level{top};
    int                   seen = 0;
    for (int depth = 0; depth <= kDepth && !level.empty(); ++depth) {
        std::sort(level.begin(), level.end());
        std::vector<fs::path> next;
        for (const fs::path& folder : level) {
            if (++seen > kFolders) return {};
            if (is_there(folder / "package.xml")) {
                if (folder.filename() == name) return folder.string();
                continue;
            }
            if (is_there(folder / "AMENT_IGNORE") || is_there(folder / "COLCON_IGNORE") ||
                is_there(folder / "CATKIN_IGNORE"))
                continue;
            std::error_code failed;
            for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed), end;
                 !failed && at != end; at.increment(failed))
                if (at->is_directory(failed) && !at->is_symlink(failed) &&
                    !at->path().filename().string().starts_with('.'))
                    next.push_back(at->path());
        }
        level = std::move(next);
    }
    return {};
}

/// True for what may name a package: no folder, nothing hidden.
inline bool is_name(std::string_view name)
{ return !name.empty() && name.find('/') == std::string_view::npos && name.front() != '.'; }

/// The folder of a package: an installed one (AMENT_PREFIX_PATH), then one among sources (ROS_PACKAGE_PATH). Empty
/// where there is none.
inline std::string find_in_environment(const std::string& name)
{
    std::string found;
    for_each_entry("AMENT_PREFIX_PATH", [&](const fs::path& prefix) {
        if (is_there(prefix / "share/ament_index/resource_index/packages" / name))
            found = (prefix / "share" / name).string();
        return !found.empty();
    });
    if (found.empty())
        for_each_entry("ROS_PACKAGE_PATH", [&](const fs::path& entry) {
            found = find_source_package(entry, name);
            return !found.empty();
        });
    return found;
}

/// "package://arm/urdf/a.usda" -> the file below the folder that `folder_of` gives for "arm". Empty where the address
/// is none, the package is unknown or the path leaves it. Whether the file exists is not asked.
inline std::string file_of(std::string_view                                              address,
                           const std::function<std::string(const std::string& package)>& folder_of)
{
    if (!address.starts_with(kScheme)) return {};
    const std::size_t slash = address.find('/', kScheme.size());
    if (slash == std::string_view::npos) return {};
    const fs::path inside = fs::path(address.substr(slash + 1)).lexically_normal();
    if (inside.empty() || inside.is_absolute() || *inside.begin() == "..") return {};
    const std::string folder = folder_of(std::string(address.substr(kScheme.size(), slash - kScheme.size())));
    return folder.empty() ? folder : (fs::path(folder) / inside).string();
}

}  // namespace mechane::package_paths
