#pragma once
#include <string>
#include <vector>

#include "mechane/conformance/rule.h"

namespace mechane::conformance {

/// One violation of one rule at one place.
struct Finding {
    const Rule* rule     = nullptr;
    Severity    severity = Severity::error;
    std::string variant;             ///< sub-case of the rule, "suffix"; may be empty
    std::string message;             ///< what is wrong
    std::string observed, expected;  ///< may be empty
    std::string hint;                ///< imperative: the edit that ends it
    Site        site;
    int         instances = 1;  ///< equal findings merged into this one, e.g. at the copies of an instance
    std::string state;        ///< "/robot{gripper=none}": found with other variants only; empty: with the default ones
    std::string fingerprint;  ///< 16 hexadecimal digits; independent of lines and wording
};

enum class Outcome {
    passed,         ///< something was looked at and is right
    finding,        ///< at least one finding
    not_checked,    ///< could not be judged; the reason says why
    not_applicable  ///< the asset has nothing that the rule speaks of
};
std::string_view to_string(Outcome outcome);

struct RuleOutcome {
    const Rule* rule    = nullptr;
    Outcome     outcome = Outcome::not_applicable;
    std::string reason;          ///< of not_checked
    bool        failed = false;  ///< the rule itself went wrong: a bug, or no memory left
};

/// What a check of one asset found. Findings are sorted by severity (worst first), section, prim path, rule.
struct Report {
    std::string              asset;  ///< as the caller named it
    std::string              profile;
    std::size_t              prims = 0, layers = 0;
    std::vector<Finding>     findings;
    std::vector<RuleOutcome> outcomes;  ///< every selected rule, in catalogue order
    std::size_t              suppressed = 0, baselined = 0;
    /// Warnings beside the rules, not judged and not counted: names of schemas and properties that nothing knows, and
    /// what of the physics cannot be used, as an import says it.
    std::vector<Diagnostic>  notes;
    std::vector<std::string> states;                 ///< that were judged besides the default one
    std::size_t              states_left_out   = 0;  ///< variants that nobody selected
    std::size_t              payloads_left_out = 0;  ///< prims whose payload was not loaded

    [[nodiscard]] std::size_t count(Severity severity) const;
    [[nodiscard]] std::size_t count(Outcome outcome) const;
    [[nodiscard]] std::size_t fixable() const;
    [[nodiscard]] std::size_t failures() const;  ///< rules that themselves went wrong
    /// What of the asset was not judged, in words: states of variants, payloads.
    [[nodiscard]] std::vector<std::string> left_out() const;
};

}  // namespace mechane::conformance
