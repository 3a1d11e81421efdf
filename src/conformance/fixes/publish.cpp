// Publishes what fix has made: as a folder, in place, as a package or as one file.
// A folder holds a report that lists its files with checksums, by which a later run knows that nobody has changed them.
// Called by `mechane fix`, convert and the interfaces.

#include "mechane/conformance/publish.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "mechane/files/codes.h"
#include "mechane/files/folder.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/usd/layer_files.h"

namespace mechane::conformance {
namespace {

namespace fs = std::filesystem;

/// What a report lists. One that lists nothing, or not in these words, vouches for nothing.
Result<files::Listing> listed_in(const std::string& report)
{
    constexpr std::size_t kMost = std::size_t{1} << 30;
    const auto            text  = files::read_own(report, kMost);
    if (!text) return text.error();
    const auto document = nlohmann::json::parse(*text, nullptr, false);
    const auto listed   = document.is_object() ? document.find("files") : document.end();
    if (!document.is_object() || listed == document.end() || !listed->is_array())
        return make_diagnostic(files::kFolder, {.layer = report}, "the report does not list the files of its folder");
    files::Listing out;
    for (const auto& file : *listed)
        if (file.is_object() && file.contains("path") && file["path"].is_string() && file.contains("sha256") &&
            file["sha256"].is_string())
            out.emplace(file["path"].get<std::string>(), file["sha256"].get<std::string>());
    return out;
}

bool same_place(const std::string& a, const std::string& b) { return files::real_place(a) == files::real_place(b); }

}  // namespace

Result<void> try_folder(const std::string& folder) { return files::try_folder(folder, kReportName, listed_in); }

Result<void> admit_sources(const FixResult& result, const std::string& asset, files::Roots roots, Diagnostics& found)
{
    roots.folders.push_back(fs::path(files::real_place(asset)).parent_path().string());
    roots.folders.push_back(fs::absolute(asset).parent_path().string());
    for (const FixedFile& file : result.files)
        if (!file.source.empty())
            if (auto admitted = roots.admit(file.source, found); !admitted) return admitted;
    return {};
}

Result<std::vector<std::string>> publish_folder(const FixResult& result, const std::string& folder)
{
    const std::string report = (fs::path(result.folder) / kReportName).string();
    if (auto written = files::replace(report, to_json(result)); !written) return written.error();
    if (auto published = files::publish_folder(result.folder, folder); !published) return published.error();
    std::vector<std::string> out;
    for (const FixedFile& file : result.files)
        out.push_back((fs::path(folder) / file.name).lexically_normal().string());
    out.push_back((fs::path(folder) / kReportName).lexically_normal().string());
    return out;
}

Result<std::vector<std::string>> publish_in_place(const FixResult& result, const std::string& asset,
                                                  files::Transaction& transaction)
{
    const fs::path           folder = fs::absolute(asset).lexically_normal().parent_path();
    std::vector<std::string> out;
    for (const FixedFile& file : result.files) {
        const std::string target = (folder / file.name).string();
        if (!file.changed && same_place(file.source, target)) continue;
        transaction.replace(file.name, (fs::path(result.folder) / file.name).string());
        out.push_back(target);
    }
    if (auto done = transaction.commit(); !done) return done.error();
    return out;
}

Result<std::vector<std::string>> publish_package(const FixResult& result, const std::string& file, bool in_place)
{
    std::vector<std::string> names{result.entry};
    for (const FixedFile& one : result.files)
        if (one.name != result.entry) names.push_back(one.name);
    if (auto packed = usd::pack_files(result.folder, names, file, in_place); !packed) return packed.error();
    return std::vector{file};
}

Result<std::vector<std::string>> publish_file(const FixResult& result, const std::string& file)
{
    const auto content = files::read((fs::path(result.folder) / result.entry).string());
    if (!content) return content.error();
    if (auto written = files::replace(file, *content, {.make_folders = true}); !written) return written.error();
    return std::vector{file};
}

}  // namespace mechane::conformance
