// Repairs selections of variants (phase P4): the default that convention names, and the fidelity of colliders that a
// default may have.
// A fidelity is tried by opening the asset with it and running the rule on the result; one that is not unique is left
// to the author.

#include <algorithm>
#include <array>

#include "conformance/fixes/repair.h"
#include "mechane/core/letters.h"
#include "mechane/usd/selection_expressions.h"
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

/// The one variant that a selection means which differs in case, dashes or blanks; empty when there is none.
std::string spelled_alike(const usd::VariantSetUse& set)
{
    std::vector<std::string> alike;
    for (const std::string& name : set.variants)
        if (!letters_of(name).empty() && letters_of(name) == letters_of(set.selection)) alike.push_back(name);
    return alike.size() == 1 ? alike.front() : std::string();
}

/// How the asset would look with another selection; null when it cannot be opened.
std::shared_ptr<const usd::Stage> with_selection(const Repair& repair, const usd::Prim& prim, const std::string& set,
                                                 const std::string& name)
{
    usd::OpenOptions open = repair.options.open;
    open.variant_selections.emplace_back(prim.path().text() + "{" + set + "}", name);
    const auto stage = usd::Stage::open(repair.work.entry().string(), open);
    return stage ? *stage : nullptr;
}

/// Whether the shapes below a prim are those that a default fidelity may have, and there are any.
bool is_default_fidelity(const usd::Stage& stage, const usd::Path& owner)
{
    const Facts facts(stage);
    if (std::ranges::none_of(facts.physics.colliders,
                             [&](const physics::Collider& c) { return c.path.has_prefix(owner); }))
        return false;
    CheckOptions options;
    options.select    = {"REP-1.3.1-d"};
    const auto report = check(stage, options);
    return report && std::ranges::none_of(report->findings, [&](const Finding& finding) {
               return usd::Path(finding.site.prim).has_prefix(owner);
           });
}

/// The nearest set of fidelities at or above a prim, and who has it.
std::pair<usd::Prim, usd::VariantSetUse> fidelity_set(usd::Prim prim)
{
    for (; prim && !prim.path().is_root(); prim = prim.parent())
        for (const usd::VariantSetUse& use : usd::variant_sets(prim))
            if (use.name == "collision_fidelity") return {prim, use};
    return {};
}

/// Variants that a default fidelity may be; the one of the usual name where several are.
std::vector<std::string> default_fidelities(const Repair& repair, const usd::Prim& owner, const usd::VariantSetUse& set)
{
    std::vector<std::string> fit;
    for (const std::string& name : set.variants)
        if (name != set.selection)
            if (const auto stage = with_selection(repair, owner, set.name, name);
                stage && is_default_fidelity(*stage, owner.path()))
                fit.push_back(name);
    for (const char* usual : {"default", "baseline", "primitives", "primitive", "convexHull", "convex_hull", "convex",
                              "hull", "hulls", "simple", "low"})
        if (fit.size() > 1 && std::find(fit.begin(), fit.end(), usual) != fit.end()) fit = {usual};
    return fit;
}

/// A name in place of an expression would take the choice away from its variables.
bool is_computed(Repair& repair, const usd::Prim& prim, const usd::VariantSetUse& set)
{
    const std::string expression = usd::selection_expression(prim, set.name);
    if (expression.empty()) return false;
    repair.refuse("expression", "the selection is " + expression + "; its expressionVariables are to be corrected");
    return true;
}

void select_fidelity(Repair& repair, const Finding& finding)
{
    const auto [owner, set] = fidelity_set(repair.facts.stage.prim_at(usd::Path(finding.site.prim)));
    if (!owner) return repair.refuse("fidelity", "the set is not found");
    if (is_computed(repair, owner, set)) return;
    const std::vector<std::string> fit = default_fidelities(repair, owner, set);
    if (fit.empty()) return repair.refuse("fidelity", "no variant holds primitives, convex hulls or convex meshes");
    if (fit.size() > 1)
        return repair.refuse("ambiguous", "several variants qualify; the author must decide which is meant");
    const EditPlace at = repair.field_place(owner, usd::Token("variantSelection"), true);
    if (!at) return repair.refuse("instance", "the set lies inside an instance");
    if (const auto done = at.layer->select_variant(at.path, set.name, fit.front()); !done)
        return repair.refuse("refused", done.error().message);
    repair.note(at.file, at.path, "variants:" + set.name, set.selection, fit.front());
}

void select(Repair& repair, const Finding& finding)
{
    const usd::Prim prim = repair.facts.stage.prim_at(usd::Path(finding.site.prim));
    for (const usd::VariantSetUse& set : usd::variant_sets(prim)) {
        if (set.name != finding.variant) continue;
        if (is_computed(repair, prim, set)) return;
        const std::string meant = finding.rule->id == "REP-1.2.4-b" ? spelled_alike(set) : std::string();
        std::string       name  = meant.empty() ? conventional(set) : meant;
        if (meant.empty() && set.name == "collision_fidelity")
            if (const auto fit = default_fidelities(repair, prim, set); fit.size() == 1) name = fit.front();
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

constexpr std::array kRepairs{
    RepairOf{"REP-1.3.1-d", Phase::variants, select_fidelity}, RepairOf{"REP-1.2.4-a", Phase::variants, select},
    RepairOf{"REP-1.2.4-b", Phase::variants, select}, RepairOf{"REP-1.3.2-c", Phase::variants, select}};

}  // namespace

std::span<const RepairOf> variant_repairs() { return kRepairs; }

}  // namespace mechane::conformance
