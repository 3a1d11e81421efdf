// Files inside packages and the first bytes of a file, by OpenUSD's asset resolver where a package is involved.

#include "mechane/usd/asset_bytes.h"

#include <pxr/ar/asset.h>
#include <pxr/ar/packageUtils.h>
#include <pxr/ar/resolver.h>
#include <pxr/sdf/fileFormat.h>
#include <pxr/sdf/zipFile.h>

#include <algorithm>

#include "mechane/files/read.h"
#include "mechane/usd/file_names.h"

namespace mechane::usd {

using namespace pxr;

PackagedFile packaged_file(const std::string& file)
{
    if (ArIsPackageRelativePath(file)) {
        auto [package, inner] = ArSplitPackageRelativePathInner(file);
        return {std::move(package), std::move(inner)};
    }
    if (!is_package_name(file)) return {};
    return {file, SdfFileFormat::FindByExtension("usdz")->GetPackageRootLayerPath(file)};
}

std::vector<std::string> package_files(const std::string& package)
{
    std::vector<std::string> names;
    const auto               asset = ArGetResolver().OpenAsset(ArResolvedPath(package));
    if (!asset) return names;
    const SdfZipFile zip = SdfZipFile::Open(asset);
    if (!zip) return names;
    for (const std::string& name : zip) names.push_back(name);
    return names;
}

std::string first_bytes(const std::string& file, std::size_t limit)
{
    if (!ArIsPackageRelativePath(file)) {
        auto bytes = files::read_head(file, limit);
        return bytes ? *std::move(bytes) : std::string();
    }
    const auto asset = ArGetResolver().OpenAsset(ArResolvedPath(file));
    if (!asset) return {};
    std::string bytes(std::min(limit, asset->GetSize()), '\0');
    bytes.resize(asset->Read(bytes.data(), bytes.size(), 0));
    return bytes;
}

}  // namespace mechane::usd
