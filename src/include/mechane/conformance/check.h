#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mechane/conformance/report.h"
#include "mechane/core/result.h"
#include "mechane/tasks/parallel.h"
#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// A rule that the caller brings along. It is judged beside ours, whatever the profile.
struct OwnRule {
    const Rule* rule = nullptr;  ///< outlives the report; without examples and repair
    /// What is wrong with a stage. Of a finding, all but `rule`, `state` and `fingerprint` is read. Called from one
    /// thread.
    std::function<std::vector<Finding>(const usd::Stage&)> check;
};

/// Which rules are run and how severe they are.
struct CheckOptions {
    std::string              profile = "distributed";  ///< distributed, core, export, source, scene, ros-only, tidy
    std::vector<std::string> select{}, ignore{};       ///< ids, slugs or sections; empty `select`: the profile's
    std::map<std::string, Severity> severities{};      ///< by rule id, over the profile's
    std::vector<std::string> interface_folders{};      ///< of ROS packages whose types are known too (`ros::TypeTable`)
    const tasks::Pool*       pool   = nullptr;         ///< null: one thread; the report is the same
    bool                     manual = false;           ///< items that only people can judge are listed too
    bool strict_payloads            = false;  ///< a feature layer that the entry brings in by payload is an error too
    std::vector<std::string> baseline{};      ///< fingerprints that are known and left out
    std::vector<OwnRule>     own_rules{};
};

/// Names of the profiles.
std::vector<std::string_view> profiles();

/// Judges one open stage. A rule that goes wrong itself, by what it or a library below throws, is not checked and
/// counts as failed (`Report::failures`); the others go on.
/// @error CHECK_OPTION for an unknown profile or selector, MECH-001 when what all rules need could not be read
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
