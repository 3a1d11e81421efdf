// Checks of variant selections: those that a user asks for, and those that layers author for sets or variants that do
// not exist.
// OpenUSD accepts both without a word.

#include "mechane/usd/selections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/types.h>

#include <algorithm>
#include <map>
#include <set>

#include "mechane/core/nearest.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/stage_layers.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// "/Prim{set}" of every set of the stage.
std::vector<std::string> sets_of(const Stage& stage)
{
    std::vector<std::string> out;
    for (const Prim& prim : stage.traverse({.all = true, .instance_proxies = false}))
        for (const VariantSetUse& set : variant_sets(prim))
            out.push_back(fmt::format("{}{{{}}}", prim.path().text(), set.name));
    return out;
}

/// The nearest of the words, all of them where none is near, in one sentence.
std::string hint(const std::string& word, std::vector<std::string> known, const std::string& nothing)
{
    if (known.empty()) return nothing;
    if (const std::string near = did_you_mean(word, known); !near.empty()) return near;
    constexpr std::size_t kListed = 3;
    const bool            more    = known.size() > kListed;
    known.resize(std::min(known.size(), kListed));
    return fmt::format("There {} {}{}.", known.size() == 1 ? "is" : "are", fmt::join(known, ", "), more ? ", ..." : "");
}

void check_one(const Stage& stage, const std::string& target, const std::string& name, Diagnostics& out)
{
    const std::size_t brace = target.find('{');
    std::string       set   = brace == std::string::npos ? target : target.substr(brace + 1);
    if (set.ends_with('}')) set.pop_back();
    const Prim  prim = brace == std::string::npos ? stage.default_prim() : stage.prim_at(Path(target.substr(0, brace)));
    const Site  site{.layer = stage.source(), .prim = prim ? prim.path().text() : std::string()};
    const auto  sets = prim ? variant_sets(prim) : std::vector<VariantSetUse>{};
    const auto  used = std::find_if(sets.begin(), sets.end(), [&](const VariantSetUse& s) { return s.name == set; });
    std::string message;
    if (!prim && brace != std::string::npos) {
        std::vector<std::string> known = sets_of(stage);
        out.add(kVariantUnknown, site, fmt::format("there is no prim {}", target.substr(0, brace)),
                hint(target, std::move(known), "The stage has no variant sets."));
    } else if (used == sets.end()) {
        std::vector<std::string> known;
        for (const VariantSetUse& s : sets) known.push_back(s.name);
        if (known.empty()) known = sets_of(stage);
        out.add(kVariantUnknown, site,
                prim ? fmt::format("{} has no variant set '{}'", prim.path().text(), set)
                     : fmt::format("the stage has no default prim to select '{}' on", set),
                hint(set, std::move(known), "The stage has no variant sets."));
    } else if (!name.empty() && std::find(used->variants.begin(), used->variants.end(), name) == used->variants.end()) {
        out.add(kVariantUnknown, site,
                fmt::format("the variant set '{}' of {} has no variant '{}'", set, prim.path().text(), name),
                hint(name, used->variants, "The set has no variants."));
    }
}

/// Sets and variants that the prim has, and what layers select.
struct AuthoredSelections {
    std::map<std::string, std::vector<std::string>> variants;
    std::map<std::string, std::string>              chosen;    ///< the strongest selection of each set
    std::set<std::string>                           possible;  ///< sets inside variants, selected or not
};

AuthoredSelections authored_at(const Stage::Impl& impl, const PrimRecord& record)
{
    AuthoredSelections out;
    for_each_site(record, [&](const SdfLayerRefPtr& layer, const SiteNode& site, std::size_t) {
        // Of a local prim the node is the pseudo-root's.
        const SdfPath& path = record.is_local() ? unwrap(record.path) : site.path;
        std::vector<TfToken> sets;
        if (layer->HasField(path, SdfChildrenKeys->VariantSetChildren, &sets))
            for (const TfToken& set : sets) {
                auto&                known = out.variants[set.GetString()];
                std::vector<TfToken> names;
                if (layer->HasField(path.AppendVariantSelection(set.GetString(), ""), SdfChildrenKeys->VariantChildren,
                                    &names))
                    for (const TfToken& name : names) {
                    known.push_back(name.GetString());
                    std::vector<TfToken> nested;  // sets that the prim has once this variant is selected
                    if (layer->HasField(path.AppendVariantSelection(set.GetString(), name.GetString()),
                                        SdfChildrenKeys->VariantSetChildren, &nested))
                        for (const TfToken& inner : nested) out.possible.insert(inner.GetString());
                }
            }
        // What the user asked for is checked elsewhere.
        if (get_pointer(layer) == get_pointer(impl.session)) return false;
        if (SdfVariantSelectionMap chosen; layer->HasField(path, SdfFieldKeys->VariantSelection, &chosen))
            out.chosen.insert(chosen.begin(), chosen.end());
        return false;
    });
    return out;
}

}  // namespace

Diagnostics check_selections(const Stage& stage, std::span<const std::pair<std::string, std::string>> selections)
{
    Diagnostics out;
    for (const auto& [target, name] : selections) check_one(stage, target, name, out);
    return out;
}

void report_authored_selections(const Stage& stage, Diagnostics& found)
{
    const Stage::Impl& impl = stage.impl();
    for (const Prim& prim : stage.traverse({.all = false, .instance_proxies = false})) {
        const PrimRecord& record = impl.record(prim);
        if (!prim.loaded()) continue;  // the set may lie in what is not loaded
        // Most prims are local and say so without a look into their layer.
        if (record.is_local() && record.layer != PrimRecord::kSeveral &&
            std::find(record.fields.begin(), record.fields.end(), SdfFieldKeys->VariantSelection) ==
                record.fields.end())
            continue;
        const AuthoredSelections here = authored_at(impl, record);
        for (const auto& [set, name] : here.chosen) {
            const auto known = here.variants.find(set);
            const Site site  = prim.site();
            if (name.starts_with('`')) continue;  // an expression; what it fails on is told where it is evaluated
            if (known == here.variants.end()) {
                if (here.possible.count(set) != 0) continue;
                std::vector<std::string> sets;
                for (const auto& [one, unused] : here.variants) sets.push_back(one);
                found.add(kVariantAbsent, site,
                          fmt::format("{} selects a variant of '{}', a set that it does not have", prim.path().text(),
                                      set),
                          did_you_mean(set, sets));
            } else if (!name.empty() &&
                       std::find(known->second.begin(), known->second.end(), name) == known->second.end()) {
                found.add(kVariantAbsent, site,
                          fmt::format("{} selects the variant '{}' of '{}', which the set does not have",
                                      prim.path().text(), name, set),
                          did_you_mean(name, known->second));
            }
        }
    }
}

bool is_missing_part(std::string_view id) { return id.starts_with("COMP_") || id.starts_with("ASSET_"); }

bool is_composition_finding(std::string_view id)
{ return is_missing_part(id) || id == kLimit.id || id == kReaderDied.id; }

}  // namespace mechane::usd
