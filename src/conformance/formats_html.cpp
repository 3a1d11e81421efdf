#include <fmt/format.h>

#include <map>

#include "mechane/conformance/formats.h"

namespace mechane::conformance {
namespace {

std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    return out;
}

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>mechane check</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1b1f24; background: #fff }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #d8dee4 }
code { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere }
.error { color: #b42318 } .warning { color: #9a5b00 } .info { color: #1f5fae } small { color: #57606a }
@media (prefers-color-scheme: dark) { body { color: #e6e8eb; background: #14171a } th, td { border-color: #353b42 } small { color: #9aa4ae }
.error { color: #ff8a7a } .warning { color: #f0b45a } .info { color: #7db4ff } }
</style>
</head>
<body>
)";

std::string place(const Finding& finding)
{
    std::string text = finding.site.layer;
    if (finding.site.line > 0) text += fmt::format(":{}", finding.site.line);
    return text;
}

/// "1 error", "2 errors".
std::string counted(std::size_t count, std::string_view noun)
{ return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

std::string section(const Report& report)
{
    std::string out = fmt::format(
        "<h2>{}</h2>\n<p><span class=\"error\">{}</span>, <span class=\"warning\">{}</span>, <span "
        "class=\"info\">{}</span>; {} passed, {} not checked, {} not applicable; profile {}</p>\n",
        escaped(report.asset), counted(report.count(Severity::error), "error"),
        counted(report.count(Severity::warning), "warning"), counted(report.count(Severity::info), "info"),
        counted(report.count(Outcome::passed), "rule"), report.count(Outcome::not_checked),
        report.count(Outcome::not_applicable), escaped(report.profile));
    if (report.findings.empty()) return out;
    out += "<table>\n<tr><th>rule</th><th>what</th><th>where</th></tr>\n";
    for (const Finding& finding : report.findings) {
        const std::string where =
            finding.site.prim + (finding.site.property.empty() ? "" : "." + finding.site.property);
        out += fmt::format(
            "<tr><td "
            "class=\"{}\"><code>{}</code><br><small>{}</small></td><td>{}<br><small>{}</small></td><td><code>{}</"
            "code><br>"
            "<small>{}{}</small></td></tr>\n",
            to_string(finding.severity), finding.rule->id, finding.rule->slug, escaped(finding.message),
            escaped(finding.hint), escaped(where), escaped(place(finding)),
            finding.state.empty() ? "" : " with " + escaped(finding.state));
    }
    out += "</table>\n";
    for (const RuleOutcome& outcome : report.outcomes)
        if (outcome.outcome == Outcome::not_checked)
            out += fmt::format("<p>not checked: <code>{}</code> {}</p>\n", outcome.rule->id, escaped(outcome.reason));
    return out;
}

}  // namespace

std::string to_html(std::span<const Report> reports, const FormatOptions& options)
{
    std::map<std::string_view, std::size_t> broken;
    for (const Report& report : reports)
        for (const Finding& finding : report.findings) ++broken[finding.rule->id];
    std::string out(kHead);
    out += fmt::format("<h1>mechane check</h1>\n<p>{}, mechane {}</p>\n", counted(reports.size(), "asset"),
                       escaped(options.version));
    for (const Diagnostic& problem : options.unopened)
        out +=
            fmt::format("<p class=\"error\">{}: {}<br><small>{}{} <code>{}</code></small></p>\n", problem.id,
                        escaped(problem.message), escaped(problem.site.layer),
                        problem.site.line > 0 ? fmt::format(":{}", problem.site.line) : "", escaped(problem.site.prim));
    if (!broken.empty()) {
        out += "<table>\n<tr><th>findings</th><th>rule</th><th>an asset shall</th></tr>\n";
        for (const auto& [id, count] : broken)
            out += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n", count, id,
                               escaped(find_rule(id)->summary));
        out += "</table>\n";
    }
    for (const Report& report : reports) out += section(report);
    return out + "</body>\n</html>\n";
}

}  // namespace mechane::conformance
