// Packages (.usdz): a layer with all that it refers to, in one file that needs nothing outside.
// Layers in it are rewritten to name their neighbours; equal content gives equal bytes; files from outside the allowed
// roots are refused.

#include <fmt/format.h>
#include <pxr/ar/asset.h>
#include <pxr/ar/defaultResolverContext.h>
#include <pxr/ar/packageUtils.h>
#include <pxr/ar/resolver.h>
#include <pxr/ar/resolverContextBinder.h>
#include <pxr/sdf/zipFile.h>
#include <pxr/tf/pathUtils.h>
#include <pxr/tf/stringUtils.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "mechane/files/codes.h"
#include "mechane/files/inputs.h"
#include "mechane/files/replace.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/files/suffix.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/layer_files.h"
#include "usd/asset_sources.h"
#include "usd/export.h"
#include "usd/guards.h"
#include "usd/layer_impl.h"
#include "usd/package_resolver.h"
#include "usd/runtime.h"

namespace mechane::usd {
namespace {

using namespace pxr;
namespace fs = std::filesystem;

/// Copies a layer and everything that it needs into a folder, which then becomes the package.
class Packing {
  public:
    Packing(fs::path folder, const PackageOptions& options, const files::Roots& roots, Diagnostics& found)
        : folder_(std::move(folder)), roots_(roots), found_(found), search_paths_(options.search_paths)
    {
    }

    /// Names in the package, the default layer first; nothing when a file could not be written.
    std::optional<std::vector<std::string>> pack(const SdfLayerRefPtr& root, const std::string& origin,
                                                 const std::string& shown, const std::string& name)
    {
        // As where a stage of this layer looks.
        if (!origin.empty()) search_paths_.insert(search_paths_.begin(), fs::path(origin).parent_path().string());
        const ArResolverContext       context{ArDefaultResolverContext(search_paths_)};
        const ArResolverContextBinder bind(context);
        if (!origin.empty()) names_[origin] = name;
        variables_ = root->GetExpressionVariables();
        taken_.insert(name);
        root_folder_ = fs::path(origin).parent_path().string();
        if (const std::string folder = fs::path(file_of(origin)).parent_path().string(); !folder.empty())
            roots_.folders.push_back(folder);
        waiting_.push_back({root, origin, shown, name});
        // Layers bring further ones in while the list is worked off.
        for (std::size_t i = 0; i < waiting_.size(); ++i)
            if (!write(waiting_[i]) || refused) return std::nullopt;
        std::vector<std::string> out;
        for (const Waiting& layer : waiting_) out.push_back(layer.name);
        out.insert(out.end(), files_.begin(), files_.end());
        return out;
    }

    std::optional<Diagnostic> refused;  ///< a file from outside the roots

  private:
    struct Waiting {
        SdfLayerRefPtr layer;
        std::string    origin, shown, name;
    };

    bool write(const Waiting waiting)  // a copy: the list grows meanwhile
    {
        const SdfLayerRefPtr copy = SdfLayer::CreateAnonymous("packed.usda");
        copy->TransferContent(waiting.layer);
        rewrite_assets(copy, [&](const std::string& authored) { return packed(waiting, authored); });
        rewrite_clip_templates(copy, [&](const std::string& authored) { return frames(waiting, authored); });
        for (const std::string& said : evaluated_assets(waiting.layer, variables_)) expressed(waiting, said);
        const fs::path target = folder_ / waiting.name;
        fs::create_directories(target.parent_path());
        return export_layer(copy, target.string(), files::has_suffix(target, {".usda"}));
    }

    /// The path of an asset as seen from the packed layer; brings the asset in.
    std::string packed(const Waiting& from, const std::string& authored)
    {
        if (authored.find("<UDIM>") != std::string::npos) return tiles(from, authored);
        const std::string resolved = ArGetResolver().Resolve(anchored_asset(from.origin, authored)).GetPathString();
        if (resolved.empty()) {
            found_.add(kAssetMissing, {.layer = from.shown}, fmt::format("'{}' was not found", authored));
            return authored;
        }
        const std::string name = bring(resolved);
        return name.empty() ? authored : relative(from.name, name);
    }

    std::string tiles(const Waiting& from, const std::string& authored)
    {
        const std::size_t at = authored.find("<UDIM>");
        std::string       name;
        // Tiles of UDIM are numbered 1001 to 1100.
        for (int tile = 1001; tile <= 1100; ++tile) {
            std::string one = authored;
            one.replace(at, 6, std::to_string(tile));
            const std::string resolved = ArGetResolver().Resolve(anchored_asset(from.origin, one)).GetPathString();
            if (resolved.empty()) continue;
            name = bring(resolved);
            if (const std::size_t number = name.rfind(std::to_string(tile)); number != std::string::npos)
                name.replace(number, 4, "<UDIM>");
        }
        return name.empty() ? authored : relative(from.name, name);
    }

