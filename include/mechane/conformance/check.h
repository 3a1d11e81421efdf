#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mechane/conformance/report.h"
#include "mechane/core/result.h"
#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// Which rules are run and how severe they are.
struct CheckOptions {
    std::string              profile = "distributed";  ///< distributed, core, export, source, scene, ros-only, tidy
    std::vector<std::string> select, ignore;           ///< ids, slugs or sections; empty `select`: the profile's
    std::map<std::string, Severity> severities;        ///< by rule id, over the profile's
    std::vector<std::string>        baseline;          ///< fingerprints that are known and left out
};

/// Names of the profiles.
std::vector<std::string_view> profiles();

/// Judges one open stage. A rule that fails internally is reported as not checked; the others go on.
/// @error CHECK_OPTION for an unknown profile or selector
Result<Report> check(const usd::Stage& stage, const CheckOptions& options);

}  // namespace mechane::conformance
