// The files that a layer names, for watching and for packages: resolved where they exist, looked up by pattern where a
// name stands for several.

#include "usd/dependencies.h"

#include <pxr/ar/packageUtils.h>
#include <pxr/ar/resolver.h>

#include <algorithm>
#include <filesystem>

#include "mechane/usd/file_names.h"
#include "mechane/usd/stage_layers.h"
#include "usd/layer_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;
namespace fs = std::filesystem;

/// Tiles of a texture ("skin.<UDIM>.png") and files of a template of clips ("walk.###.usd").
std::vector<std::string> files_like(const fs::path& pattern)
{
    const std::string name = pattern.filename().string();
    const std::size_t tile = name.find("<UDIM>"), frame = name.find('#');
    const std::size_t open = std::min(tile, frame);
    if (open == std::string::npos) return {};
    const std::size_t        close = tile < frame ? tile + 6 : name.find_last_of('#') + 1;
    const std::string        begin = name.substr(0, open), end = name.substr(close);
    std::vector<std::string> found;
    std::error_code          failed;
    for (auto at = fs::directory_iterator(pattern.parent_path(), failed); !failed && at != fs::directory_iterator();
         at.increment(failed)) {
        const std::string other = at->path().filename().string();
        if (other.size() >= begin.size() + end.size() && other.starts_with(begin) && other.ends_with(end))
            found.push_back(at->path().string());
    }
    return found;
}

}  // namespace

std::vector<std::string> files_named_by(const std::string& file)
{
    if (!is_layer_name(file)) return {};
    const auto layer = Layer::open(file);
    if (!layer) return {};
    std::vector<std::string> out;
    const std::string&       origin = layer->impl().origin;
    for_each_asset(*layer, [&](const Path&, const Token&, const std::string& authored) {
        std::string place = ArGetResolver().Resolve(anchored_asset(origin, authored)).GetPathString();
        if (ArIsPackageRelativePath(place)) place = ArSplitPackageRelativePathOuter(place).first;
        if (!place.empty())
            out.push_back(std::move(place));
        else if (authored.find("://") == std::string::npos)
            for (std::string& one : files_like((fs::path(origin).parent_path() / authored).lexically_normal()))
                out.push_back(std::move(one));
    });
    return out;
}

}  // namespace mechane::usd