    /// The clips of a template, "clips/c.###.usda" or "clips/c.###.##.usda": whatever stands there in place of the
    /// signs.
    std::string frames(const Waiting& from, const std::string& authored)
    {
        const std::string whole = anchored_asset(from.origin, authored);
        const std::size_t first = whole.find('#'), end = whole.find_last_of('#') + 1;
        if (first == std::string::npos || ArIsPackageRelativePath(whole)) return authored;
        const fs::path           folder = fs::path(whole).parent_path();
        std::error_code          failed;
        std::vector<std::string> all;
        for (auto at = fs::directory_iterator(folder, failed); !failed && at != fs::directory_iterator();
             at.increment(failed)) {
            const std::string one = at->path().string();
            if (one.size() >= whole.size() - (end - first) && one.starts_with(whole.substr(0, first)) &&
                one.ends_with(whole.substr(end)))
                all.push_back(one);
        }
        std::sort(all.begin(), all.end());
        std::string name;
        for (const std::string& one : all)
            if (const std::string brought = bring(one); !brought.empty()) name = brought;
        if (name.empty()) {
            found_.add(kAssetMissing, {.layer = from.shown}, fmt::format("'{}' was not found", authored));
            return authored;
        }
        return relative(from.name, (fs::path(name).parent_path() / fs::path(whole).filename()).generic_string());
    }

    /// What an expression says: the file comes along; the expression stays, so the file has to lie where it leads to.
    void expressed(const Waiting& from, const std::string& said)
    {
        const std::string resolved = ArGetResolver().Resolve(anchored_asset(from.origin, said)).GetPathString();
        const std::string name     = resolved.empty() ? std::string() : bring(resolved);
        const std::string leads    = (fs::path(from.name).parent_path() / said).lexically_normal().generic_string();
        if (name.empty() || name != leads)
            found_.add(kAssetMissing, {.layer = from.shown},
                       fmt::format("'{}', which an expression says, is not where it leads to in the package", said));
    }

    /// Brings a resolved file into the package and returns its name there; empty when it cannot be read.
    std::string bring(const std::string& resolved)
    {
        const auto [known, fresh] = names_.try_emplace(resolved);
        if (!fresh) return known->second;
        if (auto admitted = roots_.admit(file_of(resolved), found_); !admitted) {
            if (!refused) refused = admitted.error();
            return {};
        }
        std::string name = free_name(resolved);
        if (is_layer_name(name)) {
            const SdfLayerRefPtr layer = SdfLayer::OpenAsAnonymous(resolved);
            if (!layer) {
                found_.add(kAssetMissing, {.layer = resolved}, "the layer could not be opened");
                return {};
            }
            waiting_.push_back({layer, resolved, resolved, name});
        } else if (copy_file(resolved, name)) {
            files_.push_back(name);
        } else {
            found_.add(kAssetMissing, {.layer = resolved}, "the file could not be read");
            return {};
        }
        return names_[resolved] = std::move(name);
    }

    bool copy_file(const std::string& resolved, const std::string& name)
    {
        std::error_code unknown;  // nobody waits for the other end of a pipe
        if (!fs::is_regular_file(file_of(resolved), unknown)) return false;
        const auto asset = ArGetResolver().OpenAsset(ArResolvedPath(resolved));
        if (!asset) return false;
        const auto     bytes  = asset->GetBuffer();
        const fs::path target = folder_ / name;
        fs::create_directories(target.parent_path());
        std::ofstream stream(target, std::ios::binary);
        if (bytes) stream.write(bytes.get(), static_cast<std::streamsize>(asset->GetSize()));
        return bytes && stream.flush().good();
    }

    /// The file on the disk that a path leads to: of what lies in a package, the package.
    static std::string file_of(const std::string& resolved)
    { return ArIsPackageRelativePath(resolved) ? ArSplitPackageRelativePathOuter(resolved).first : resolved; }

    /// Files below the root layer's folder keep their place; others lie in "assets/". A taken name gets a number.
    std::string free_name(const std::string& resolved)
    {
        std::string name     = resolved;
        const bool  packaged = ArIsPackageRelativePath(resolved);  // other brackets belong to a file's name
        if (packaged) std::replace_if(name.begin(), name.end(), [](char c) { return c == '[' || c == ']'; }, '/');
        while (name.ends_with('/')) name.pop_back();
        const fs::path below  = fs::path(resolved).lexically_relative(root_folder_.empty() ? "/" : root_folder_);
        const bool     inside = !root_folder_.empty() && !below.empty() && *below.begin() != ".." && !packaged;
        name                  = inside ? below.generic_string() : "assets/" + fs::path(name).filename().string();
        const fs::path wanted = name;
        for (int i = 1; !taken_.insert(name).second; ++i)
            name =
                (wanted.parent_path() / fmt::format("{}_{}{}", wanted.stem().string(), i, wanted.extension().string()))
                    .generic_string();
        return name;
    }

