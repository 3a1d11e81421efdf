// The report as one page of HTML without other files: findings by asset, pictures with marks, links to the rules.
// Names from assets are escaped everywhere. Called by `mechane check --format html`.

#include <fmt/format.h>

#include <map>

#include "core/markup.h"
#include "mechane/conformance/formats.h"
#include "page_marks.h"

namespace mechane::conformance {
namespace {

// The page must work from a mail attachment: style, script and pictures are in it.
constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>mechane check</title>
<style>
:root { color-scheme: light dark; --text: #1b1f24; --page: #fff; --line: #d8dee4; --faint: #57606a; --chosen: #fff4c2;
  --error: #b42318; --warning: #9a5b00; --info: #1f5fae }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --page: #14171a; --line: #353b42; --faint: #9aa4ae; --chosen: #3d3410;
  --error: #ff8a7a; --warning: #f0b45a; --info: #7db4ff } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 110rem; padding: 0 1.5rem; color: var(--text); background: var(--page) }
h1 { font-size: 1.4rem } summary { cursor: pointer } h2 { font-size: 1.1rem; margin-top: 2.5rem; overflow-wrap: anywhere }
table { border-collapse: collapse } th, td { text-align: left; vertical-align: top; padding: .2rem .6rem; border-bottom: 1px solid var(--line) }
code { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere }
small { color: var(--faint) } b.error, p.error, span.error { color: var(--error) } b.warning, span.warning { color: var(--warning) } b.info, span.info { color: var(--info) }
.asset { display: grid; grid-template-columns: minmax(0, 1fr) minmax(22rem, 34rem); gap: 1.5rem; align-items: start }
.asset.bare { grid-template-columns: minmax(0, 1fr) }
.picture { position: sticky; top: 1rem }
.picture input { position: absolute; opacity: 0 }
.picture label { display: inline-block; padding: .1rem .7rem; margin: 0 .2rem .4rem 0; border: 1px solid var(--line); border-radius: 1rem; cursor: pointer }
.picture input:checked + label { background: var(--text); color: var(--page) }
.picture input:focus-visible + label { outline: 2px solid var(--info) }
.picture input ~ .view { display: none }
.picture input:nth-of-type(1):checked ~ .view:nth-of-type(1), .picture input:nth-of-type(2):checked ~ .view:nth-of-type(2),
.picture input:nth-of-type(3):checked ~ .view:nth-of-type(3), .picture input:nth-of-type(4):checked ~ .view:nth-of-type(4) { display: block }
svg { display: block; width: 100%; height: auto; max-height: 88vh; border-radius: 6px }
.mark { --of: #1f5fae } .mark.error { --of: #d92d20 } .mark.warning { --of: #b86e00 }
.mark polygon { fill: none; stroke: none } .mark path { stroke: var(--of); stroke-width: 1.5; fill: none }
.mark a { cursor: pointer } .mark circle { fill: var(--of); stroke: #fff; stroke-width: 1.5 }
.mark text { fill: #fff; font: 600 12px system-ui, sans-serif; text-anchor: middle }
.mark:hover polygon, .mark.on polygon { fill: var(--of); fill-opacity: .28; stroke: var(--of); stroke-width: 2.5 }
.mark.on circle { stroke: #ffd400; stroke-width: 4 }
ol { list-style: none; margin: 0; padding: 0 }
li { padding: .45rem .6rem; border-bottom: 1px solid var(--line); border-left: 4px solid transparent; scroll-margin: 1rem }
li[data-mark] { cursor: pointer } li[data-mark]:hover { border-left-color: var(--line) }
li.on, li:target { background: var(--chosen); border-left-color: #ffb700 }
@media (max-width: 60rem) { .asset { grid-template-columns: minmax(0, 1fr) } .picture { top: 0; background: var(--page); z-index: 1 } svg { max-height: 45vh } }
@media print { .picture { position: static } .asset { display: block } }
</style>
</head>
<body>
)";

// What a click on a finding or on a mark does: both light up, and the other one comes into sight.
constexpr std::string_view kScript = R"(<script>
"use strict";
function choose(name) {
  for (const one of document.querySelectorAll(".on")) one.classList.remove("on");
  const all = [...document.querySelectorAll("[data-mark]")].filter((one) => one.dataset.mark === name);
  for (const one of all) one.classList.add("on");
  for (const one of all) if (one.matches(".mark")) one.parentNode.append(one);
  return all;
}
function act(target) {
  const at = target.closest("[data-mark]");
  if (!at) return false;
  const other = choose(at.dataset.mark).find((one) => one.matches("li") !== at.matches("li") && one.getClientRects().length);
  if (other && at.matches("li")) other.closest("svg").scrollIntoView({ block: "nearest" });
  if (other && !at.matches("li")) other.scrollIntoView({ block: "center" });
  return true;
}
addEventListener("click", (event) => { if (act(event.target) && event.target.closest(".mark")) event.preventDefault(); });
addEventListener("keydown", (event) => { if (event.key === "Enter" && event.target.matches("li")) act(event.target); });
const asked = document.getElementById(location.hash.slice(1));
if (asked && asked.dataset.mark) choose(asked.dataset.mark);
</script>
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

std::string item(const Finding& finding, const PageMarks& marks, std::size_t asset, std::size_t number)
{
    const std::string where = finding.site.prim + (finding.site.property.empty() ? "" : "." + finding.site.property);
    const std::string mark  = marks.of(finding);
    // Ids are made of the numbers of asset and finding, since paths may hold anything.
    std::string out = fmt::format("<li id=\"f{}-{}\"", asset, number);
    if (!mark.empty()) out += fmt::format(" data-mark=\"{}\" tabindex=\"0\"", mark);
    out +=
        fmt::format("><b class=\"{0}\">{0}</b> <code>{1}</code> <small>{2}</small><br>{3}", to_string(finding.severity),
                    finding.rule->id, finding.rule->slug, markup_escaped(finding.message));
    if (!finding.hint.empty()) out += fmt::format("<br><small>{}</small>", markup_escaped(finding.hint));
    if (!where.empty()) out += fmt::format("<br><code>{}</code>", markup_escaped(where));
    // The same finding at many prims is one entry with a count.
    if (finding.instances > 1) out += fmt::format(" <small>and {} more</small>", finding.instances - 1);
    out += fmt::format("<br><small>{}{}</small></li>\n", markup_escaped(place(finding)),
                       finding.state.empty() ? "" : " with " + markup_escaped(finding.state));
    return out;
}

std::string section(const Report& report, const FormatOptions& options, std::size_t asset)
{
    std::string left_out;
    for (const std::string& what : report.left_out()) left_out += ", " + what;
    std::string out = fmt::format(
        "<h2>{}</h2>\n<p><span class=\"error\">{}</span>, <span class=\"warning\">{}</span>, <span "
        "class=\"info\">{}</span>; {} passed, {} not checked, {} not applicable{}; profile {}</p>\n",
        markup_escaped(report.asset), counted(report.count(Severity::error), "error"),
        counted(report.count(Severity::warning), "warning"), counted(report.count(Severity::info), "info"),
        counted(report.count(Outcome::passed), "rule"), report.count(Outcome::not_checked),
        report.count(Outcome::not_applicable), left_out, markup_escaped(report.profile));
    static const PagePictures kNone;
    // Pictures are drawn by the caller, which has a renderer; an asset without any has its list alone.
    const auto        drawn = options.pictures.find(report.asset);
    const PageMarks   marks(report, drawn == options.pictures.end() ? kNone : drawn->second, asset);
    const std::string picture = marks.html();
    const bool        bare    = drawn == options.pictures.end() || drawn->second.views.empty();
    out += fmt::format("<div class=\"asset{}\">\n", bare ? " bare" : "");
    if (!picture.empty()) out += fmt::format("<div class=\"picture\">\n{}</div>\n", picture);
    out += "<div>\n";
    if (!report.findings.empty()) {
        out += "<ol>\n";
        for (std::size_t i = 0; i < report.findings.size(); ++i) out += item(report.findings[i], marks, asset, i);
        out += "</ol>\n";
    }
    for (const RuleOutcome& outcome : report.outcomes)
        if (outcome.outcome == Outcome::not_checked)
            out += fmt::format("<p>not checked: <code>{}</code> {}</p>\n", outcome.rule->id,
                               markup_escaped(outcome.reason));
    return out + "</div>\n</div>\n";
}

}  // namespace

std::string to_html(std::span<const Report> reports, const FormatOptions& options)
{
    // By rule, over all assets: which rules a project breaks most.
    std::map<std::string_view, std::size_t> broken;
    for (const Report& report : reports)
        for (const Finding& finding : report.findings) ++broken[finding.rule->id];
    std::string out(kHead);
    out += fmt::format("<h1>mechane check</h1>\n<p>{}, mechane {}</p>\n", counted(reports.size(), "asset"),
                       markup_escaped(options.version));
    // Assets that could not be opened come first, since nothing else is known of them.
    for (const Diagnostic& problem : options.unopened)
        out += fmt::format("<p class=\"error\">{}: {}<br><small>{}{} <code>{}</code></small></p>\n", problem.id,
                           markup_escaped(problem.message), markup_escaped(problem.site.layer),
                           problem.site.line > 0 ? fmt::format(":{}", problem.site.line) : "",
                           markup_escaped(problem.site.prim));
    if (!broken.empty()) {
        out +=
            "<details>\n<summary>Findings per "
            "rule</summary>\n<table>\n<tr><th>findings</th><th>rule</th><th>an asset shall</th></tr>\n";
        for (const auto& [id, count] : broken)
            out += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n", count, id,
                               markup_escaped(find_rule(id)->summary));
        out += "</table>\n</details>\n";
    }
    for (std::size_t i = 0; i < reports.size(); ++i) out += section(reports[i], options, i);
    return out + std::string(kScript) + "</body>\n</html>\n";
}

}  // namespace mechane::conformance
