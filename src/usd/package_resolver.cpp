#include "usd/package_resolver.h"

#include <pxr/ar/defaultResolver.h>
#include <pxr/ar/defineResolver.h>
#include <pxr/ar/filesystemAsset.h>
#include <pxr/ar/filesystemWritableAsset.h>

#include <filesystem>
#include <mutex>
#include <string_view>

namespace {
std::mutex                         g_mutex;
std::map<std::string, std::string> g_packages;

constexpr std::string_view kScheme = "package://";

/// "package://arm/urdf/a.usda" -> the file, or empty when the package is unknown.
std::string find_in_package(const std::string& path)
{
    if (!path.starts_with(kScheme)) return {};
    const std::size_t slash = path.find('/', kScheme.size());
    if (slash == std::string::npos) return {};
    const std::lock_guard lock(g_mutex);
    const auto            found = g_packages.find(path.substr(kScheme.size(), slash - kScheme.size()));
    if (found == g_packages.end()) return {};
    return (std::filesystem::path(found->second) / path.substr(slash + 1)).lexically_normal().string();
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
        std::error_code   failed;
        return !file.empty() && std::filesystem::is_regular_file(file, failed) ? ArResolvedPath(file)
                                                                               : ArResolvedPath();
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

void set_packages(const std::map<std::string, std::string>& packages)
{
    const std::lock_guard lock(g_mutex);
    for (const auto& [name, folder] : packages) g_packages[name] = folder;
}

std::string unknown_package(const std::string& address)
{
    if (!address.starts_with(kScheme)) return {};
    const std::string     package = address.substr(kScheme.size(), address.find('/', kScheme.size()) - kScheme.size());
    const std::lock_guard lock(g_mutex);
    return g_packages.contains(package) ? std::string() : package;
}

}  // namespace mechane::usd
