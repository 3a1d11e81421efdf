#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/io.h"
#include "mechane/conformance/report.h"

namespace mechane::cli {

/// A finding that a project does not want to hear of, and why.
struct Suppression {
    std::string         rule, prim = "*", layer = "*";  ///< a rule or section; globs with * and ?
    std::string         reason;
    std::string         expires;  ///< "2026-12-31", or empty
    mutable std::size_t used = 0;
};

/// Table [check] of mechane.toml: what the command line does not say.
struct CheckConfig {
    std::string                                   profile, fail_on;
    std::vector<std::string>                      select, ignore;
    std::vector<std::pair<std::string, Severity>> severities;  ///< by rule
    std::vector<Suppression>                      suppressions;
};

/// Reads a configuration; without a name mechane.toml of the working folder, if there is one.
/// @return nothing, with a message printed, when it cannot be understood; a suppression needs a reason
std::optional<CheckConfig> read_check_config(const std::string& file, const Io& io);

/// Takes suppressed findings out of a report.
/// @param today  "2026-11-21": later than `expires` it counts no longer
void suppress(conformance::Report& report, const std::vector<Suppression>& suppressions, const std::string& today);
/// MECH-002 for each suppression that hid nothing, or has expired.
void report_unused(const std::vector<Suppression>& suppressions, const std::string& today, const Io& io);

/// The date in UTC as "2026-11-21".
std::string today();

}  // namespace mechane::cli
