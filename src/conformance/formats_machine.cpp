#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "markup.h"
#include "mechane/conformance/formats.h"

namespace mechane::conformance {
namespace {

using Json = nlohmann::json;

/// Names come from files and may hold any bytes: what is not UTF-8 is replaced.
std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json finding_json(const Finding& finding)
{
    const auto text = [](const std::string& s) { return s.empty() ? Json() : Json(s); };
    return {{"rule", finding.rule->id},
            {"slug", finding.rule->slug},
            {"section", finding.rule->section()},
            {"keyword", to_string(finding.rule->keyword)},
            {"severity", to_string(finding.severity)},
            {"originalSeverity", to_string(finding.rule->severity)},
            {"variant", text(finding.variant)},
            {"message", finding.message},
            {"hint", text(finding.hint)},
            {"prim", text(finding.site.prim)},
            {"property", text(finding.site.property)},
            {"layer", text(finding.site.layer)},
            {"line", finding.site.line > 0 ? Json(finding.site.line) : Json()},
            {"column", finding.site.column > 0 ? Json(finding.site.column) : Json()},
            {"instances", finding.instances},
            {"observed", text(finding.observed)},
            {"expected", text(finding.expected)},
            {"fixable", finding.rule->fixable},
            {"state", finding.state},
            {"fingerprint", finding.fingerprint}};
}

Json report_json(const Report& report, const FormatOptions& options)
{
    Json findings = Json::array(), evaluated = Json::array(), skipped = Json::array();
    for (const Finding& finding : report.findings) findings.push_back(finding_json(finding));
    for (const RuleOutcome& outcome : report.outcomes) {
        if (outcome.outcome == Outcome::passed || outcome.outcome == Outcome::finding)
            evaluated.push_back(outcome.rule->id);
        else
            skipped.push_back(
                {{"id", outcome.rule->id},
                 {"reason", outcome.outcome == Outcome::not_checked ? outcome.reason : "not applicable"}});
    }
    Json states = Json::array({"default"});
    for (const std::string& state : report.states) states.push_back(state);
    return {{"schema", "mechane.rep0158.report/1"},
            {"tool", {{"name", "mechane"}, {"version", options.version}}},
            {"rep", "0158:2026"},
            {"asset", report.asset},
            {"profile", report.profile},
            {"prims", report.prims},
            {"layers", report.layers},
            {"states", std::move(states)},
            {"summary",
             {{"error", report.count(Severity::error)},
              {"warning", report.count(Severity::warning)},
              {"info", report.count(Severity::info)},
              {"suppressed", report.suppressed},
              {"baselined", report.baselined},
              {"unchecked", report.count(Outcome::not_checked)}}},
            {"findings", std::move(findings)},
            {"coverage", {{"evaluated", std::move(evaluated)}, {"skipped", std::move(skipped)}}}};
}

const char* sarif_level(Severity severity)
{
    switch (severity) {
        case Severity::info:
            return "note";
        case Severity::warning:
            return "warning";
        case Severity::error:
            return "error";
    }
    return "none";
}

Json sarif_rule(const Rule& rule)
{
    return {{"id", rule.id},
            {"name", rule.slug},
            {"shortDescription", {{"text", rule.summary}}},
            {"fullDescription", {{"text", std::string(rule.summary) + " " + std::string(rule.why)}}},
            {"help", {{"text", rule.fix}}},
            {"defaultConfiguration", {{"level", sarif_level(rule.severity)}}},
            {"properties", {{"section", rule.section()}, {"keyword", to_string(rule.keyword)}}}};
}

/// A layer as a URI relative to the asset's root: forward slashes, reserved characters escaped.
std::string uri_of(const std::string& path)
{
    std::string out;
    for (const char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("-._~/").find(c) != std::string_view::npos;
        if (plain)
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    return out;
}

Json sarif_result(const Report& report, const Finding& finding, std::size_t rule_index)
{
    Json location = {
        {"physicalLocation",
         {{"artifactLocation", {{"uri", uri_of(finding.site.layer.empty() ? report.asset : finding.site.layer)}}}}}};
    if (finding.site.line > 0) {
        location["physicalLocation"]["region"]["startLine"] = finding.site.line;
        if (finding.site.column > 0) location["physicalLocation"]["region"]["startColumn"] = finding.site.column;
    }
    if (!finding.site.prim.empty())
        location["logicalLocations"] =
            Json::array({{{"fullyQualifiedName",
                           finding.site.prim + (finding.site.property.empty() ? "" : "." + finding.site.property)},
                          {"kind", "object"}}});
    return {{"ruleId", finding.rule->id},
            {"ruleIndex", rule_index},
            {"level", sarif_level(finding.severity)},
            {"message", {{"text", finding.message + (finding.hint.empty() ? "" : ". " + finding.hint)}}},
            {"locations", Json::array({std::move(location)})},
            {"partialFingerprints", {{"mechane/v1", finding.fingerprint}}}};
}

/// How the run itself went: rules that could not be judged are no results.
Json sarif_invocation(std::span<const Report> reports)
{
    Json notes = Json::array();
    bool whole = true;
    for (const Report& report : reports)
        for (const RuleOutcome& outcome : report.outcomes) {
            if (outcome.outcome != Outcome::not_checked) continue;
            whole &= !outcome.failed;
            notes.push_back({{"level", outcome.failed ? "error" : "note"},
                             {"associatedRule", {{"id", outcome.rule->id}}},
                             {"message", {{"text", fmt::format("{}: {}", report.asset, outcome.reason)}}}});
        }
    return {{"executionSuccessful", whole}, {"toolExecutionNotifications", std::move(notes)}};
}

/// Text for an XML document: valid UTF-8 without the characters that XML 1.0 forbids.
std::string xml(std::string_view text)
{
    // The JSON writer knows what is not UTF-8.
    const std::string valid =
        Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
    std::string allowed;
    for (const char c : valid)
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') allowed += c;
    return markup_escaped(allowed);
}

}  // namespace

std::string to_json(std::span<const Report> reports, const FormatOptions& options)
{
    if (reports.size() == 1) return dumped(report_json(reports.front(), options));
    Json all = Json::array();
    for (const Report& report : reports) all.push_back(report_json(report, options));
    return dumped({{"schema", "mechane.rep0158.reports/1"}, {"reports", std::move(all)}});
}

std::string to_sarif(std::span<const Report> reports, const FormatOptions& options)
{
    Json                               described = Json::array(), results = Json::array();
    std::map<const Rule*, std::size_t> index;
    for (const Rule* rule : rules()) {
        index[rule] = described.size();
        described.push_back(sarif_rule(*rule));
    }
    for (const Report& report : reports) {
        for (const RuleOutcome& outcome : report.outcomes)  // rules of the caller
            if (index.try_emplace(outcome.rule, described.size()).second)
                described.push_back(sarif_rule(*outcome.rule));
        for (const Finding& finding : report.findings)
            results.push_back(sarif_result(report, finding, index[finding.rule]));
    }
    return dumped(
        {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
         {"version", "2.1.0"},
         {"runs",
          Json::array(
              {{{"tool",
                 {{"driver", {{"name", "mechane"}, {"version", options.version}, {"rules", std::move(described)}}}}},
                {"invocations", Json::array({sarif_invocation(reports)})},
                {"results", std::move(results)}}})}});
}

std::string to_junit(std::span<const Report> reports, Severity fail_on)
{
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    for (const Report& report : reports) {
        std::map<const Rule*, std::vector<const Finding*>> by_rule;
        for (const Finding& finding : report.findings) by_rule[finding.rule].push_back(&finding);
        std::string suite;
        std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
        for (const RuleOutcome& outcome : report.outcomes) {
            ++tests;
            suite += fmt::format("    <testcase classname=\"rep0158.{}\" name=\"{} {}\">", xml(outcome.rule->section()),
                                 outcome.rule->id, outcome.rule->slug);
            std::string failing, passing;
            for (const Finding* finding : by_rule[outcome.rule])
                (finding->severity >= fail_on ? failing : passing) +=
                    fmt::format("{}: {} ({}:{} {})\n", to_string(finding->severity), finding->message,
                                finding->site.layer, finding->site.line, finding->site.prim);
            if (outcome.failed) {
                ++errors;
                suite += fmt::format("<error type=\"MECH-001\" message=\"{}\"/>", xml(outcome.reason));
            } else if (outcome.outcome == Outcome::not_checked || outcome.outcome == Outcome::not_applicable) {
                ++skipped;
                suite += fmt::format("<skipped message=\"{}\"/>",
                                     xml(outcome.outcome == Outcome::not_checked ? outcome.reason : "not applicable"));
            }
            if (!failing.empty()) {
                ++failures;
                suite += fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                                     to_string(by_rule[outcome.rule].front()->severity),
                                     xml(failing.substr(0, failing.find('\n'))), xml(failing));
            }
            if (!passing.empty()) suite += fmt::format("<system-out>{}</system-out>", xml(passing));
            suite += "</testcase>\n";
        }
        out += fmt::format(
            "  <testsuite name=\"REP-0158 {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
            "</testsuite>\n",
            xml(report.asset), tests, failures, errors, skipped, suite);
    }
    return out + "</testsuites>\n";
}

}  // namespace mechane::conformance
