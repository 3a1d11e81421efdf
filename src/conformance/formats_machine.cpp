// The report for programs: JSON, lines of JSON, SARIF 2.1.0, JUnit, and the list of rules.
// Inputs: reports in the order of the assets. Keys and schemas are promised to users; bytes that are not UTF-8 become
// U+FFFD.
// Invariant: equal reports give equal bytes.
// Called by `mechane check`.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/markup.h"
#include "mechane/conformance/formats.h"
#include "mechane/conformance/sentence.h"
#include "mechane/files/uri.h"

namespace mechane::conformance {
namespace {

using Json = nlohmann::json;

/// Names come from files and may hold any bytes: what is not UTF-8 is replaced.
std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json finding_json(const Finding& finding, const std::string& asset)
{
    const auto text = [](const std::string& s) { return s.empty() ? Json() : Json(s); };
    return {{"asset", asset},
            {"rule", finding.rule->id},
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

/// Numbers and rules of one report, or of several taken together.
struct Totals {
    std::size_t                             prims = 0, layers = 0, states_left_out = 0, payloads_left_out = 0;
    std::vector<std::string>                states{"default"};
    std::map<std::string, std::size_t>      summary;
    std::set<std::string_view>              evaluated;
    std::map<std::string_view, std::string> skipped;  ///< with the reason of the first

    void add(const Report& report)
    {
        prims += report.prims;
        layers += report.layers;
        states_left_out += report.states_left_out;
        payloads_left_out += report.payloads_left_out;
        for (const std::string& state : report.states)
            if (std::find(states.begin(), states.end(), state) == states.end()) states.push_back(state);
        for (const Severity severity : {Severity::error, Severity::warning, Severity::info})
            summary[std::string(to_string(severity))] += report.count(severity);
        summary["suppressed"] += report.suppressed;
        summary["baselined"] += report.baselined;
        summary["unchecked"] += report.count(Outcome::not_checked);
        for (const RuleOutcome& outcome : report.outcomes) {
            if (outcome.outcome == Outcome::passed || outcome.outcome == Outcome::finding)
                evaluated.insert(outcome.rule->id);
            else
                skipped.emplace(outcome.rule->id,
                                outcome.outcome == Outcome::not_checked ? outcome.reason : "not applicable");
        }
    }

    /// The keys that the document and each of its assets have.
    [[nodiscard]] Json json() const
    {
        Json done = Json::array(), left = Json::array();
        for (const std::string_view id : evaluated) done.push_back(id);
        for (const auto& [id, reason] : skipped)
            if (!evaluated.contains(id)) left.push_back({{"id", id}, {"reason", reason}});
        Json counts{{"error", 0}, {"warning", 0}, {"info", 0}, {"suppressed", 0}, {"baselined", 0}, {"unchecked", 0}};
        for (const auto& [name, count] : summary) counts[name] = count;
        return {{"prims", prims},
                {"layers", layers},
                {"states", states},
                {"statesLeftOut", states_left_out},
                {"payloadsLeftOut", payloads_left_out},
                {"summary", std::move(counts)},
                {"coverage", {{"evaluated", std::move(done)}, {"skipped", std::move(left)}}}};
    }
};

Json unopened_json(const Diagnostic& why)
{
    Json out{{"id", why.id},
             {"message", why.message},
             {"layer", why.site.layer},
             {"line", why.site.line > 0 ? Json(why.site.line) : Json()},
             {"hint", why.hint}};
    if (!why.alias.empty()) out["alias"] = why.alias;
    return out;
}

/// What is said beside the rules, judged by none.
Json notes_json(const Report& report)
{
    const auto text  = [](const std::string& s) { return s.empty() ? Json() : Json(s); };
    Json       notes = Json::array();
    for (const Diagnostic& note : report.notes)
        notes.push_back({{"id", note.id},
                         {"severity", to_string(note.severity)},
                         {"message", note.message},
                         {"hint", text(note.hint)},
                         {"prim", text(note.site.prim)},
                         {"property", text(note.site.property)},
                         {"layer", text(note.site.layer)},
                         {"line", note.site.line > 0 ? Json(note.site.line) : Json()},
                         {"column", note.site.column > 0 ? Json(note.site.column) : Json()}});
    return notes;
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

/// @param documented  the rule is one of ours and has a page
Json sarif_rule(const Rule& rule, bool documented)
{
    Json text{{"id", rule.id},
              {"name", rule.slug},
              {"shortDescription", {{"text", rule.summary}}},
              {"fullDescription", {{"text", std::string(rule.summary) + " " + std::string(rule.why)}}},
              {"help", {{"text", rule.fix}}},
              {"defaultConfiguration", {{"level", sarif_level(rule.severity)}}},
              {"properties", {{"section", rule.section()}, {"keyword", to_string(rule.keyword)}}}};
    if (documented) text["helpUri"] = help_page(rule);
    return text;
}

/// @param asset  where a site names no layer
Json sarif_location(const Site& site, const std::string& asset)
{
    Json location = {{"physicalLocation",
                      {{"artifactLocation", {{"uri", files::uri_of(site.layer.empty() ? asset : site.layer)}}}}}};
    if (site.line > 0) {
        location["physicalLocation"]["region"]["startLine"] = site.line;
        if (site.column > 0) location["physicalLocation"]["region"]["startColumn"] = site.column;
    }
    if (!site.prim.empty())
        location["logicalLocations"] =
            Json::array({{{"fullyQualifiedName", site.prim + (site.property.empty() ? "" : "." + site.property)},
                          {"kind", "object"}}});
    return location;
}

Json sarif_result(const Report& report, const Finding& finding, std::size_t rule_index)
{
    return {{"ruleId", finding.rule->id},
            {"ruleIndex", rule_index},
            {"level", sarif_level(finding.severity)},
            {"message", {{"text", finding.message + (finding.hint.empty() ? "" : ". " + finding.hint)}}},
            {"locations", Json::array({sarif_location(finding.site, report.asset)})},
            {"partialFingerprints", {{"mechane/v1", finding.fingerprint}}}};
}

Json summary_json(const StreamTotals& totals)
{
    return {{"error", totals.errors},          {"warning", totals.warnings},    {"info", totals.infos},
            {"suppressed", totals.suppressed}, {"baselined", totals.baselined}, {"unchecked", totals.unchecked}};
}

/// How the run itself went: assets that could not be opened and rules that could not be judged are no results.
Json sarif_invocation(std::span<const Report> reports, std::span<const Diagnostic> unopened)
{
    Json notes = Json::array();
    bool whole = unopened.empty();
    for (const Diagnostic& why : unopened) {
        Json note{{"level", sarif_level(why.severity)},
                  {"descriptor", {{"id", why.id}}},
                  {"message", {{"text", why.message + (why.hint.empty() ? "" : ". " + why.hint)}}}};
        if (!why.site.layer.empty()) note["locations"] = Json::array({sarif_location(why.site, {})});
        notes.push_back(std::move(note));
    }
    for (const Report& report : reports) {
        for (const Diagnostic& note : report.notes)
            notes.push_back({{"level", sarif_level(note.severity)},
                             {"descriptor", {{"id", note.id}}},
                             {"message", {{"text", fmt::format("{}: {}", report.asset, note.message)}}}});
        for (const RuleOutcome& outcome : report.outcomes) {
            if (outcome.outcome != Outcome::not_checked) continue;
            whole &= !outcome.failed;
            notes.push_back({{"level", outcome.failed ? "error" : "note"},
                             {"associatedRule", {{"id", outcome.rule->id}}},
                             {"message", {{"text", fmt::format("{}: {}", report.asset, outcome.reason)}}}});
        }
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
    // One document whatever the number of assets: totals at the top, and each asset by itself.
    Json   findings = Json::array(), assets = Json::array(), unopened = Json::array();
    Totals all;
    for (const Report& report : reports) {
        all.add(report);
        Totals own;
        own.add(report);
        Json asset     = own.json();
        asset["asset"] = report.asset;
        asset["notes"] = notes_json(report);
        assets.push_back(std::move(asset));
        for (const Finding& finding : report.findings) findings.push_back(finding_json(finding, report.asset));
    }
    for (const Diagnostic& why : options.unopened) unopened.push_back(unopened_json(why));
    Json document        = all.json();
    document["schema"]   = "mechane.rep0158.report/1";
    document["tool"]     = {{"name", "mechane"}, {"version", options.version}};
    document["rep"]      = "0158:2026";
    document["asset"]    = reports.size() == 1 ? Json(reports.front().asset) : Json();
    document["profile"]  = reports.empty() ? Json() : Json(reports.front().profile);
    document["assets"]   = std::move(assets);
    document["findings"] = std::move(findings);
    document["unopened"] = std::move(unopened);
    return dumped(document);
}

void StreamTotals::add(const Report& report)
{
    ++assets;
    errors += report.count(Severity::error);
    warnings += report.count(Severity::warning);
    infos += report.count(Severity::info);
    suppressed += report.suppressed;
    baselined += report.baselined;
    unchecked += report.count(Outcome::not_checked);
}

std::string ndjson_begin(const std::string& version, const std::string& profile)
{
    return line_of({{"record", "begin"},
                    {"schema", "mechane.check.stream/1"},
                    {"tool", {{"name", "mechane"}, {"version", version}}},
                    {"rep", "0158:2026"},
                    {"profile", profile}});
}

std::string to_ndjson(const Report& report)
{
    Json        findings = Json::array(), unchecked = Json::array(), states = Json::array({"default"});
    std::size_t evaluated = 0;
    for (const std::string& state : report.states) states.push_back(state);
    for (const Finding& finding : report.findings) {
        findings.push_back(finding_json(finding, report.asset));
        findings.back().erase("asset");
    }
    for (const RuleOutcome& outcome : report.outcomes) {
        if (outcome.outcome == Outcome::not_checked)
            unchecked.push_back({{"id", outcome.rule->id}, {"reason", outcome.reason}});
        evaluated += outcome.outcome == Outcome::passed || outcome.outcome == Outcome::finding;
    }
    StreamTotals own;
    own.add(report);
    // The names of the rules that were evaluated would be the same hundred in a million lines.
    return line_of({{"record", "asset"},
                    {"asset", report.asset},
                    {"prims", report.prims},
                    {"layers", report.layers},
                    {"states", std::move(states)},
                    {"statesLeftOut", report.states_left_out},
                    {"payloadsLeftOut", report.payloads_left_out},
                    {"summary", summary_json(own)},
                    {"evaluated", evaluated},
                    {"unchecked", std::move(unchecked)},
                    {"notes", notes_json(report)},
                    {"findings", std::move(findings)}});
}

std::string ndjson_unopened(const Diagnostic& why)
{
    Json line      = unopened_json(why);
    line["record"] = "unopened";
    return line_of(line);
}

std::string ndjson_end(const StreamTotals& totals, std::size_t parts)
{
    return line_of({{"record", "end"},
                    {"assets", totals.assets},
                    {"parts", parts},
                    {"unopened", totals.unopened},
                    {"summary", summary_json(totals)}});
}

std::string rules_json()
{
    Json listed = Json::array(), quoted = Json::array();
    for (const Rule* rule : rules())
        listed.push_back({{"id", rule->id},
                          {"slug", rule->slug},
                          {"section", rule->section()},
                          {"keyword", to_string(rule->keyword)},
                          {"severity", to_string(rule->severity)},
                          {"summary", rule->summary},
                          {"why", rule->why},
                          {"fix", rule->fix},
                          {"fixable", rule->fixable},
                          {"review", rule->manual},
                          {"derivation", derivation_of(*rule)},
                          {"page", help_page(*rule)},
                          {"bad", example_text(rule->bad)},
                          {"good", example_text(rule->good)}});
    for (const Sentence& sentence : sentences()) {
        Json judges = Json::array();
        for (const Rule* rule : rules())
            if (sentence.names(*rule)) judges.push_back(rule->id);
        quoted.push_back({{"section", sentence.section},
                          {"text", sentence.text},
                          {"rules", std::move(judges)},
                          {"note", sentence.note},
                          {"contradicts", sentence.contradicts}});
    }
    return dumped({{"schema", "mechane.rules/1"},
                   {"standard", "REP-0158:2026"},
                   {"rules", std::move(listed)},
                   {"sentences", std::move(quoted)}});
}

std::string to_sarif(std::span<const Report> reports, const FormatOptions& options)
{
    Json                               described = Json::array(), results = Json::array();
    std::map<const Rule*, std::size_t> index;
    for (const Rule* rule : rules()) {
        index[rule] = described.size();
        described.push_back(sarif_rule(*rule, true));
    }
    for (const Report& report : reports) {
        for (const RuleOutcome& outcome : report.outcomes)  // rules of the caller
            if (index.try_emplace(outcome.rule, described.size()).second)
                described.push_back(sarif_rule(*outcome.rule, false));
        for (const Finding& finding : report.findings)
            results.push_back(sarif_result(report, finding, index[finding.rule]));
    }
    Json run{
        {"tool", {{"driver", {{"name", "mechane"}, {"version", options.version}, {"rules", std::move(described)}}}}},
        {"invocations", Json::array({sarif_invocation(reports, options.unopened)})},
        {"results", std::move(results)}};
    // Readers take runs of one tool with one id as versions of each other.
    if (options.batch != 0) run["automationDetails"] = {{"id", fmt::format("mechane check/batch {}/", options.batch)}};
    return dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({std::move(run)})}});
}

/// "robot.usda:12 /robot/arm", as far as it is known.
static std::string place_of(const Site& site, const std::string& asset)
{
    std::string out = site.layer.empty() ? asset : site.layer;
    if (site.line > 0) out += fmt::format(":{}", site.line);
    if (!site.prim.empty()) out += (out.empty() ? "" : " ") + site.prim;
    return out;
}

std::string to_junit(std::span<const Report> reports, Severity fail_on, std::span<const Diagnostic> unopened)
{
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    for (const Diagnostic& why : unopened)
        out += fmt::format(
            "  <testsuite name=\"REP-0158 {}\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n    <testcase "
            "classname=\"rep0158\" name=\"open\"><error type=\"{}\" message=\"{}\">{}</error></testcase>\n  "
            "</testsuite>\n",
            xml(why.site.layer), why.id, xml(why.message), xml(place_of(why.site, {}) + ": " + why.hint));
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
                    fmt::format("{}: {} ({})\n", to_string(finding->severity), finding->message,
                                place_of(finding->site, report.asset));
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
