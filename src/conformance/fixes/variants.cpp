#include <algorithm>
#include <array>

#include "conformance/fixes/repair.h"
#include "mechane/usd/stage_layers.h"

/// P4: selections of variants.
namespace mechane::conformance {
namespace {

/// The variant that convention makes the default; empty when there is none.
std::string conventional(const usd::VariantSetUse& set)
{
    const auto has = [&](const char* name) {
        return std::find(set.variants.begin(), set.variants.end(), name) != set.variants.end();
    };
    if (set.name == "visual_representation") return has("mesh_medium") ? "mesh_medium" : "";
    for (const char* name : {"default", "none", "base"})
        if (has(name)) return name;
    return set.variants.size() == 1 ? set.variants.front() : "";
}

void select(Repair& repair, const Finding& finding)
{
    const usd::Prim prim = repair.facts.stage.prim_at(usd::Path(finding.site.prim));
    for (const usd::VariantSetUse& set : usd::variant_sets(prim)) {
        if (set.name != finding.variant) continue;
        const std::string name = conventional(set);
        if (name.empty())
            return repair.refuse("ambiguous", "no variant of " + set.name + " is the default by convention");
        EditPlace at = repair.place(prim);
        if (!repair.work.has_overlay())
            if (usd::Layer* layer = repair.work.layer(set.place.layer)) at = {layer, set.place.layer, set.place.path};
        if (!at) return repair.refuse("external-layer", "the set is authored outside the asset");
        if (set.selected) at = repair.own_place(prim);  // a stronger selection may be elsewhere
        if (const auto done = at.layer->select_variant(at.path, set.name, name); !done)
            return repair.refuse("refused", done.error().message);
        repair.note(at.file, at.path, "variants:" + set.name, set.selection, name);
    }
}

constexpr std::array kRepairs{RepairOf{"REP-1.2.4-a", Phase::variants, select},
                              RepairOf{"REP-1.2.4-b", Phase::variants, select},
                              RepairOf{"REP-1.3.2-c", Phase::variants, select}};

}  // namespace

std::span<const RepairOf> variant_repairs() { return kRepairs; }

}  // namespace mechane::conformance
