// Checks an asset in other selections of its variants: one set at a time, or all combinations up to a limit.
// Findings that the default state has as well are not repeated; others name their state. Called by `mechane check
// --variants` and fix.

#include "conformance/variant_states.h"

#include <algorithm>
#include <set>

#include "mechane/usd/stage_layers.h"

namespace mechane::conformance {
namespace {

struct Choice {
    std::string              set;  ///< "/robot{gripper}"
    std::vector<std::string> others;
};

std::vector<Choice> choices(const usd::Stage& stage)
{
    std::vector<Choice> found;
    for (const usd::Prim& prim : stage.traverse()) {
        if (prim.is_instance_proxy()) continue;
        for (const usd::VariantSetUse& set : usd::variant_sets(prim)) {
            Choice choice{prim.path().text() + "{" + set.name + "}", {}};
            for (const std::string& name : set.variants)
                if (name != set.selection) choice.others.push_back(name);
            if (!choice.others.empty()) found.push_back(std::move(choice));
        }
    }
    return found;
}

std::vector<VariantState> states_of(const std::vector<Choice>& all, const VariantStates& wanted, std::size_t& left_out)
{
    std::vector<VariantState> states;
    if (!wanted.product) {
        for (const Choice& choice : all)
            for (const std::string& name : choice.others) states.push_back({{choice.set, name}});
    } else {
        states.push_back({});
        for (const Choice& choice : all) {
            const std::size_t before = states.size();
            for (std::size_t s = 0; s < before && states.size() <= 4 * wanted.max_states; ++s)
                for (const std::string& name : choice.others) {
                    states.push_back(states[s]);
                    states.back().emplace_back(choice.set, name);
                }
        }
        states.erase(states.begin());
    }
    // The number of combinations grows exponentially; what is left out is counted in the report.
    if (states.size() > wanted.max_states) {
        left_out = states.size() - wanted.max_states;
        states.resize(wanted.max_states);
    }
    return states;
}

}  // namespace

std::vector<VariantState> variant_states(const usd::Stage& stage, const VariantStates& wanted, std::size_t& left_out)
{ return states_of(choices(stage), wanted, left_out); }

std::string name_of(const VariantState& state)
{
    std::string text;
    for (const auto& [set, variant] : state)
        text += (text.empty() ? "" : " ") + set.substr(0, set.size() - 1) + "=" + variant + "}";
    return text;
}

Result<Report> check_variants(const usd::Stage& stage, const std::string& asset, const usd::OpenOptions& open,
                              const CheckOptions& options, const VariantStates& wanted)
{
    auto report = check(stage, options);
    if (!report) return report;
    report->states_left_out = 0;
    std::set<std::string> known;
    for (const Finding& finding : report->findings) known.insert(finding.fingerprint);
    for (const VariantState& state : variant_states(stage, wanted, report->states_left_out)) {
        usd::OpenOptions selected = open;
        selected.variant_selections.insert(selected.variant_selections.end(), state.begin(), state.end());
        const auto other = usd::Stage::open(asset, selected);
        if (!other) return other.error();
        auto found = check(**other, options);
        if (!found) return found;
        report->states.push_back(name_of(state));
        for (Finding& finding : found->findings) {
            if (!known.insert(finding.fingerprint).second) continue;
            finding.state = name_of(state);
            for (RuleOutcome& outcome : report->outcomes)
                if (outcome.rule == finding.rule && outcome.outcome != Outcome::not_checked)
                    outcome.outcome = Outcome::finding;
            report->findings.push_back(std::move(finding));
        }
        for (Diagnostic& note : found->notes)
            if (std::none_of(report->notes.begin(), report->notes.end(), [&](const Diagnostic& one) {
                    return one.id == note.id && one.site.prim == note.site.prim && one.message == note.message;
                }))
                report->notes.push_back(std::move(note));
    }
    return report;
}

}  // namespace mechane::conformance
