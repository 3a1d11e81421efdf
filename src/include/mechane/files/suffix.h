#pragma once
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "mechane/core/letters.h"

/// What the suffix of a name says of a file. Its case does not matter, as it does not to OpenUSD.
namespace mechane::files {

/// ".usda" of "robot.USDA"; empty for a name without a dot, and for one that only begins with it.
[[nodiscard]] inline std::string suffix_of(const std::filesystem::path& file)
{ return lower_case(file.extension().string()); }

/// Whether a file has one of these suffixes, each written as ".usda".
[[nodiscard]] inline bool has_suffix(const std::filesystem::path& file, std::initializer_list<std::string_view> known)
{ return std::find(known.begin(), known.end(), suffix_of(file)) != known.end(); }

}  // namespace mechane::files
