// Writes a result of one file together with the meshes and pictures that it needs.
// A result `arm.urdf` has its meshes in `arm_meshes/`, and `arm.sdf` of the same folder has its own there as well. So a
// file in such a folder may belong to another result, or to the user. `mechane.sums` in the folder is the evidence: one
// section for each result ("# arm.urdf"), one line "<SHA-256>  <name>" for each file, which `sha256sum -c` reads too.
// A file is replaced or removed only where its section lists it, its bytes are as listed, and no other section does.
// All files change in one Transaction, so that a reader finds the old robot or the new one.
// Called by the converters.

#include "mechane/files/side_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "mechane/files/codes.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/files/transaction.h"

namespace mechane::files {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSums = "mechane.sums";
/// Characters of a SHA-256 in hexadecimal digits, and the two spaces of sha256sum between it and the name.
constexpr std::size_t kDigits = 64, kGap = 2;

/// What results left in a folder: by result, then by name, the SHA-256.
using Sums = std::map<std::string, std::map<std::string, std::string>>;

Sums read_sums(const fs::path& folder)
{
    Sums            out;
    std::error_code failed;
    if (!fs::is_regular_file(folder / kSums, failed)) return out;
    const auto text = read_own((folder / kSums).string(), std::size_t{1} << 24);
    if (!text) return out;
    std::istringstream lines(*text);
    std::string        result;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# "))
            result = line.substr(2);
        else if (line.size() > kDigits + kGap && !result.empty())
            out[result][line.substr(kDigits + kGap)] = line.substr(0, kDigits);
    }
    return out;
}

std::string to_text(const Sums& sums)
{
    std::string out;
    for (const auto& [result, files] : sums) {
        out += fmt::format("# {}\n", result);
        for (const auto& [name, sum] : files) out += fmt::format("{}  {}\n", sum, name);
    }
    return out;
}

Diagnostic refused(const fs::path& file, const std::string& why)
{ return make_diagnostic(kFolder, {.layer = file.string()}, fmt::format("'{}' {}", file.string(), why)); }

/// One folder of side files, seen from a result.
class SideFolder {
  public:
    SideFolder(fs::path place, std::string result)
        : place_(std::move(place)), result_(std::move(result)), sums_(read_sums(place_)), earlier_(sums_[result_])
    { sums_[result_].clear(); }

    /// @param sum  of the new content
    Result<void> take(const std::string& name, const std::string& sum)
    {
        const fs::path  file = place_ / name;
        std::error_code failed;
        sums_[result_][name] = sum;
        if (!fs::exists(fs::symlink_status(file, failed))) return {};
        if (!fs::is_regular_file(file, failed)) return refused(file, "is not a regular file");
        const auto there = sha256_of(file.string());
        if (!there) return there.error();
        if (*there == sum) return {};
        if (const std::string other = other_result(name); !other.empty())
            return refused(file, fmt::format("belongs to '{}', which needs it as it is", other));
        if (const auto listed = earlier_.find(name); listed == earlier_.end() || listed->second != *there)
            return refused(file, fmt::format("is there already, and no earlier '{}' left it so", result_));
        return {};
    }

    /// What the earlier result left, nobody changed, and nothing needs any more.
    [[nodiscard]] std::vector<std::string> stale() const
    {
        std::vector<std::string> out;
        for (const auto& [name, sum] : earlier_) {
            if (sums_.at(result_).contains(name) || !other_result(name).empty()) continue;
            const auto there = sha256_of((place_ / name).string());
            if (there && *there == sum) out.push_back(name);
        }
        return out;
    }

    [[nodiscard]] std::string sums() const { return to_text(sums_); }

  private:
    fs::path                           place_;
    std::string                        result_;
    Sums                               sums_;
    std::map<std::string, std::string> earlier_;

    [[nodiscard]] std::string other_result(const std::string& name) const
    {
        for (const auto& [result, files] : sums_)
            if (result != result_ && files.contains(name)) return result;
        return {};
    }
};

