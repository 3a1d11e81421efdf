// Kinds of models: the hierarchy of model, group, assembly, component by OpenUSD's registry, and the rule that
// components do not nest.

#include "mechane/usd/kind.h"

#include <fmt/format.h>
#include <pxr/kind/registry.h>

#include <unordered_map>

#include "mechane/usd/codes.h"
#include "usd/handles.h"

namespace mechane::usd {
namespace {
const Token kKind("kind"), kModel("model"), kGroup("group"), kComponent("component");
}

Token kind_of(const Prim& prim) { return prim ? prim.metadata(kKind).get<Token>().value_or(Token()) : Token(); }

bool kind_is_a(const Token& kind, const Token& base)
{ return !kind.empty() && pxr::KindRegistry::IsA(unwrap(kind), unwrap(base)); }

bool is_model(const Prim& prim)
{
    if (!prim || prim.path().is_root() || !kind_is_a(kind_of(prim), kModel)) return false;
    for (Prim above = prim.parent(); above && !above.path().is_root(); above = above.parent())
        if (!kind_is_a(kind_of(above), kGroup)) return false;
    return true;
}

bool is_group(const Prim& prim) { return kind_is_a(kind_of(prim), kGroup) && is_model(prim); }

void check_kinds(const Stage& stage, Diagnostics& found)
{
    std::unordered_map<std::uint32_t, Path> component_of;  // the nearest component at or above a prim; never iterated
    for (const Prim& prim : stage.traverse()) {
        const auto above = component_of.find(prim.parent().index());
        const bool below = above != component_of.end();
        const bool own   = kind_is_a(kind_of(prim), kComponent);
        if (own && below) {
            Site site     = prim.site();
            site.property = kKind.text();
            found.add(
                kKindHierarchy, std::move(site),
                fmt::format("<{}> is a component below the component <{}>", prim.path().text(), above->second.text()));
        }
        if (own)
            component_of.emplace(prim.index(), prim.path());
        else if (below)
            component_of.emplace(prim.index(), Path(above->second));
    }
}

}  // namespace mechane::usd
