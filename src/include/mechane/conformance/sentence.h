#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/conformance/rule.h"

namespace mechane::conformance {

/// A sentence of REP-0158:2026 (draft of 2026-03-03, CC0) as it stands there, and what judges it.
///
/// The table of them is the only place that quotes the standard: `explain`, the pages of rules and of sentences, and
/// SARIF take it from here.
struct Sentence {
    std::string_view section;            ///< "1.2.3"
    std::string_view text;               ///< verbatim
    std::string_view rules;              ///< their ids without "REP-", separated by blanks; empty: no rule judges it
    std::string_view note;               ///< what judges it instead, why nothing does, or what it contradicts
    bool             contradicts = false;  ///< another sentence says otherwise; the note says which reading is taken

    [[nodiscard]] bool names(const Rule& rule) const;
};

/// Every sentence that asks something of assets, tools or simulators, in the order of the standard.
std::span<const Sentence> sentences();
/// Those that a rule restates.
std::vector<const Sentence*> sentences_of(const Rule& rule);
/// Of a rule that restates no sentence: what it follows from; empty for the others.
std::string_view derivation_of(const Rule& rule);
/// Where the documentation explains the rule: "docs/rules/1.1.md#REP-1.1-a".
std::string help_page(const Rule& rule);

}  // namespace mechane::conformance
