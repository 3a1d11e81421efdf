// The asset that a folder stands for: what a report of this program names as its entry, the file of the folder's name,
// or the only asset in it. package.xml is a manifest of ROS and no asset.
// Called by `convert`, and by the commands that take files.

#include "mechane/conversion/folder_entry.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "mechane/files/read.h"
#include "mechane/files/suffix.h"

namespace mechane::conversion {

std::optional<std::string> folder_entry(const std::string& folder)
{
    namespace fs = std::filesystem;
    std::error_code failed;
    for (const char* name : {"conversion.json", "fix-report.json"}) {
        const auto report   = files::read_own((fs::path(folder) / name).string(), std::size_t{1} << 30);
        const auto document = report ? nlohmann::json::parse(*report, nullptr, false) : nlohmann::json();
        if (!document.is_object() || !document.contains("entry") || !document["entry"].is_string()) continue;
        const fs::path entry = fs::path(folder) / document["entry"].get<std::string>();
        if (fs::is_regular_file(entry, failed)) return entry.string();
    }
    static constexpr const char* kSuffixes[] = {".usda", ".usd",  ".usdc", ".usdz", ".urdf",
                                                ".xml",  ".mjcf", ".sdf",  ".world"};
    fs::path                     named       = fs::path(folder).lexically_normal();
    if (!named.has_filename()) named = named.parent_path();
    std::vector<std::string> all;
    for (const char* suffix : kSuffixes)
        if (const fs::path own = fs::path(folder) / (named.filename().string() + suffix);
            fs::is_regular_file(own, failed))
            return own.string();
    for (auto at = fs::directory_iterator(folder, failed); !failed && at != fs::directory_iterator();
         at.increment(failed)) {
        const std::string suffix = files::suffix_of(at->path());
        if (at->path().filename() != "package.xml" &&
            std::find(std::begin(kSuffixes), std::end(kSuffixes), suffix) != std::end(kSuffixes))
            all.push_back(at->path().string());
    }
    return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
}

}  // namespace mechane::conversion
