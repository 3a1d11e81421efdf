#include "usd/package_resolver.h"

#include <pxr/ar/defaultResolver.h>
#include <pxr/ar/defineResolver.h>
#include <pxr/ar/filesystemAsset.h>
#include <pxr/ar/filesystemWritableAsset.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <vector>

#include "mechane/files/trace.h"
#include "mechane/usd/packages.h"

namespace {
std::mutex                         g_packages_mutex;
std::map<std::string, std::string> g_packages;
std::map<std::string, std::string> g_found;  ///< in the environment, by package and environment; empty: not there

constexpr std::string_view kScheme = "package://";

namespace fs = std::filesystem;

bool is_there(const fs::path& path)
{
    std::error_code failed;
    return fs::exists(path, failed);
}

/// Calls `use` for the parts of a list like PATH until it gives true.
void for_each_entry(const char* variable, const auto& use)
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
std::string find_source_package(const fs::path& top, const std::string& name)
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

/// Where the ROS environment has a package (REP-0158 1.2.5): an installed one, then one among sources.
std::string find_in_environment(const std::string& name)
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

/// The folder of a package, or empty.
std::string looked_up(const std::string& name)
{
    if (name.empty() || name.find('/') != std::string::npos || name.front() == '.') return {};
    const std::lock_guard lock(g_packages_mutex);
    if (const auto given = g_packages.find(name); given != g_packages.end()) return given->second;
    std::string key = name;
    for (const char* variable : {"AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH"})
        if (const char* text = std::getenv(variable))
            key.append(1, '\n').append(text);  // NOLINT(concurrency-mt-unsafe)
    const auto [at, fresh] = g_found.try_emplace(std::move(key));
    if (fresh) at->second = find_in_environment(name);
    return at->second;
}

constexpr std::string_view kQuestion = "package ";

std::string folder_of(const std::string& name)
{
    std::string folder = looked_up(name);
    mechane::files::note_answer(std::string(kQuestion) + name, folder);
    return folder;
}

/// "package://arm/urdf/a.usda" -> the file; empty when the package is unknown or the path leaves it.
std::string find_in_package(const std::string& path)
{
    if (!path.starts_with(kScheme)) return {};
    const std::size_t slash = path.find('/', kScheme.size());
    if (slash == std::string::npos) return {};
    const fs::path inside = fs::path(path.substr(slash + 1)).lexically_normal();
    if (inside.empty() || inside.is_absolute() || *inside.begin() == "..") return {};
    const std::string folder = folder_of(path.substr(kScheme.size(), slash - kScheme.size()));
    return folder.empty() ? folder : (fs::path(folder) / inside).string();
}
}  // namespace

using namespace pxr;  // the registration macro below needs OpenUSD's names

/// Resolves package:// addresses to files. Registered through the plug-in file beside OpenUSD's own
/// (mechane/resources/plugInfo.json).
class MechanePackageResolver final : public ArResolver {
  protected:
    std::string _CreateIdentifier(const std::string& path, const ArResolvedPath& anchor) const override
    {
        const std::string text = path;
        if (text.starts_with(kScheme) || anchor.empty()) return text;
        return (std::filesystem::path(anchor.GetPathString()).parent_path() / text).lexically_normal().string();
    }
    std::string _CreateIdentifierForNewAsset(const std::string& path, const ArResolvedPath& anchor) const override
    { return _CreateIdentifier(path, anchor); }
    ArResolvedPath _Resolve(const std::string& path) const override
    {
        const std::string file = find_in_package(path);
        if (file.empty() || mechane::files::probe(file) != mechane::files::Kind::file) return ArResolvedPath();
        if (mechane::files::Trace* const trace = mechane::files::current_trace())
            trace->read(file);  // also where the layer is open already
        return ArResolvedPath(file);
    }
    ArResolvedPath _ResolveForNewAsset(const std::string& path) const override
    { return ArResolvedPath(find_in_package(path)); }
    std::shared_ptr<ArAsset> _OpenAsset(const ArResolvedPath& path) const override
    { return ArFilesystemAsset::Open(path); }
    std::shared_ptr<ArWritableAsset> _OpenAssetForWrite(const ArResolvedPath& path, WriteMode mode) const override
    { return ArFilesystemWritableAsset::Create(path, mode); }
    std::string _GetExtension(const std::string& path) const override
    {
        const std::string extension = std::filesystem::path(path).extension().string();
        return extension.empty() ? extension : extension.substr(1);
    }
};

AR_DEFINE_RESOLVER(MechanePackageResolver, ArResolver);

namespace mechane::usd {

void answer_for_packages(const std::map<std::string, std::string>& packages)
{
    set_packages(packages);
    files::set_answerer([](const std::string& question) {
        return question.starts_with(kQuestion) ? looked_up(question.substr(kQuestion.size())) : std::string();
    });
}

void set_packages(const std::map<std::string, std::string>& packages)
{
    const std::lock_guard lock(g_packages_mutex);
    for (const auto& [name, folder] : packages) g_packages[name] = folder;
}

std::string package_folder(const std::string& name, const std::map<std::string, std::string>& given)
{
    const auto found = given.find(name);
    return found != given.end() ? found->second : folder_of(name);
}

std::string unknown_package(const std::string& address)
{
    if (!address.starts_with(kScheme)) return {};
    const std::string package = address.substr(kScheme.size(), address.find('/', kScheme.size()) - kScheme.size());
    return folder_of(package).empty() ? package : std::string();
}

}  // namespace mechane::usd
