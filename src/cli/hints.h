#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace mechane::cli {

/// Whether a verb is there, and whether it has an option ("--dt").
struct KnownOptions {
    std::function<bool(std::string_view verb)>                          is_verb;
    std::function<bool(std::string_view verb, std::string_view option)> has_option;
};

/// A hint as `verb` may print it. Hints are written for the library, whose findings reach people through many verbs; a
/// part of a sentence that names an option which this verb lacks is left out. "Author one number, or give --dt."
/// becomes "Author one number." where there is no --dt. An option of another verb that is named with it is no option of
/// this one: `mechane fix --in-place`, and "only fix --in-place", stay.
/// @return empty if nothing is left
std::string hint_for(std::string_view hint, std::string_view verb, const KnownOptions& known);

}  // namespace mechane::cli
