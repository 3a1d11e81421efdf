#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mechane::usd {

/// Crates 0.minor that whoever does not trust them may read here. Older ones are checked as well, yet few exist to
/// prove it on: a process of its own reads them first.
inline constexpr int kFirstCheckedMinor = 4, kLastCheckedMinor = 14;

/// What the check of a crate found.
struct CrateVerdict {
    std::string   wrong;         ///< empty: nothing
    std::uint64_t unpacked = 0;  ///< bytes that its packed arrays and its largest value take in memory
    std::vector<std::pair<std::string, std::string>> variables;  ///< expression variables: name and text
};

/// Checks a crate (usdc, versions 0.0.1 to 0.14) before OpenUSD reads it: the table of contents, every index from one
/// section into another and from values, and the tree of specs, so that a damaged file is an error and never a wild
/// read.
/// @param max_nesting   of parentheses in a path expression
CrateVerdict check_crate(std::string_view bytes, std::size_t max_nesting = 4096);

/// True when one of the tokens of a crate that check_crate found nothing wrong with is this one: a field of this name
/// may be in it.
bool crate_has_token(std::string_view bytes, std::string_view token);

}  // namespace mechane::usd
