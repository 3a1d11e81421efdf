#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mechane/conformance/report.h"
#include "mechane/math/vec.h"

namespace mechane::conformance {

/// Where a prim is in a view: a convex polygon, or one point, in pixels from the top left corner.
struct PageMark {
    std::vector<Vec2d> outline;
    bool               whole = false;  ///< it is everything that is drawn, so that pointing at it says nothing
};

/// An asset as it looks from one side.
struct PageView {
    std::string                     name;                   ///< "front"
    int                             width = 0, height = 0;  ///< [px]
    std::string                     source;                 ///< "data:image/png;base64,..."
    std::map<std::string, PageMark> marks;                  ///< by prim path
};

/// Pictures of an asset, from who can draw; conformance itself reads prims only.
struct PagePictures {
    std::vector<PageView> views;
    std::string           missing;  ///< why there is none
};

struct FormatOptions {
    std::string                         version{};             ///< of the program
    bool                                colored      = false;  ///< text
    std::size_t                         max_per_rule = 20;     ///< text: further findings of a rule are folded
    std::vector<Diagnostic>             unopened{};            ///< why assets could not be judged, or not whole
    std::map<std::string, PagePictures> pictures{};            ///< html: by Report::asset
    std::size_t                         batch = 0;             ///< sarif: which of several files this is, from 1
};

/// Compiler look: `error[REP-1.3-l]: message`, place, help; then totals.
std::string to_text(const Report& report, const FormatOptions& options);
/// `mechane.rep0158.report/1`, one object; of several reports an object with "reports".
std::string to_json(std::span<const Report> reports, const FormatOptions& options);
/// SARIF 2.1.0, one run; every rule is described in the driver.
std::string to_sarif(std::span<const Report> reports, const FormatOptions& options);
/// What the last line of a stream counts.
struct StreamTotals {
    std::size_t assets = 0, unopened = 0, errors = 0, warnings = 0, infos = 0, suppressed = 0, baselined = 0,
                unchecked = 0;
    void        add(const Report& report);
};
/// `mechane.check.stream/1`: JSON objects, one a line. First one that says who speaks, then one for each asset or file
/// that could not be opened, then the totals.
std::string ndjson_begin(const std::string& version, const std::string& profile);
std::string to_ndjson(const Report& report);
std::string ndjson_unopened(const Diagnostic& why);
/// @param parts  files that were judged as layers of others
std::string ndjson_end(const StreamTotals& totals, std::size_t parts);
/// JUnit XML: a suite for each asset and section, a case for each rule; findings at or above `fail_on` are failures.
/// @param unopened  why assets could not be judged: an error each
std::string to_junit(std::span<const Report> reports, Severity fail_on, std::span<const Diagnostic> unopened = {});
/// Workflow annotation lines (`::error file=...`).
std::string to_github(std::span<const Report> reports);
/// The line of an asset that could not be opened.
std::string github_unopened(const Diagnostic& why);
/// One page that needs nothing else: what could not be opened, how often each rule was broken, and of each asset its
/// pictures with the places of findings marked, beside the findings. Picture and list lead to each other.
std::string to_html(std::span<const Report> reports, const FormatOptions& options);
/// `mechane.rules/1`: every rule with its examples, and every sentence of the standard with the rules that judge it.
std::string rules_json();
/// A catalogue entry for a terminal.
std::string explain(const Rule& rule);

}  // namespace mechane::conformance
