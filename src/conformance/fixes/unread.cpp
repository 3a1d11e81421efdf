// Repairs that have to know everything, on a stage that could not be read fully: they wait.
// A scale over nothing seems to do nothing, and a change of units reaches only the layers that are there. What is
// missing comes back later, and would then stand in another size.
// Input: the diagnostics of composition. Called by Fixer before each repair.

#include "conformance/fixes/unread.h"

#include <algorithm>
#include <array>

#include "conformance/instance_copies.h"

namespace mechane::conformance {
namespace {

constexpr std::array<std::string_view, 3> kUnread{"COMP_ASSET_MISSING", "ASSET_PACKAGE_UNKNOWN", "COMP_EXPRESSION"};

/// Repairs of later phases that conclude from what is not there: a link without geometry, a collider without a visual.
constexpr std::array<std::string_view, 2> kConclude{"REP-1.3-q", "REP-1.3.1-a"};

/// Whether a repair of units touches numbers; a unit that is only written down keeps its meaning.
bool converts(const Finding& finding, const FixOptions& options)
{
    if (finding.rule->id == std::string_view("REP-1.1-c")) return false;  // OpenUSD maps times between layers itself
    if (finding.variant != "absent") return true;
    return options.assume_meters.value_or(1) != 1 || options.assume_up_axis.value_or('Z') != 'Z';
}

}  // namespace

Unread::Unread(const usd::Stage& stage) : stage_(stage)
{
    for (const Diagnostic& found : stage.diagnostics())
        if (std::ranges::find(kUnread, found.id) != kUnread.end()) places_.push_back({found.site.prim, found.message});
}

std::string Unread::holds_back(const Finding& finding, Phase phase, const FixOptions& options) const
{
    const bool placement =
        phase == Phase::transforms || std::ranges::find(kConclude, finding.rule->id) != kConclude.end();
    const bool units = phase == Phase::units && converts(finding, options);
    if (places_.empty() || (!placement && !units)) return {};
    // Instances show what one of them is composed from, and the diagnostic names only that one.
    const usd::Path prim(finding.site.prim), shown(first_shown(stage_, finding.site.prim));
    const auto      place = std::ranges::find_if(places_, [&](const Place& at) {
        if (units || at.prim.empty()) return true;
        const usd::Path path(at.prim);
        return path.has_prefix(prim) || path.has_prefix(shown);
    });
    if (place == places_.end()) return {};
    return (place->prim.empty() ? "" : place->prim + ": ") +
           "what is brought in there could not be read, and the repair depends on it; make it readable first (" +
           place->message + ")";
}

}  // namespace mechane::conformance
