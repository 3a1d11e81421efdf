#include "variant_specs.h"

#include "mechane/usd/stage_layers.h"

namespace mechane::conformance {

bool in_other_variant(const usd::Stage& stage, const usd::Path& prim)
{
    if (stage.prim_at(prim)) return false;
    const auto layers = usd::layers_of(stage);
    for (usd::Path above = prim.parent(); !above.empty() && above != usd::Path::root(); above = above.parent()) {
        const usd::Prim owner = stage.prim_at(above);
        if (!owner) continue;
        const std::string below = prim.text().substr(above.text().size() + 1);
        for (const usd::VariantSetUse& set : usd::variant_sets(owner))
            for (const std::string& name : set.variants) {
                const usd::Path spec(set.place.path.text() + "{" + set.name + "=" + name + "}" + below);
                for (const usd::StageLayer& layer : layers)
                    if (name != set.selection && layer.name == set.place.layer &&
                        layer.layer->kind(spec) != usd::SpecKind::none)
                        return true;
            }
    }
    return false;
}

}  // namespace mechane::conformance
