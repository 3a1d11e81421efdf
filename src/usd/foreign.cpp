// Readers for files that are no USD (URDF, MJCF and others) by suffix, and where their entities stood in the source.
// The source formats register themselves here, so that this room depends on none of them.

#include "mechane/usd/foreign.h"
#include "mechane/files/suffix.h"

#include <memory>
#include <mutex>
#include <utility>

#include "usd/foreign_readers.h"

namespace mechane::usd {
namespace {

std::mutex g_mutex;

std::map<std::string, ForeignReader>& readers()
{
    static std::map<std::string, ForeignReader> all;
    return all;
}

std::string suffix_of(const std::string& file)
{
    if (file.ends_with(']')) return {};  // a file in a package
    return files::suffix_of(file);
}

using Places = std::map<std::string, Site>;

/// Of layers in memory, which nobody else can say anything of. The handle tells whether the layer still lives.
std::map<const pxr::SdfLayer*, std::pair<pxr::SdfLayerHandle, std::shared_ptr<const Places>>>& kept_places()
{
    static std::map<const pxr::SdfLayer*, std::pair<pxr::SdfLayerHandle, std::shared_ptr<const Places>>> all;
    return all;
}

}  // namespace

void keep_places(const pxr::SdfLayerRefPtr& layer, std::map<std::string, Site> places)
{
    const std::lock_guard lock(g_mutex);
    // Layers that have died are dropped whenever one is added; the table stays as short as there are layers.
    std::erase_if(kept_places(), [](const auto& row) { return !row.second.first; });
    kept_places()[get_pointer(layer)] = {layer, std::make_shared<const Places>(std::move(places))};
}

std::optional<Site> place_in_source(const pxr::SdfLayerRefPtr& layer, const pxr::SdfPath& prim,
                                    const pxr::TfToken& property)
{
    std::shared_ptr<const Places> places;
    {
        const std::lock_guard lock(g_mutex);
        const auto            at = kept_places().find(get_pointer(layer));
        if (at == kept_places().end() || !at->second.first) return std::nullopt;
        places = at->second.second;
    }
    if (!property.IsEmpty())
        if (const auto at = places->find(prim.AppendProperty(property).GetString()); at != places->end())
            return at->second;
    // A prim that was made for another stands where that one stands.
    for (pxr::SdfPath up = prim; up.IsPrimPath(); up = up.GetParentPath())
        if (const auto at = places->find(up.GetString()); at != places->end()) return at->second;
    return std::nullopt;
}

void set_foreign_reader(const std::vector<std::string>& suffixes, ForeignReader reader)
{
    const std::lock_guard lock(g_mutex);
    for (const std::string& suffix : suffixes) readers()[suffix] = reader;
}

ForeignReader foreign_reader_of(const std::string& file)
{
    const std::lock_guard lock(g_mutex);
    const auto            at = readers().find(suffix_of(file));
    return at == readers().end() ? ForeignReader() : at->second;
}

bool is_foreign(const std::string& file) { return foreign_reader_of(file) != nullptr; }

}  // namespace mechane::usd
