#include "mechane/usd/opinions.h"

#include <fstream>

#include "usd/handles.h"
#include "usd/stage_impl.h"
#include "usd/text_index.h"

namespace mechane::usd {

using namespace pxr;

struct OpinionIndex::Impl {
    const Stage&                               stage;
    std::unordered_map<std::string, TextIndex> layers;  ///< by identifier; never iterated

    /// The lines of a layer; nothing for layers that are no text.
    const TextIndex& lines_of(const SdfLayerRefPtr& layer)
    {
        const auto [it, fresh] = layers.try_emplace(layer->GetIdentifier());
        if (!fresh || layer->IsAnonymous() || layer->GetRealPath().empty()) return it->second;
        std::ifstream stream(layer->GetRealPath(), std::ios::binary);
        char          magic[8] = {};
        stream.read(magic, 8);
        if (std::string_view(magic, 5) != "#usda") return it->second;
        stream.seekg(0);
        const std::string text(std::istreambuf_iterator<char>(stream), {});
        it->second = index_text(text);
        return it->second;
    }
};

OpinionIndex::OpinionIndex(const Stage& stage) : impl_(std::make_unique<Impl>(Impl{stage, {}})) {}
OpinionIndex::~OpinionIndex() = default;

std::vector<Site> OpinionIndex::opinions(const Prim& prim, const Token& property)
{
    std::vector<Site> out;
    if (!prim) return out;
    const Stage::Impl& stage  = impl_->stage.impl();
    const PrimRecord&  record = stage.record(prim);
    if (record.index == nullptr) return out;
    for_each_site(*record.index, [&](const SdfLayerRefPtr& layer, const PcpNodeRef& node, std::size_t) {
        const SdfPath path = node.GetPath().AppendProperty(unwrap(property));
        if (!layer->HasSpec(path)) return false;
        Site             site{.layer = shown(stage, layer), .prim = record.path.text(), .property = property.text()};
        const TextIndex& lines = impl_->lines_of(layer);
        if (const auto line = lines.find(path.GetString()); line != lines.end())
            std::tie(site.line, site.column) = line->second;
        out.push_back(std::move(site));
        return false;
    });
    return out;
}

Site OpinionIndex::site(const Prim& prim, const Token& property)
{
    std::vector<Site> all = opinions(prim, property);
    if (!all.empty()) return std::move(all.front());
    return {.layer = {}, .prim = prim.path().text(), .property = property.text()};
}

}  // namespace mechane::usd
