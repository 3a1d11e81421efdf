// A plug-in for other programs with OpenUSD (usdview, usdcat, Python): package:// addresses, resolved as Mechane does.
#include <pxr/ar/defineResolver.h>
#include <pxr/ar/filesystemAsset.h>
#include <pxr/ar/filesystemWritableAsset.h>
#include <pxr/ar/resolver.h>

#include <filesystem>
#include <memory>
#include <string>

#include "usd/package_paths.h"

using namespace pxr;  // the registration macro below needs OpenUSD's names
namespace paths = mechane::package_paths;

/// Registered by the plugInfo.json beside it, for the scheme "package".
class MechanePackageUriResolver final : public ArResolver {
  protected:
    std::string _CreateIdentifier(const std::string& path, const ArResolvedPath& anchor) const override
    {
        if (path.starts_with(paths::kScheme) || anchor.empty()) return path;
        return (std::filesystem::path(anchor.GetPathString()).parent_path() / path).lexically_normal().string();
    }
    std::string _CreateIdentifierForNewAsset(const std::string& path, const ArResolvedPath& anchor) const override
    { return _CreateIdentifier(path, anchor); }
    /// The environment is asked each time: a program that runs for hours may change it, and OpenUSD keeps what it
    /// opened.
    ArResolvedPath _Resolve(const std::string& path) const override
    {
        const std::string file = paths::file_of(path, paths::find_in_environment);
        std::error_code   failed;
        return ArResolvedPath(std::filesystem::is_regular_file(file, failed) ? file : std::string());
    }
    ArResolvedPath _ResolveForNewAsset(const std::string& path) const override
    { return ArResolvedPath(paths::file_of(path, paths::find_in_environment)); }
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

AR_DEFINE_RESOLVER(MechanePackageUriResolver, ArResolver);
