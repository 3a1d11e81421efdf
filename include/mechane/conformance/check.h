#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mechane/conformance/report.h"
#include "mechane/core/result.h"
#include "mechane/tasks/parallel.h"
#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// Which rules are run and how severe they are.
struct CheckOptions {
    std::string              profile = "distributed";  ///< distributed, core, export, source, scene, ros-only, tidy
    std::vector<std::string> select, ignore;           ///< ids, slugs or sections; empty `select`: the profile's
    std::map<std::string, Severity> severities;        ///< by rule id, over the profile's
    std::vector<std::string> interface_folders;        ///< of ROS packages whose types are known too (`ros::TypeTable`)
    const tasks::Pool*       pool   = nullptr;         ///< null: one thread; the report is the same
    bool                     manual = false;           ///< items that only people can judge are listed too
    bool strict_payloads            = false;  ///< a feature layer that the entry brings in by payload is an error too
    std::vector<std::string> baseline;        ///< fingerprints that are known and left out
};

/// Names of the profiles.
std::vector<std::string_view> profiles();

/// Judges one open stage. A rule that fails internally is reported as not checked; the others go on.
/// @error CHECK_OPTION for an unknown profile or selector
Result<Report> check(const usd::Stage& stage, const CheckOptions& options);

/// Which selections of variants are judged besides the default ones.
struct VariantStates {
    bool        product    = false;  ///< every combination instead of each variant by itself
    std::size_t max_states = 64;     ///< further states are left out, which is said in `Report::states_left_out`
};
/// Judges a stage and, opened anew for each, its other variants. Findings that the default state has too are reported
/// once; the others carry their state.
/// @param stage   the default state, opened from `asset` with `open`
/// @error CHECK_OPTION, and what opening gives for a state
Result<Report> check_variants(const usd::Stage& stage, const std::string& asset, const usd::OpenOptions& open,
                              const CheckOptions& options, const VariantStates& states);

}  // namespace mechane::conformance
