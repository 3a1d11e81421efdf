// Load rules and masks of an opening, as UsdStageLoadRules and UsdStagePopulationMask define them.

#include "usd/load_rules.h"

#include <algorithm>

#include "usd/stage_impl.h"
#include "usd/targets.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// "material:binding*" names every relationship that begins so.
bool is_named(const std::vector<std::string>& patterns, const std::string& name)
{
    return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
        if (!pattern.ends_with('*')) return name == pattern;
        return name.starts_with(pattern.substr(0, pattern.size() - 1));
    });
}

bool covers(const std::vector<Path>& mask, const Path& path)
{
    return std::any_of(mask.begin(), mask.end(), [&](const Path& listed) { return path.has_prefix(listed); });
}

}  // namespace

LoadRules::LoadRules(const OpenOptions& options)
{
    if (!options.load_payloads) rules_[SdfPath::AbsoluteRootPath()] = LoadRule::none;
    for (const auto& [path, rule] : options.load_rules) rules_[unwrap(path)] = rule;
}

LoadRule LoadRules::effective(const SdfPath& path) const
{
    if (rules_.empty()) return LoadRule::all;
    auto nearest = rules_.end();
    for (SdfPath at = path; !at.IsEmpty() && nearest == rules_.end(); at = at.GetParentPath())
        nearest = rules_.find(at);
    if (nearest == rules_.end() || nearest->second == LoadRule::all) return LoadRule::all;
    if (nearest->first == path && nearest->second == LoadRule::only) return LoadRule::only;
    // A path sorts before what lies below it, so a rule below another one follows it.
    SdfPath level;
    for (auto rule = rules_.upper_bound(path); rule != rules_.end() && rule->first.HasPrefix(path); ++rule) {
        if (!level.IsEmpty() && rule->first.HasPrefix(level)) continue;
        level = rule->first;
        if (rule->second != LoadRule::none) return LoadRule::only;
    }
    return LoadRule::none;
}

bool expand_mask(const Stage::Impl& stage, OpenOptions& options)
{
    if (options.mask.empty() || options.mask_expansion.empty()) return false;
    const std::size_t before = options.mask.size();
    for (const PrimRecord& prim : stage.prims) {
        TfTokenVector names;
        if (prim.layer == PrimRecord::kSeveral)
            index_of(stage, prim)->ComputePrimPropertyNames(&names);
        else if (prim.property_names.IsHolding<TfTokenVector>())
            names = prim.property_names.UncheckedGet<TfTokenVector>();
        for (const TfToken& name : names) {
            if (!is_named(options.mask_expansion, name.GetString())) continue;
            for (const Path& target : compose_targets(stage, prim, name, false))
                if (const Path other = target.prim();
                    !other.empty() && !other.is_root() && !covers(options.mask, other))
                    options.mask.push_back(other);
        }
    }
    return options.mask.size() > before;
}

}  // namespace mechane::usd