    /// "./" keeps a path beside its layer from being looked up in search paths.
    static std::string relative(const std::string& from, const std::string& to)
    {
        const std::string path = fs::path(to).lexically_relative(fs::path(from).parent_path()).generic_string();
        return path.starts_with("../") ? path : "./" + path;
    }

    fs::path                           folder_;
    files::Roots                       roots_;
    Diagnostics&                       found_;
    std::vector<std::string>           search_paths_;
    std::string                        root_folder_;
    std::map<std::string, std::string> names_;  ///< resolved path -> name in the package
    std::set<std::string>              taken_;
    std::vector<Waiting>               waiting_;
    VtDictionary                       variables_;  ///< of the root layer
    std::vector<std::string>           files_;
};

/// Equal content gives equal bytes: a zip file holds the time of each entry, and its time begins in 1980.
bool set_fixed_time(const fs::path& file)
{
    constexpr std::time_t kNoon1980 = 315'576'000;  // 1980-01-01 12:00 UTC, in 1980 for the local time of every zone
    std::error_code       failed;
    fs::last_write_time(file, std::chrono::file_clock::from_sys(std::chrono::system_clock::from_time_t(kNoon1980)),
                        failed);
    return !failed;
}

/// OpenUSD does not look at what a full disk did not take.
bool is_whole(const std::string& package, const fs::path& folder, const std::vector<std::string>& names)
{
    const SdfZipFile zip = SdfZipFile::Open(package);
    if (!zip) return false;
    for (const std::string& name : names) {
        std::error_code failed;
        const auto      entry = zip.Find(name);
        if (entry == zip.end() || entry.GetFileInfo().size != fs::file_size(folder / name, failed) || failed)
            return false;
    }
    return true;
}

/// The files of a folder as a package, in this order.
bool zip_files(const std::string& package, const fs::path& folder, const std::vector<std::string>& names)
{
    SdfZipFileWriter zip = SdfZipFileWriter::CreateNew(package);
    for (const std::string& name : names)
        if (!zip || !set_fixed_time(folder / name) || zip.AddFile((folder / name).string(), name).empty()) return false;
    return zip.Save() && is_whole(package, folder, names);
}

}  // namespace

Result<void> pack_files(const std::string& folder, const std::vector<std::string>& names, const std::string& file,
                        bool may_be_input)
{
    if (!may_be_input)
        if (auto refused = files::refuse_input(file); !refused) return refused;
    return replace_file(file, [&](const std::string& temporary) { return zip_files(temporary, folder, names); });
}

Result<void> write_package(const Layer& layer, const std::string& file, const PackageOptions& options,
                           Diagnostics& found)
{ return write_package_within(layer, file, options, {}, found); }

files::Roots roots_of(const std::vector<std::string>& folders, files::Outside outside, const OpenOptions& open)
{
    files::Roots out{.folders = folders, .outside = outside};
    out.folders.insert(out.folders.end(), open.search_paths.begin(), open.search_paths.end());
    for (const auto& [name, folder] : open.packages) out.folders.push_back(folder);
    return out;
}

Result<void> write_package_within(const Layer& layer, const std::string& file, const PackageOptions& options,
                                  const files::Roots& roots, Diagnostics& found)
{
    if (!is_package_name(file)) return make_diagnostic(kWriteFailed, {.layer = file}, "a package has the suffix .usdz");
    if (auto possible = files::try_target(file); !possible)
        return possible.error().id == files::kInput.id
                   ? possible
                   : make_diagnostic(kWriteFailed, possible.error().site, possible.error().message);
    const auto folder = files::ScratchFolder::temporary(fs::absolute(file).parent_path());
    if (folder.path().empty())
        return make_diagnostic(kWriteFailed, {.layer = file}, "no temporary folder could be made");
    MessageScope messages;
    GuardScope   guard(options.limits);
    set_packages(options.packages);
    const Layer::Impl& root = layer.impl();
    // The default layer of a package is its first file, in binary for readers that map it into memory.
    const std::string name = fs::path(file).stem().string() + ".usdc";
    Packing           packing(folder.path(), options, roots, found);
    const auto        names = packing.pack(root.layer, root.origin, root.file, name);
    if (packing.refused) return *packing.refused;
    if (!names) return make_diagnostic(kWriteFailed, {.layer = file}, "a layer could not be put into the package");
    return replace_file(file,
                        [&](const std::string& temporary) { return zip_files(temporary, folder.path(), *names); });
}

}  // namespace mechane::usd
