// <include>: models of other files.
//
// The model keeps its own folder (for its meshes) and its own version of the format while it is read. An <include>
// may say another name, pose, placement frame and whether it is static.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mechane/files/read.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/sdformat/reader.h"

namespace mechane::sourceformats {
namespace {

namespace fs = std::filesystem;

// Circles end by the list of open files; this ends files that include many others many times.
constexpr int kMostIncludes = 10'000;

}  // namespace

void SdformatReader::include(const XmlElement& e, int scope, int depth)
{
    e.used         = true;
    const auto uri = text(e, "uri");
    if (!uri || uri->empty()) return s_.error(kMissing, e.place, "an <include> has no <uri>");
    if (depth > kDeepest || ++includes_ > kMostIncludes)
        return s_.error(kLimit, e.place, "includes are nested too deep, or too many");
    const std::string file = included_file(*uri, scopes_[at(scope)].folder);
    if (file.empty()) return s_.error(kInclude, e.place, fmt::format("{} was not found", *uri));
    std::error_code   failed;
    const std::string real = fs::weakly_canonical(file, failed).string();
    if (std::find(open_.begin(), open_.end(), real) != open_.end())
        return s_.error(kInclude, e.place, fmt::format("{} includes itself", *uri));
    const auto bytes = files::read_given(file);
    if (!bytes) return s_.error(kInclude, e.place, fmt::format("{}: {}", *uri, bytes.error().message));
    auto document = parse_xml(*bytes, file, s_.found);
    if (!document) {
        s_.found.add(document.error());
        return;
    }
    included_.push_back(*std::move(document));
    const XmlElement& root  = included_.back();
    root.used               = true;
    const XmlElement* inner = root.name == "sdf" || root.name == "gazebo" ? root.child("model") : nullptr;
    if (inner == nullptr) return s_.error(kInclude, e.place, fmt::format("{} holds no <model>", *uri));
    Override with;
    with.name      = text(e, "name").value_or(inner->get("name", "model"));
    with.pose      = e.child("pose");
    with.placement = text(e, "placement_frame").value_or("");
    with.merge     = e.get("merge") == "true" || e.get("merge") == "1";
    // Only what the <include> says overrides; `static` left out keeps the model's own value.
    if (e.child("static") != nullptr) with.is_static = flag(e, "static", false);
    const std::string folder   = scopes_[at(scope)].folder;
    const double      version  = scopes_[at(scope)].version;
    scopes_[at(scope)].folder  = folder_of(file);
    scopes_[at(scope)].version = version_of(root);
    open_.push_back(real);
    model(*inner, scope, with, depth);
    open_.pop_back();
    scopes_[at(scope)].folder  = folder;
    scopes_[at(scope)].version = version;
}

// A uri names a file, or a folder with a model.config, as Gazebo's databases have it.
std::string SdformatReader::included_file(const std::string& uri, const std::string& folder) const
{
    if (std::string file = s_.finder.find(uri, folder); !file.empty()) return file;
    std::string at_folder;
    if (uri.starts_with("model://")) {
        const std::string name =
            uri.substr(8, uri.find('/', 8) == std::string::npos ? std::string::npos : uri.find('/', 8) - 8);
        if (uri.size() > 8 + name.size() + 1) return {};
        at_folder = s_.finder.package(name);
    } else if (uri.find("://") == std::string::npos || uri.starts_with("file://")) {
        const std::string path = uri.starts_with("file://") ? uri.substr(7) : uri;
        std::error_code   failed;
        const fs::path    there = fs::path(path).is_absolute() ? fs::path(path) : fs::path(folder) / path;
        if (fs::is_directory(there, failed))
            at_folder = there.string();
        else if (path.find('/') == std::string::npos)
            at_folder = s_.finder.package(path);
    }
    if (at_folder.empty()) return {};
    // model.config names a file for each version; the newest counts.
    if (const std::string config = s_.finder.find("model.config", at_folder); !config.empty())
        if (const auto bytes = files::read_given(config)) {
            Diagnostics quiet;
            const auto  document = parse_xml(*bytes, config, quiet);
            std::string best;
            double      newest = -1;
            if (document)
                for (const XmlElement& c : document->children)
                    if (c.name == "sdf" && version_of(c) > newest)
                        newest = version_of(c), best = std::string(trimmed(c.text));
            if (!best.empty())
                if (std::string file = s_.finder.find(best, at_folder); !file.empty()) return file;
        }
    return s_.finder.find("model.sdf", at_folder);
}

}  // namespace mechane::sourceformats
