#include <pxr/sdf/fileFormat.h>

#include <filesystem>

#include "usd/layer_text.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
using namespace pxr;

std::string shown_path(const std::string& path)
{
    std::error_code failed;
    const auto      relative = std::filesystem::relative(path, std::filesystem::current_path(failed), failed).string();
    return failed || relative.empty() || relative.starts_with("../..") ? path : relative;
}

std::string shown(const Stage::Impl& stage, const SdfLayerHandle& layer)
{
    if (!layer) return stage.source;
    // Pointers are compared: handles and references compare through each other without end in C++20.
    if (get_pointer(layer) == get_pointer(stage.root)) return stage.source;
    return shown_path(layer->GetRealPath().empty() ? layer->GetIdentifier() : layer->GetRealPath());
}

const TextIndex& lines_of(const Stage::Impl& stage, const SdfLayerRefPtr& layer)
{
    const std::scoped_lock lock(stage.lines_mutex);
    const auto [it, fresh] = stage.lines.try_emplace(layer->GetIdentifier());
    if (!fresh || layer->IsAnonymous() || layer->GetRealPath().empty()) return it->second;
    if (const std::string text = usda_text(layer->GetRealPath()); !text.empty()) it->second = index_text(text);
    return it->second;
}

std::string prim_at_line(const TextIndex& lines, int line)
{
    std::string         prim;
    std::pair<int, int> best{0, 0};
    for (const auto& [path, at] : lines)
        if (at.first <= line && at > best && path.find('.') == std::string::npos) {
            best = at;
            prim = path;
        }
    for (std::size_t open = prim.find('{'); open != std::string::npos; open = prim.find('{')) {
        const std::size_t close = prim.find('}', open);
        const bool        last  = close == std::string::npos || close + 1 == prim.size();
        prim.replace(open, last ? std::string::npos : close + 1 - open, last ? "" : "/");
    }
    return prim;
}

Site site_of(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& property)
{
    Site           site{.layer = stage.source, .prim = prim.path.text(), .property = property.GetString()};
    SdfLayerRefPtr layer;
    SdfPath        path;
    for_each_site(prim, [&](const SdfLayerRefPtr& l, const SiteNode& at, std::size_t) {
        const bool has = property.IsEmpty() || l->HasSpec(at.path.AppendProperty(property));
        if (has || !layer) {
            layer = l;
            path  = at.path;
        }
        return has;
    });
    if (!layer) return site;
    site.layer             = shown(stage, layer);
    const TextIndex& lines = lines_of(stage, layer);
    auto             found = property.IsEmpty() ? lines.end() : lines.find(path.AppendProperty(property).GetString());
    if (found == lines.end()) found = lines.find(path.GetString());
    if (found != lines.end()) std::tie(site.line, site.column) = found->second;
    return site;
}

}  // namespace mechane::usd
