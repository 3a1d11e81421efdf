// The files that a layer names, for watching and for packages: resolved where they exist, looked up by pattern where a
// name stands for several.

#include "usd/dependencies.h"

#include <pxr/ar/packageUtils.h>
#include <pxr/ar/resolver.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>
#include <unordered_set>

#include "mechane/files/read.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/foreign.h"
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

/// What lies where a text says, seen from its folder: names in quotes or between at signs, also behind "package://".
// A file that cannot be parsed has no values that could be asked for. A name too many protects a file too many.
std::vector<std::string> files_in_text(const std::string& file)
{
    constexpr std::uint64_t kMost = std::uint64_t{64} << 20;
    const auto              text  = files::read(file, kMost);
    if (!text) return {};
    std::unordered_set<std::string_view> names;  // a robot repeats its words many times
    for (const char quote : {'@', '"', '\''})
        for (std::size_t open = text->find(quote); open != std::string::npos;) {
            const std::size_t close = text->find_first_of({quote, '\n'}, open + 1);
            if (close == std::string::npos) break;
            std::string_view name(text->data() + open + 1, close - open - 1);
            open = (*text)[close] == quote ? close : text->find(quote, close);
            if (const std::size_t scheme = name.find("://"); scheme != std::string_view::npos) {
                const std::size_t package = name.find('/', scheme + 3);
                name = package == std::string_view::npos ? std::string_view() : name.substr(package + 1);
            }
            if (!name.empty() && name.size() <= 4096) names.insert(name);
        }
    std::error_code       failed;
    const fs::path        folder = fs::absolute(file, failed).parent_path();
    std::set<std::string> found;
    for (const std::string_view name : names)
        for (const fs::path& from : {folder, folder.parent_path()})
            if (const fs::path place = (from / name).lexically_normal(); fs::is_regular_file(place, failed))
                found.insert(place.string());
    return {found.begin(), found.end()};
}

}  // namespace

std::vector<std::string> files_named_by(const std::string& file)
{
    if (!is_layer_name(file)) return is_foreign(file) ? files_in_text(file) : std::vector<std::string>();
    const auto layer = Layer::open(file);
    if (!layer) return files_in_text(file);
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
