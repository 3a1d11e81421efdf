// Options --cache and --cache-size, and the folders that they name.
// One folder holds verdicts of check and prepared geometry, each with the size limit of its own.
// Called when options are added and before a scene is loaded.

#include "cli/caching.h"

#include <cstdint>
#include <filesystem>
#include <memory>

#include "mechane/files/cache_folder.h"
#include "mechane/geometry/kept.h"

namespace mechane::cli {
namespace {

struct Asked {
    std::string   folder;  ///< or "off"; empty: the user's own
    std::uint64_t mebibytes = 4096;
};

Asked& asked()
{
    static Asked of_process;
    return of_process;
}

}  // namespace

void add_cache_options(CLI::App& verb, const char* group)
{
    verb.add_option("--cache", asked().folder,
                    "Folder that keeps verdicts of check and prepared geometry for other runs, or off; default: "
                    "MECHANE_CACHE, else mechane in the user's cache folder")
        ->group(group);
    verb.add_option("--cache-size", asked().mebibytes,
                    "Maximum size of verdicts, and of prepared geometry, there [MiB]")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30))
        ->capture_default_str()
        ->group(group);
}

std::string cache_folder(const char* of)
{
    const std::string& named  = asked().folder;
    const std::string  folder = named.empty() ? files::default_cache_folder() : named == "off" ? std::string() : named;
    return folder.empty() ? folder : (std::filesystem::path(folder) / of).string();
}

std::uint64_t cache_bytes() { return asked().mebibytes << 20; }

void keep_geometry()
{
    const std::string folder = cache_folder("geometry");
    // Set once for the process: scene_options is called for every file.
    if (folder.empty() || geometry::shared_cache()) return;
    geometry::set_shared_cache(std::make_shared<geometry::DiskCache>(folder, cache_bytes()));
}

}  // namespace mechane::cli
