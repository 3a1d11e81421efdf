// Reports as bytes for the cache of verdicts. Rules are stored by their place in the catalogue, so the configuration of
// the cache must hold catalogue_digest(); bytes that do not fit give nothing.
// Called by Verdicts.

#include "mechane/conformance/report_bytes.h"

#include <algorithm>
#include <map>
#include <span>

#include "mechane/conformance/source_faults.h"
#include "mechane/core/sha256.h"

namespace mechane::conformance {
namespace {

constexpr unsigned kFailed = 0x80, kReason = 0x40;  ///< beside an outcome

std::uint16_t number_of(const Rule* rule)
{
    static const std::map<const Rule*, std::uint16_t> numbers = [] {
        std::map<const Rule*, std::uint16_t> out;
        for (const Rule* each : rules()) out.emplace(each, static_cast<std::uint16_t>(out.size()));
        out.emplace(&source_rule(), static_cast<std::uint16_t>(out.size()));
        return out;
    }();
    return numbers.at(rule);
}

/// Null for a number that no rule has.
const Rule* get_rule(ByteReader& in)
{
    static const std::span<const Rule* const> kAll   = rules();
    const auto                                number = in.take<std::uint16_t>();
    if (number == kAll.size()) return &source_rule();
    return number < kAll.size() ? kAll[number] : nullptr;
}

template <class Number>
void put_number(ByteWriter& out, Number number)
{ out.put(static_cast<std::uint64_t>(number)); }

std::size_t get_number(ByteReader& in) { return static_cast<std::size_t>(in.take<std::uint64_t>()); }

std::string get_text(ByteReader& in)
{
    std::string text;
    in.get(text);
    return text;
}

void put_site(ByteWriter& out, const Site& site)
{
    out.put(site.layer);
    out.put(site.line);
    out.put(site.column);
    out.put(site.prim);
    out.put(site.property);
}

Site get_site(ByteReader& in)
{
    Site site;
    in.get(site.layer);
    in.get(site.line);
    in.get(site.column);
    in.get(site.prim);
    in.get(site.property);
    return site;
}

}  // namespace

void put(ByteWriter& out, const Diagnostic& one)
{
    out.put(one.id);
    out.put(one.severity);
    out.put(one.message);
    put_site(out, one.site);
    out.put(one.hint);
    out.put(one.count);
    out.put(one.alias);
}

Diagnostic get_diagnostic(ByteReader& in)
{
    Diagnostic one;
    in.get(one.id);
    in.get(one.severity);
    in.get(one.message);
    one.site = get_site(in);
    in.get(one.hint);
    in.get(one.count);
    in.get(one.alias);
    return one;
}

void put(ByteWriter& out, const Report& report)
{
    out.put(report.asset);
    out.put(report.profile);
    for (const std::size_t number : {report.prims, report.layers, report.suppressed, report.baselined,
                                     report.states_left_out, report.payloads_left_out, report.states.size(),
                                     report.findings.size(), report.outcomes.size(), report.notes.size()})
        put_number(out, number);
    for (const Diagnostic& note : report.notes) put(out, note);
    for (const std::string& state : report.states) out.put(state);
    for (const Finding& finding : report.findings) {
        out.put(number_of(finding.rule));
        out.put(finding.severity);
        for (const std::string* text : {&finding.variant, &finding.message, &finding.observed, &finding.expected,
                                        &finding.hint, &finding.state, &finding.fingerprint})
            out.put(*text);
        put_site(out, finding.site);
        out.put(finding.instances);
    }
    // More than a hundred for each asset, most without a reason: two bits and the outcome in one byte.
    for (const RuleOutcome& outcome : report.outcomes) {
        out.put(number_of(outcome.rule));
        out.put(static_cast<std::uint8_t>(static_cast<unsigned>(outcome.outcome) | (outcome.failed ? kFailed : 0) |
                                          (outcome.reason.empty() ? 0 : kReason)));
        if (!outcome.reason.empty()) out.put(outcome.reason);
    }
}

std::optional<Report> get_report(ByteReader& in)
{
    Report report;
    in.get(report.asset);
    in.get(report.profile);
    std::size_t states = 0, findings = 0, outcomes = 0, notes = 0;
    for (std::size_t* number :
         {&report.prims, &report.layers, &report.suppressed, &report.baselined, &report.states_left_out,
          &report.payloads_left_out, &states, &findings, &outcomes, &notes})
        *number = get_number(in);
    for (std::size_t i = 0; i < notes && in.good(); ++i) report.notes.push_back(get_diagnostic(in));
    for (std::size_t i = 0; i < states && in.good(); ++i) report.states.push_back(get_text(in));
    for (std::size_t i = 0; i < findings && in.good(); ++i) {
        Finding finding{.rule = get_rule(in)};
        in.get(finding.severity);
        for (std::string* text : {&finding.variant, &finding.message, &finding.observed, &finding.expected,
                                  &finding.hint, &finding.state, &finding.fingerprint})
            in.get(*text);
        finding.site = get_site(in);
        in.get(finding.instances);
        if (finding.rule == nullptr || finding.severity > Severity::error) return std::nullopt;
        report.findings.push_back(std::move(finding));
    }
    for (std::size_t i = 0; i < outcomes && in.good(); ++i) {
        RuleOutcome outcome{.rule = get_rule(in), .outcome = Outcome::not_applicable, .reason = {}};
        const auto  bits = in.take<std::uint8_t>();
        outcome.outcome  = static_cast<Outcome>(bits & ~(kFailed | kReason));
        outcome.failed   = (bits & kFailed) != 0;
        if ((bits & kReason) != 0) in.get(outcome.reason);
        if (outcome.rule == nullptr || outcome.outcome > Outcome::not_applicable) return std::nullopt;
        report.outcomes.push_back(std::move(outcome));
    }
    if (!in.good()) return std::nullopt;
    return report;
}

std::string catalogue_digest()
{
    Sha256 sum;
    for (const Rule* rule : rules())
        for (const std::string_view text :
             {rule->id, rule->slug, to_string(rule->keyword), to_string(rule->severity), rule->summary, rule->why,
              rule->fix, std::string_view(rule->fixable ? "fixable" : ""),
              std::string_view(rule->manual ? "manual" : "")}) {
            sum.update(text);
            sum.update(std::string_view("\0", 1));
        }
    return sum.finish();
}

}  // namespace mechane::conformance