/// Puts contents into a scratch folder, from which a Transaction takes them.
class Contents {
  public:
    explicit Contents(const fs::path& folder) : scratch_(folder) {}
    [[nodiscard]] bool  usable() const { return !scratch_.path().empty(); }
    Result<std::string> put(std::string_view content)
    {
        const std::string file = (scratch_.path() / std::to_string(count_++)).string();
        if (auto written = replace(file, content, {.durable = false}); !written) return written.error();
        return file;
    }

  private:
    ScratchFolder scratch_;
    int           count_ = 0;
};

}  // namespace

bool is_of_others(const std::string& folder, const std::string& result)
{
    const Sums sums = read_sums(folder);
    return !sums.empty() && !sums.contains(result);
}

std::vector<std::string> names_with_sides(const std::string& file, const std::vector<std::string>& sides)
{
    const fs::path           beside = fs::path(file).parent_path();
    std::vector<std::string> out{file};
    std::set<std::string>    lists;
    for (const std::string& side : sides) {
        out.push_back((beside / side).lexically_normal().string());
        if (const fs::path above = fs::path(side).parent_path(); !above.empty())
            lists.insert((beside / above / kSums).lexically_normal().string());
    }
    out.insert(out.end(), lists.begin(), lists.end());
    return out;
}

Result<std::vector<std::string>> replace_with_sides(const std::string& file, const std::string& content,
                                                    const std::vector<SideFile>& sides)
{
    std::vector<std::string> names{file};
    if (sides.empty()) {
        if (auto done = replace(file, content, {.make_folders = true}); !done) return done.error();
        return names;
    }
    if (auto possible = try_target(file, {.make_folders = true}); !possible) return possible.error();
    // `beside` is as the user would write it, hence empty for the working folder.
    const fs::path  given = file, beside = given.parent_path();
    const fs::path  folder = beside.empty() ? fs::path(".") : beside;
    std::error_code failed;
    fs::create_directories(folder, failed);
    Contents contents(folder);
    if (!contents.usable())
        return make_diagnostic(kWriteFailed, {.layer = folder.string()}, "the folder cannot be written");
    std::map<std::string, SideFolder>                folders;
    std::vector<std::pair<std::string, std::string>> wanted;  // name, where its content lies
    for (const SideFile& side : sides) {
        if (auto possible = try_target((beside / side.name).string(), {.make_folders = true}); !possible)
            return possible.error();
        auto at = contents.put(side.content);
        if (!at) return at.error();
        const auto sum = sha256_of(*at);
        if (!sum) return sum.error();
        const fs::path name  = side.name;
        const fs::path above = name.parent_path();
        if (!above.empty()) {
            const auto of = folders.try_emplace(above.string(), beside / above, given.filename().string()).first;
            if (auto possible = of->second.take(name.filename().string(), *sum); !possible) return possible.error();
        } else if (fs::exists(beside / name, failed) && !fs::exists(given, failed)) {
            const auto there = sha256_of((beside / name).string());
            if (!there || *there != *sum)
                return refused(beside / name, fmt::format("is there already, and '{}' is not", given.string()));
        }
        names.push_back((beside / name).lexically_normal().string());
        wanted.emplace_back(side.name, *std::move(at));
    }
    for (const auto& [above, one] : folders) {
        auto at = contents.put(one.sums());
        if (!at) return at.error();
        wanted.emplace_back((fs::path(above) / kSums).string(), *std::move(at));
    }
    // A link stays a link, and a pipe is no file of the folder: both get their content after the others.
    const bool own =
        fs::is_regular_file(fs::symlink_status(given, failed)) || !fs::exists(fs::symlink_status(given, failed));
    if (own) {
        auto at = contents.put(content);
        if (!at) return at.error();
        wanted.emplace_back(given.filename().string(), *std::move(at));
    }
    Diagnostics found;
    auto        all = Transaction::begin(folder.string(), found);
    if (!all) return all.error();
    for (const auto& [name, at] : wanted) all->replace(name, at);
    for (const auto& [above, one] : folders)
        for (const std::string& name : one.stale()) all->remove((fs::path(above) / name).string());
    if (auto done = all->commit(); !done) return done.error();
    if (own) return names;
    if (auto done = replace(file, content); !done) return done.error();
    return names;
}

}  // namespace mechane::files
