// All opinions about a property, strongest first, with their places: what an editor shows as the property stack.

#include "mechane/usd/opinions.h"

#include "usd/handles.h"
#include "usd/stage_impl.h"
#include "usd/text_index.h"

namespace mechane::usd {

using namespace pxr;

struct OpinionIndex::Impl {
    const Stage& stage;
};

OpinionIndex::OpinionIndex(const Stage& stage) : impl_(std::make_unique<Impl>(Impl{stage})) {}
OpinionIndex::~OpinionIndex() = default;

std::vector<Site> OpinionIndex::opinions(const Prim& prim, const Token& property)
{
    std::vector<Site> out;
    if (!prim) return out;
    const Stage::Impl& stage  = impl_->stage.impl();
    const PrimRecord&  record = stage.record(prim);
    for_each_site(record, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
        const SdfPath path = at.path.AppendProperty(unwrap(property));
        if (!layer->HasSpec(path)) return false;
        const auto place = lines_of(stage, layer).find(path.GetString());
        out.push_back({.layer    = shown(stage, layer),
                       .line     = place.line,
                       .column   = place.column,
                       .prim     = record.path.text(),
                       .property = property.text()});
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
