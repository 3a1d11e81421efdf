#pragma once
#include <span>
#include <string>
#include <vector>

#include "mechane/conformance/report.h"

namespace mechane::conformance {

struct FormatOptions {
    std::string             version;               ///< of the program
    bool                    colored      = false;  ///< text
    std::size_t             max_per_rule = 20;     ///< text: further findings of a rule are folded
    std::vector<Diagnostic> unopened;              ///< html: why assets could not be judged, or not whole
};

/// Compiler look: `error[REP-1.3-l]: message`, place, help; then totals.
std::string to_text(const Report& report, const FormatOptions& options);
/// `mechane.rep0158.report/1`, one object; of several reports an object with "reports".
std::string to_json(std::span<const Report> reports, const FormatOptions& options);
/// SARIF 2.1.0, one run; every rule is described in the driver.
std::string to_sarif(std::span<const Report> reports, const FormatOptions& options);
/// JUnit XML: a suite for each asset and section, a case for each rule; findings at or above `fail_on` are failures.
std::string to_junit(std::span<const Report> reports, Severity fail_on);
/// Workflow annotation lines (`::error file=...`).
std::string to_github(std::span<const Report> reports);
/// One page that needs nothing else: what could not be opened, findings by asset, totals, how often each rule was
/// broken.
std::string to_html(std::span<const Report> reports, const FormatOptions& options);
/// A catalogue entry for a terminal.
std::string explain(const Rule& rule);

}  // namespace mechane::conformance
