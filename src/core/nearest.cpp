// Spelling suggestions: the known words nearest to a misspelt one.

#include "mechane/core/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mechane/core/letters.h"

namespace mechane {
/// Levenshtein distance without case, given up as soon as a whole row reaches `most`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most)
{
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= most) return most;
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0], least = i;
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (lower_case(a[i - 1]) == lower_case(b[j - 1]) ? 0 : 1);
            diagonal                   = row[j];
            row[j]                     = std::min({replaced, row[j] + 1, row[j - 1] + 1});
            least                      = std::min(least, row[j]);
        }
        if (least >= most) return most;
    }
    return std::min(row.back(), most);
}

std::vector<std::string> nearest(std::string_view word, std::span<const std::string> known, std::size_t count)
{
    std::vector<std::pair<std::size_t, std::size_t>> ranked;
    for (std::size_t i = 0; i < known.size(); ++i) {
        // Words of which less than a third agrees are no suggestion.
        const std::size_t longer = std::max(word.size(), known[i].size()), most = 2 * longer / 3 + 1;
        const std::size_t distance = edit_distance(word, known[i], most);
        if (distance < most) ranked.emplace_back(distance, i);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::string> out;
    for (std::size_t i = 0; i < ranked.size() && out.size() < count; ++i) {
        const std::string& one = known[ranked[i].second];
        if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
    }
    return out;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known, std::size_t count)
{
    const std::vector<std::string> near = nearest(word, known, count);
    std::string                    out;
    for (std::size_t i = 0; i < near.size(); ++i)
        out += (i == 0 ? "Did you mean " : i + 1 == near.size() ? " or " : ", ") + near[i];
    return out.empty() ? out : out + "?";
}

}  // namespace mechane
