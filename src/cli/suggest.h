#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mechane::cli {

/// The up to `count` known words nearest to `word` by edit distance (Levenshtein 1966), nearest first, ties in the
/// given order. Words farther than two thirds of the longer length are left out.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known, std::size_t count = 3);

}  // namespace mechane::cli
