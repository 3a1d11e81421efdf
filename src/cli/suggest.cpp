#include "cli/suggest.h"

#include <algorithm>
#include <numeric>

namespace mechane::cli {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0]               = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal                   = row[j];
            row[j]                     = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known, std::size_t count)
{
    std::vector<std::pair<std::size_t, std::size_t>> ranked;
    for (std::size_t i = 0; i < known.size(); ++i) {
        const std::size_t distance = edit_distance(word, known[i]);
        if (3 * distance <= 2 * std::max(word.size(), known[i].size())) ranked.emplace_back(distance, i);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::string> out;
    for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) out.push_back(known[ranked[i].second]);
    return out;
}

}  // namespace mechane::cli
