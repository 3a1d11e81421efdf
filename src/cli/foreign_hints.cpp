// Hints for files that are no OpenUSD, with the options of the command line. Called by Io, for text and for JSON.

#include "cli/foreign_hints.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "mechane/usd/foreign.h"

namespace mechane::cli {
namespace {

constexpr std::pair<std::string_view, const char*> kHints[] = {
    {"IMPORT_HULL_CUT", "Take the mesh apart, or make it simpler: 'mechane mesh FILE --simplify 0.1 -o simple.stl'."},
    {"RUN_NOTHING_MOVES", "Give the robot links that joints let move, or free its root: --floating."},
    {"RUN_START_LIMIT",
     "Nothing to do if the limits are meant: joints start at 0 where nothing else is said. Start elsewhere: --set "
     "JOINT.q=30deg, "
     "or hold the joint at its limit: --hold 100,10."},
};

}  // namespace

std::string foreign_hint(const Diagnostic& finding)
{
    std::string       hint = usd::foreign_hint(finding.id, finding.hint);
    const auto* const row =
        std::ranges::find(kHints, std::string_view(finding.id), &std::pair<std::string_view, const char*>::first);
    return row != std::end(kHints) && hint != finding.hint ? row->second : hint;
}

}  // namespace mechane::cli
