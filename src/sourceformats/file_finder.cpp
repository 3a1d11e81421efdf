// Where the files of a robot lie: meshes, textures, included models, xacro macros. Addresses are
//
// package://NAME/PATH   of ROS;  model://NAME/PATH  of Gazebo
// file:///PATH          and plain paths, relative to the file that names them
//
// A package is looked for in this order: what the caller named; folders of the search path; what usd's packages know;
// Gazebo's variables; folders above the file, since a robot mostly lies inside its package. Nothing is fetched from a
// network, and an address cannot leave its package by "..".
#include "sourceformats/file_finder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "mechane/usd/packages.h"

namespace mechane::sourceformats {
namespace {

namespace fs = std::filesystem;

// A file in PACKAGE/urdf/robots/arms is three folders down; eight leave room and end the search before the root of
// deep trees.
constexpr int kFoldersAbove = 8;

bool is_file(const fs::path& path)
{
    std::error_code failed;
    return fs::is_regular_file(path, failed);
}

bool is_folder(const fs::path& path)
{
    std::error_code failed;
    return fs::is_directory(path, failed);
}

/// "package://name/path" or "model://name/path" -> name, path.
std::pair<std::string, std::string> parts_of(const std::string& address)
{
    const std::size_t begin = address.find("://") + 3;
    const std::size_t slash = address.find('/', begin);
    if (slash == std::string::npos) return {address.substr(begin), ""};
    return {address.substr(begin, slash - begin), address.substr(slash + 1)};
}

bool names_package(const std::string& address)
{ return address.starts_with("package://") || address.starts_with("model://"); }

}  // namespace

std::string folder_of(const std::string& file)
{
    const std::string folder = fs::path(file).parent_path().string();
    return folder.empty() ? "." : folder;
}

FileFinder::FileFinder(std::string source, std::map<std::string, std::string> packages, std::vector<std::string> search)
    : source_(std::move(source)), packages_(std::move(packages)), search_(std::move(search))
{
}

std::string FileFinder::package(const std::string& name) const
{
    // A name with a slash or dots would leave the folders that are searched.
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) return {};
    if (const auto given = packages_.find(name); given != packages_.end()) return given->second;
    // A folder of the search path holds packages, or is the package itself.
    for (const std::string& folder : search_) {
        if (is_folder(fs::path(folder) / name)) return (fs::path(folder) / name).string();
        if (fs::path(folder).lexically_normal().filename() == name && is_folder(folder)) return folder;
    }
    if (std::string known = usd::package_folder(name); !known.empty()) return known;
    for (const char* variable : {"GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH"})
        if (const char* text = std::getenv(variable)) {  // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
            std::string_view left = text;
            while (!left.empty()) {
                const std::size_t end = std::min(left.find(':'), left.size());
                if (end > 0 && is_folder(fs::path(left.substr(0, end)) / name))
                    return (fs::path(left.substr(0, end)) / name).string();
                left.remove_prefix(std::min(left.size(), end + 1));
            }
        }
    if (source_.empty()) return {};
    std::error_code failed;
    fs::path        above = fs::absolute(source_, failed).lexically_normal().parent_path();
    // The package's own folder, or one beside a folder above: packages of one workspace lie side by side.
    for (int i = 0; i < kFoldersAbove && !above.empty(); ++i, above = above.parent_path()) {
        if (above.filename() == name) return above.string();
        if (is_folder(above / name)) return (above / name).string();
        if (above == above.parent_path()) break;
    }
    return {};
}

std::string FileFinder::in_package(const std::string& address) const
{
    const auto [name, path] = parts_of(address);
    const fs::path inside   = fs::path(path).lexically_normal();
    if (inside.empty() || inside.is_absolute() || *inside.begin() == "..") return {};
    const std::string folder = package(name);
    return folder.empty() ? folder : (fs::path(folder) / inside).string();
}

std::string FileFinder::find(const std::string& address, const std::string& folder) const
{
    // A zero byte would end the path for the operating system, and name another file than the message says.
    if (address.empty() || address.find('\0') != std::string::npos) return {};
    if (names_package(address)) {
        const std::string file = in_package(address);
        return is_file(file) ? file : std::string();
    }
    std::string path = address;
    if (path.starts_with("file://")) path.erase(0, 7);
    if (path.find("://") != std::string::npos) return {};
    // Files from Windows programs.
    for (char& c : path)
        if (c == '\\') c = '/';
    if (fs::path(path).is_absolute()) return is_file(path) ? path : std::string();
    const fs::path beside = (fs::path(folder) / path).lexically_normal();
    if (is_file(beside)) return beside.string();
    for (const std::string& other : search_)
        if (const fs::path file = (fs::path(other) / path).lexically_normal(); is_file(file)) return file.string();
    return {};
}

// The sentence for a message. It looks again, since find() tells nothing but the path.
std::string FileFinder::why_not(const std::string& address, const std::string& folder) const
{
    if (names_package(address)) {
        const std::string name = parts_of(address).first;
        const std::string at   = package(name);
        return at.empty() ? fmt::format("the package '{}' of {} is not known", name, address)
                          : fmt::format("there is no file {} (package '{}' is {})", address, name, at);
    }
    if (address.find("://") != std::string::npos && !address.starts_with("file://"))
        return fmt::format("{} is not a local file", address);
    return fmt::format("there is no file {} (looked in {})", address, folder);
}

}  // namespace mechane::sourceformats
