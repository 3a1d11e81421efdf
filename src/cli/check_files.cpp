// Which files `mechane check` is asked about: as given, below folders, or of the same asset.
// A folder stands for its OpenUSD files; robots of other formats in it are only told.

#include "cli/check_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "cli/counted.h"
#include "mechane/files/suffix.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/foreign.h"

namespace mechane::cli {
namespace {

namespace fs = std::filesystem;

bool is_usd(const fs::path& file)
{
    std::error_code error;
    return usd::is_stage_name(file) && fs::is_regular_file(file, error);
}

/// What lies below a folder, sorted: the order in which a file system lists its entries is not the same everywhere.
template <class Wanted>
std::vector<std::string> files_below(const fs::path& folder, const Wanted& wanted)
{
    std::vector<std::string> found;
    std::error_code          error;
    for (auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
         !error && at != fs::recursive_directory_iterator(); at.increment(error))
        if (wanted(at->path())) found.push_back(at->path().string());
    std::sort(found.begin(), found.end());
    return found;
}

/// Whether a file is a robot of another format. Many files end in .xml, so these are looked into.
bool is_other_robot(const fs::path& file)
{
    const std::string name = file.string();
    std::error_code   error;
    if (!usd::is_foreign(name) || sourceformats::is_mesh_format(name) || sourceformats::is_scene_format(name) ||
        !fs::is_regular_file(file, error))
        return false;
    if (!files::has_suffix(name, {".xml"})) return true;
    constexpr std::size_t kBeginning = 4096;
    std::ifstream         in(file, std::ios::binary);
    std::string           text(kBeginning, '\0');
    in.read(text.data(), kBeginning);
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text.find("<mujoco") != std::string::npos;
}

/// The folder below which the files of a layer's asset lie: its own, and those above as long as USD files stand in
/// them, at most three, and up to the root of a repository.
fs::path folder_of_asset(const fs::path& layer)
{
    fs::path        folder = layer.has_parent_path() ? layer.parent_path() : fs::path(".");
    std::error_code error;
    for (int levels = 0;; ++levels) {
        if (levels == 3 || fs::exists(folder / ".git", error)) return folder.lexically_normal();
        const fs::path above = folder / "..";
        bool           some  = false;
        for (auto at = fs::directory_iterator(above, error); !error && at != fs::directory_iterator();
             at.increment(error))
            some = some || is_usd(at->path());
        if (!some || fs::equivalent(above, folder, error)) return folder.lexically_normal();
        folder = above.lexically_normal();
    }
}

}  // namespace

void tell_other_robots(const std::vector<std::string>& assets, const Io& io)
{
    std::vector<std::string> others;
    for (const std::string& asset : assets) {
        std::error_code error;
        if (!fs::is_directory(asset, error)) continue;
        const auto found = files_below(asset, is_other_robot);
        others.insert(others.end(), found.begin(), found.end());
    }
    if (others.empty()) return;
    constexpr std::size_t kNamed = 3;
    const std::size_t     count  = others.size();
    others.resize(std::min(count, kNamed));
    io.say(fmt::format("note         {} of other formats not checked, as folders stand for their OpenUSD files: {}{}\n",
                       counted(count, "robot"), fmt::join(others, ", "), count > kNamed ? ", ..." : ""));
}

std::vector<std::string> files_of(const std::vector<std::string>& assets, bool by_asset)
{
    std::vector<std::string> files;
    std::set<std::string>    taken;
    for (const std::string& asset : assets) {
        std::error_code error;
        if (fs::is_directory(asset, error)) {
            const auto found = files_below(asset, is_usd);
            files.insert(files.end(), found.begin(), found.end());
        } else if (by_asset && is_usd(asset)) {
            for (const std::string& file : files_below(folder_of_asset(asset), is_usd))
                if (const std::string plain = fs::path(file).lexically_normal().string(); taken.insert(plain).second)
                    files.push_back(plain);
        } else {
            files.push_back(asset);
        }
    }
    return files;
}

}  // namespace mechane::cli
