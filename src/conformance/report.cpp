// Sums over a report: counts by severity and outcome, and what was left out (variants, payloads). Called by the writers
// of reports.

#include "mechane/conformance/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace mechane::conformance {

std::string_view to_string(Outcome outcome)
{
    switch (outcome) {
        case Outcome::passed:
            return "passed";
        case Outcome::finding:
            return "finding";
        case Outcome::not_checked:
            return "not checked";
        case Outcome::not_applicable:
            return "not applicable";
    }
    return "";
}

std::size_t Report::count(Severity severity) const
{
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.severity == severity; }));
}

std::size_t Report::count(Outcome outcome) const
{
    return static_cast<std::size_t>(
        std::count_if(outcomes.begin(), outcomes.end(), [&](const RuleOutcome& o) { return o.outcome == outcome; }));
}

std::size_t Report::failures() const
{
    return static_cast<std::size_t>(
        std::count_if(outcomes.begin(), outcomes.end(), [](const RuleOutcome& o) { return o.failed; }));
}

std::size_t Report::fixable() const
{
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return f.rule->fixable; }));
}

std::vector<std::string> Report::left_out() const
{
    std::vector<std::string> all;
    if (states_left_out > 0)
        all.push_back(fmt::format("{} other variant selection{} not checked{}", states_left_out,
                                  states_left_out == 1 ? "" : "s", states.empty() ? " (--variants each)" : ""));
    if (payloads_left_out > 0)
        all.push_back(fmt::format("{} payload{} not loaded and not checked", payloads_left_out,
                                  payloads_left_out == 1 ? "" : "s"));
    return all;
}

}  // namespace mechane::conformance
