// What the program's resolver of package:// addresses and the plug-in for other programs share: everything but where
// a package is. Needs OpenUSD's Ar and the standard library alone.
#pragma once

#include <pxr/ar/filesystemAsset.h>
#include <pxr/ar/filesystemWritableAsset.h>
#include <pxr/ar/resolver.h>

#include <filesystem>
#include <memory>
#include <string>

#include "usd/package_paths.h"

namespace mechane::package_paths {

/// Files are read and written in place: a package:// address is another spelling of a path.
class PackageResolverBase : public pxr::ArResolver {
  protected:
    /// "package://arm/urdf/a.usda" -> the file, there or not; empty where the package is unknown or the path leaves it.
    [[nodiscard]] virtual std::string find(const std::string& address) const = 0;
    /// Whether a file is there that may be read.
    [[nodiscard]] virtual bool may_read(const std::string& file) const = 0;

    std::string _CreateIdentifier(const std::string& path, const pxr::ArResolvedPath& anchor) const final
    {
        if (path.starts_with(kScheme) || anchor.empty()) return path;
        return (fs::path(anchor.GetPathString()).parent_path() / path).lexically_normal().string();
    }
    std::string _CreateIdentifierForNewAsset(const std::string& path, const pxr::ArResolvedPath& anchor) const final
    { return _CreateIdentifier(path, anchor); }
    pxr::ArResolvedPath _Resolve(const std::string& path) const final
    {
        std::string file = find(path);
        if (file.empty() || !may_read(file)) return pxr::ArResolvedPath();
        return pxr::ArResolvedPath(std::move(file));
    }
    pxr::ArResolvedPath _ResolveForNewAsset(const std::string& path) const final
    { return pxr::ArResolvedPath(find(path)); }
    std::shared_ptr<pxr::ArAsset> _OpenAsset(const pxr::ArResolvedPath& path) const final
    { return pxr::ArFilesystemAsset::Open(path); }
    std::shared_ptr<pxr::ArWritableAsset> _OpenAssetForWrite(const pxr::ArResolvedPath& path,
                                                             WriteMode                  mode) const final
    { return pxr::ArFilesystemWritableAsset::Create(path, mode); }
    std::string _GetExtension(const std::string& path) const final
    {
        const std::string extension = fs::path(path).extension().string();
        return extension.empty() ? extension : extension.substr(1);
    }
};

}  // namespace mechane::package_paths
