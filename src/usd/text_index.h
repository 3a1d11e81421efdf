#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace mechane::usd {

/// Lines and columns (1-based) of the prims and properties of usda text, by path: "/a/b", "/a{set=name}b.prop".
using TextIndex = std::unordered_map<std::string, std::pair<int, int>>;

/// One pass over the text. Text that is not well formed gives the entries up to its fault, or wrong ones, never worse.
TextIndex index_text(std::string_view text);

}  // namespace mechane::usd
