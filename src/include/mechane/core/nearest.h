#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mechane {

/// How many letters must be replaced, added or left out to make one text of the other (Levenshtein 1966), without regard
/// to capitals; `most` as soon as it cannot be less.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most);

/// The up to `count` known words nearest to `word` by edit distance, nearest first, ties in the
/// given order. Capitals cost nothing in the ranking. Words farther than two thirds of the longer length are left out.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> known, std::size_t count = 3);

/// "Did you mean a, b or c?" of the same words; empty when none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known, std::size_t count = 3);

}  // namespace mechane
