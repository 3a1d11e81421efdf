// Specs that variants which are not selected have for a prim: at it or above it, by walking up and looking into each
// set. Called by rules and repairs that must know whether something exists in another state.

#include "variant_specs.h"

#include "mechane/usd/stage_layers.h"

namespace mechane::conformance {

std::vector<VariantSpec> unselected_specs(const Facts& facts, const usd::Path& prim)
{
    std::vector<VariantSpec> found;
    for (usd::Path above = prim; !above.empty() && !above.is_root(); above = above.parent()) {
        const usd::Prim owner = facts.stage.prim_at(above);
        if (!owner) continue;
        const std::string below = above == prim ? "" : prim.text().substr(above.text().size() + 1);
        for (const usd::VariantSetUse& set : usd::variant_sets(owner)) {
            const std::string start = set.place.path.text() + "{" + set.name + "=";
            for (const std::string& name : set.variants) {
                if (name == set.selection) continue;
                const usd::Path spec(start + name + "}" + below);
                for (const AssetLayer& layer : facts.layers())
                    if (layer.layer.name == set.place.layer && layer.layer.layer->kind(spec) != usd::SpecKind::none)
                        found.push_back({&*layer.layer.layer, spec, start});
            }
        }
    }
    return found;
}

bool in_other_variant(const Facts& facts, const usd::Path& prim)
{ return !facts.stage.prim_at(prim) && !unselected_specs(facts, prim).empty(); }

}  // namespace mechane::conformance
