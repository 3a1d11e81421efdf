// The report for people, the annotations of GitHub's workflows, and the explanation of a rule.
// Texts from assets are made visible, so that no control character reaches the terminal. Called by `mechane check` and
// `mechane explain`.

#include <fmt/format.h>

#include <map>

#include "mechane/conformance/formats.h"
#include "mechane/conformance/sentence.h"
#include "mechane/core/visible.h"

namespace mechane::conformance {
namespace {

std::string place(const Site& site)
{
    std::string text = site.layer;
    if (site.line > 0) text += ":" + std::to_string(site.line);
    if (site.line > 0 && site.column > 0) text += ":" + std::to_string(site.column);
    if (!site.prim.empty())
        text += (text.empty() ? "" : "   ") + site.prim + (site.property.empty() ? "" : "." + site.property);
    return text;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many)
{ return fmt::format("{} {}", count, count == 1 ? one : many); }

/// Text of a workflow command: it ends at a line feed, and its properties at commas and colons, which are written as
/// %0A, %2C and %3A.
std::string escaped(std::string_view text, std::string_view also = "")
{
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '%' || byte < 0x20 || byte == 0x7f || also.find(c) != std::string_view::npos)
            out += fmt::format("%{:02X}", byte);
        else
            out += c;
    }
    return out;
}

/// @param asset  where the site names no layer
std::string annotation(Severity severity, const Site& site, const std::string& asset, std::string_view id,
                       std::string_view message)
{
    const char* level = severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "notice";
    std::string out   = fmt::format("::{} file={}", level, escaped(site.layer.empty() ? asset : site.layer, ",:"));
    if (site.line > 0) out += fmt::format(",line={}", site.line);
    out += fmt::format(",title={}::{}", id, escaped(message));
    return out + (site.prim.empty() ? "\n" : fmt::format(" ({})\n", escaped(site.prim)));
}

std::string painted(Severity severity, std::string_view text, bool colored)
{
    if (!colored) return std::string(text);
    const char* code = severity == Severity::error ? "31" : severity == Severity::warning ? "33" : "36";
    return fmt::format("\033[1;{}m{}\033[0m", code, text);
}

}  // namespace

std::string to_text(const Report& report, const FormatOptions& options)
{
    std::string                        out;
    std::map<const Rule*, std::size_t> shown;
    for (const Finding& finding : report.findings) {
        if (++shown[finding.rule] > options.max_per_rule) continue;
        out += painted(finding.severity, fmt::format("{}[{}]", to_string(finding.severity), finding.rule->id),
                       options.colored);
        out += fmt::format(": {}\n  --> {}", visible_in_line(finding.message), visible_in_line(place(finding.site)));
        if (finding.instances > 1) out += fmt::format("   (at {} instances)", finding.instances);
        if (!finding.state.empty()) out += fmt::format("   (with {})", visible_in_line(finding.state));
        out += '\n';
        if (!finding.hint.empty()) out += fmt::format("   = help: {}\n", visible_in_line(finding.hint));
    }
    for (const auto& [rule, count] : shown)
        if (count > options.max_per_rule)
            out += fmt::format("   ... and {} more of {}\n", count - options.max_per_rule, rule->id);
    for (const RuleOutcome& outcome : report.outcomes)
        if (outcome.outcome == Outcome::not_checked)
            out += fmt::format("not checked[{}]: {}\n", outcome.rule->id, visible_in_line(outcome.reason));
    const std::size_t errors = report.count(Severity::error), warnings = report.count(Severity::warning),
                      infos = report.count(Severity::info);
    out += fmt::format("{}: {}, {}, {}; {} passed, {} not checked, {} not applicable", visible_in_line(report.asset),
                       counted(errors, "error", "errors"), counted(warnings, "warning", "warnings"),
                       counted(infos, "info", "infos"), counted(report.count(Outcome::passed), "rule", "rules"),
                       report.count(Outcome::not_checked), report.count(Outcome::not_applicable));
    if (!report.states.empty()) out += fmt::format(", {} further variant selections", report.states.size());
    for (const std::string& what : report.left_out()) out += ", " + what;
    if (report.suppressed > 0) out += fmt::format(", {} suppressed", report.suppressed);
    if (report.baselined > 0) out += fmt::format(", {} in the baseline", report.baselined);
    return out + '\n';
}

std::string to_github(std::span<const Report> reports)
{
    std::string out;
    for (const Report& report : reports)
        for (const Finding& finding : report.findings)
            out += annotation(finding.severity, finding.site, report.asset, finding.rule->id, finding.message);
    return out;
}

std::string github_unopened(const Diagnostic& why)
{ return annotation(why.severity, why.site, {}, why.id, why.message + (why.hint.empty() ? "" : ". " + why.hint)); }

std::string explain(const Rule& rule)
{
    std::string out = fmt::format("{} {}   {} {}\n\n{}\n\nWhy: {}\nFix: {}\n", rule.id, rule.slug,
                                  to_string(rule.keyword), to_string(rule.severity), rule.summary, rule.why, rule.fix);
    for (const Sentence* sentence : sentences_of(rule)) {
        out += fmt::format("\nREP-0158 {}: \"{}\"\n", sentence->section, sentence->text);
        if (!sentence->note.empty())
            out += fmt::format("    {}{}\n", sentence->contradicts ? "The standard contradicts itself: " : "",
                               sentence->note);
    }
    if (const std::string_view from = derivation_of(rule); !from.empty())
        out += fmt::format("\nNo sentence of REP-0158 says so. {}\n", from);
    out += fmt::format("\nPage: {}\n", help_page(rule));
    const auto example = [&](const char* title, std::string_view fragment) {
        if (fragment.empty()) return;
        out += fmt::format("\n{}:\n", title);
        out += "    ";
        for (const char c : example_text(fragment)) {
            out += c;
            if (c == '\n') out += "    ";
        }
        out += '\n';
    };
    example("Bad example", rule.bad);
    example("Good example", rule.good);
    return out;
}

}  // namespace mechane::conformance
