#pragma once
#include <string>

#include "mechane/difference/compare.h"
#include "mechane/difference/rollout.h"

/// What a comparison found, for people, programs and pages.
namespace mechane::difference {

struct Named {
    std::string a, b;  ///< what was compared, as the user named it
};

/// `mechane.diff/1` (docs/schemas/diff.schema.json); `schema` names another document that is built alike.
std::string to_json(const Named& names, const Comparison& comparison, const Rollout* rollout,
                    const char* schema = "mechane.diff/1");
/// A line a difference, those without an announcement first; then what was compared.
/// @param most  differences that are told in full
std::string to_text(const Comparison& comparison, const Rollout* rollout, std::size_t most = 40);
/// One line: what was compared, and the first value that differs.
std::string verdict(const Comparison& comparison, const Rollout* rollout);
/// A page that loads nothing from elsewhere: both models beside each other, and a table of what differs.
/// @param drawn  a page of the viewer that shows both; empty for none
std::string to_html(const Named& names, const Comparison& comparison, const Rollout* rollout, const std::string& drawn);

/// Whether everything that differs is announced by a loss report.
bool as_announced(const Comparison& comparison, const Rollout* rollout);
/// Whether nothing differs.
bool is_equal(const Comparison& comparison, const Rollout* rollout);

}  // namespace mechane::difference
