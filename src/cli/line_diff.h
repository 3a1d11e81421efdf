#pragma once
#include <string>
#include <string_view>

namespace mechane::cli {

/// Differences of two texts as a unified diff with three lines of context; empty when they are equal. The shortest
/// script of edits (Myers 1986), unless it is longer than a few thousand lines: then one block replaces the other.
std::string unified_diff(std::string_view before, std::string_view after, const std::string& name_before,
                         const std::string& name_after);

}  // namespace mechane::cli
