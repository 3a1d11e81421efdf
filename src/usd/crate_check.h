#pragma once
#include <string>
#include <string_view>

namespace mechane::usd {

/// Crates 0.minor that whoever does not trust them may read here. Older ones are checked as well, yet few exist to
/// prove it on: a process of its own reads them first.
inline constexpr int kFirstCheckedMinor = 4, kLastCheckedMinor = 13;

/// Checks a crate (usdc, versions 0.0.1 to 0.13) before OpenUSD maps it: the table of contents, and every index from
/// one section into another and from values, so that a damaged file is an error and never a wild read.
/// @return an empty text, or what is wrong
std::string check_crate(std::string_view bytes);

/// True when one of the tokens of a crate that check_crate found nothing wrong with is this one: a field of this name
/// may be in it.
bool crate_has_token(std::string_view bytes, std::string_view token);

}  // namespace mechane::usd
