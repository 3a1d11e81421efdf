#include "mechane/usd/asset_bytes.h"

#include <pxr/ar/asset.h>
#include <pxr/ar/packageUtils.h>
#include <pxr/ar/resolver.h>
#include <pxr/sdf/fileFormat.h>
#include <pxr/sdf/zipFile.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace mechane::usd {
namespace {

using namespace pxr;

std::string first_bytes_on_disk(const std::string& file, std::size_t limit)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return {};  // opening a pipe would wait for its other end
    std::FILE* in = std::fopen(file.c_str(), "rb");
    if (in == nullptr) return {};
    std::string bytes(limit, '\0');
    bytes.resize(std::fread(bytes.data(), 1, limit, in));
    std::fclose(in);
    return bytes;
}

}  // namespace

PackagedFile packaged_file(const std::string& file)
{
    if (ArIsPackageRelativePath(file)) {
        auto [package, inner] = ArSplitPackageRelativePathInner(file);
        return {std::move(package), std::move(inner)};
    }
    if (!file.ends_with(".usdz")) return {};
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
    if (!ArIsPackageRelativePath(file)) return first_bytes_on_disk(file, limit);
    const auto asset = ArGetResolver().OpenAsset(ArResolvedPath(file));
    if (!asset) return {};
    std::string bytes(std::min(limit, asset->GetSize()), '\0');
    bytes.resize(asset->Read(bytes.data(), bytes.size(), 0));
    return bytes;
}

}  // namespace mechane::usd
