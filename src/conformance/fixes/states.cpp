// Whether variants that are not selected stand in the way of a repair: they place the prim, or bring prims below it.
// A repair in the selected state would change the others unseen, so it is refused there.
// Called by Placement.

#include "conformance/fixes/states.h"

#include <algorithm>

#include "conformance/variant_specs.h"

namespace mechane::conformance {
namespace {

bool is_op(const usd::Token& property) { return property.text().starts_with("xformOp"); }

/// "/robot{size=big}" of "/robot{size=big}wheel/hub", empty for a path through no variant.
std::string innermost_variant(const std::string& path)
{
    const std::size_t end = path.rfind('}');
    return end == std::string::npos ? std::string() : path.substr(0, end + 1);
}

/// True when a variant that is not selected brings prims or arcs below the prim.
bool others_bring(const Repair& repair, const usd::Prim& prim)
{
    const auto others = unselected_specs(repair.facts, prim.path());
    return std::any_of(others.begin(), others.end(), [](const VariantSpec& other) {
        return !other.layer->children(other.path).empty() || !other.layer->references(other.path).empty() ||
               !other.layer->payloads(other.path).empty();
    });
}

}  // namespace

bool placed_by_variants(const Repair& repair, const usd::Prim& prim, const EditPlace& at)
{
    const std::string here = at.path.text();
    for (const usd::Token& name : prim.authored_property_names()) {
        if (!is_op(name)) continue;
        for (const usd::SpecPlace& place : usd::spec_places(prim, name))
            if (!here.starts_with(innermost_variant(place.path.text()))) return true;
    }
    const auto others = unselected_specs(repair.facts, prim.path());
    return std::any_of(others.begin(), others.end(), [&](const VariantSpec& other) {
        const auto names = other.layer->properties(other.path);
        return !here.starts_with(other.set) && std::any_of(names.begin(), names.end(), is_op);
    });
}

bool hands_into_variants(Repair& repair, const usd::Prim& prim, bool to_all)
{
    if (others_bring(repair, prim)) return true;
    for (const usd::Prim& below : to_all ? prim.subtree() : prim.children()) {
        if (below == prim) continue;
        if (placed_by_variants(repair, below, repair.own_place(below, "xformOpOrder"))) return true;
        if (to_all && others_bring(repair, below)) return true;
    }
    return false;
}

}  // namespace mechane::conformance
