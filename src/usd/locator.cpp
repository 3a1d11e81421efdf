// Where an opinion stands: file, line and column of a prim or property, for findings.
// Lines are found by an index of the text, made once for each layer that is asked about.

#include <pxr/sdf/fileFormat.h>

#include <filesystem>
#include <unordered_map>

#include "usd/foreign_readers.h"
#include "usd/layer_text.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
using namespace pxr;

std::string shown_path(const std::string& path)
{
    // Making a path relative asks the file system for each of its folders, and findings name few files many times.
    constexpr std::size_t                                     kMost = 4096;
    thread_local std::string                                  folder;
    thread_local std::unordered_map<std::string, std::string> known;
    std::error_code                                           failed;
    const std::string                                         here = std::filesystem::current_path(failed).string();
    if (here != folder || known.size() > kMost) known.clear(), folder = here;
    const auto [at, fresh] = known.try_emplace(path);
    if (!fresh) return at->second;
    const auto relative = std::filesystem::relative(path, here, failed).string();
    return at->second   = failed || relative.empty() || relative.starts_with("../..") ? path : relative;
}

std::string shown(const Stage::Impl& stage, const SdfLayerHandle& layer)
{
    if (!layer) return stage.source;
    // Pointers are compared: handles and references compare through each other without end in C++20.
    if (get_pointer(layer) == get_pointer(stage.root)) return stage.source;
    if (get_pointer(layer) == get_pointer(stage.session)) return "session layer";  // its own name is an address
    return shown_path(layer->GetRealPath().empty() ? layer->GetIdentifier() : layer->GetRealPath());
}

const TextIndex& lines_of(const Stage::Impl& stage, const SdfLayerRefPtr& layer)
{
    const std::scoped_lock lock(stage.lines_mutex);
    const auto [it, fresh] = stage.lines.try_emplace(layer->GetIdentifier());
    if (!fresh || layer->IsAnonymous() || layer->GetRealPath().empty()) return it->second;
    if (const std::string text = usda_text(layer->GetRealPath()); !text.empty()) it->second = TextIndex(text);
    return it->second;
}

Site site_of(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& property)
{
    Site           site{.layer = stage.source, .prim = prim.path.text(), .property = property.GetString()};
    SdfLayerRefPtr layer;
    SdfPath        path;
    const bool     copies = stage.session && stage.session->HasCustomLayerData();
    for_each_site(prim, [&](const SdfLayerRefPtr& l, const SiteNode& at, std::size_t) {
        // Copies of prototypes are written nowhere: what they are copies of is.
        if (copies && get_pointer(l) == get_pointer(stage.session)) return false;
        const bool has = property.IsEmpty() || l->HasSpec(at.path.AppendProperty(property));
        if (has || !layer) {
            layer = l;
            path  = at.path;
        }
        return has;
    });
    if (!layer) return site;
    if (const auto said = place_in_source(layer, path, property)) {
        site.layer = said->layer, site.line = said->line, site.column = said->column;
        return site;
    }
    site.layer             = shown(stage, layer);
    const TextIndex& lines = lines_of(stage, layer);
    TextIndex::Place place;
    if (!property.IsEmpty()) place = lines.find(path.AppendProperty(property).GetString());
    if (place.line == 0) place = lines.find(path.GetString());
    site.line   = place.line;
    site.column = place.column;
    return site;
}

}  // namespace mechane::usd
