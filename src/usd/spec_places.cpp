// Each layer that has a spec of a prim or property, strongest first, with the spec's path there.

#include "mechane/usd/layer.h"
#include "usd/place_name.h"

namespace mechane::usd {

using namespace pxr;

std::vector<SpecPlace> spec_places(const Prim& prim, const Token& property)
{
    std::vector<SpecPlace> out;
    if (!prim) return out;
    const PrimRecord& record = prim.stage().impl().record(prim);
    for_each_site(record, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
        const SdfPath path = property.empty() ? at.path : at.path.AppendProperty(unwrap(property));
        if (layer->HasSpec(path)) out.push_back({file_of_layer(prim.stage().impl(), layer), wrap(path)});
        return false;
    });
    return out;
}

}  // namespace mechane::usd
