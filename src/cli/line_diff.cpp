// A unified diff of two texts, as `diff -u` prints it.
// The shortest script is found by the greedy algorithm of E. Myers ("An O(ND) Difference Algorithm and Its Variations",
// Algorithmica 1, 1986), on numbers that stand for lines and without the common head and tail.
// Above 3000 edits everything is told as replaced: memory grows with the square of the edits.
// Called by `mechane fix --diff`.

#include "cli/line_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace mechane::cli {
namespace {

constexpr int kContext  = 3;
constexpr int kMostWork = 3000;  ///< number of edits after which the shortest script is no longer searched

std::vector<std::string_view> lines_of(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

/// One line of the script: kept, removed or added.
struct Step {
    char        kind;  ///< ' ', '-' or '+'
    std::size_t before, after;
};

/// Myers' greedy algorithm on ids of lines; `a` and `b` hold no common prefix or
/// suffix. Positions are relative to the slices.
std::vector<Step> shortest_script(const std::vector<int>& a, const std::vector<int>& b)
{
    const int                     n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
    std::vector<std::vector<int>> trace;
    std::vector<int>              reach(static_cast<std::size_t>(2 * (n + m) + 3), 0);
    const auto                    at    = [&](int k) -> int& { return reach[static_cast<std::size_t>(k + n + m + 1)]; };
    const int                     most  = std::min(n + m, kMostWork);
    int                           found = -1;
    for (int d = 0; d <= most && found < 0; ++d) {
        // Of each round only the diagonals -d-1 to d+1 are kept, which is all that the way back needs.
        trace.emplace_back(reach.begin() + (n + m + 1 - d - 1), reach.begin() + (n + m + 1 + d + 2));
        for (int k = -d; k <= d; k += 2) {
            // The farthest point on diagonal k comes from k+1 by an added line, or from k-1 by a removed one, whichever
            // reaches farther; matching lines follow for free (the snake).
            int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
            while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) ++x;
            at(k) = x;
            if (x >= n && x - k >= m) {
                found = d;
                break;
            }
        }
    }
    std::vector<Step> script;
    if (found < 0) {
        for (int i = 0; i < n; ++i) script.push_back({'-', static_cast<std::size_t>(i), 0});
        for (int i = 0; i < m; ++i) script.push_back({'+', static_cast<std::size_t>(n), static_cast<std::size_t>(i)});
        return script;
    }
    int x = n, y = m;
    for (int d = found; d >= 0; --d) {
        const std::vector<int>& row  = trace[static_cast<std::size_t>(d)];
        const auto              was  = [&](int k) { return row[static_cast<std::size_t>(k + d + 1)]; };
        const int               k    = x - y;
        const int               from = k == -d || (k != d && was(k - 1) < was(k + 1)) ? k + 1 : k - 1;
        const int               px = d == 0 ? 0 : was(from), py = d == 0 ? 0 : px - from;
        while (x > px && y > py && a[static_cast<std::size_t>(x - 1)] == b[static_cast<std::size_t>(y - 1)]) {
            --x, --y;
            script.push_back({' ', static_cast<std::size_t>(x), static_cast<std::size_t>(y)});
        }
        if (d == 0) break;
        if (x == px)
            script.push_back({'+', static_cast<std::size_t>(x), static_cast<std::size_t>(--y)});
        else
            script.push_back({'-', static_cast<std::size_t>(--x), static_cast<std::size_t>(y)});
    }
    std::reverse(script.begin(), script.end());
    return script;
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, const std::string& name_before,
                         const std::string& name_after)
{
    if (before == after) return {};
    const std::vector<std::string_view>       a = lines_of(before), b = lines_of(after);
    std::unordered_map<std::string_view, int> ids;
    const auto                                numbered = [&](const std::vector<std::string_view>& lines) {
        std::vector<int> out;
        for (const std::string_view line : lines)
            out.push_back(ids.try_emplace(line, static_cast<int>(ids.size())).first->second);
        return out;
    };
    const std::vector<int> ia = numbered(a), ib = numbered(b);
    std::size_t            head = 0, tail = 0;
    while (head < ia.size() && head < ib.size() && ia[head] == ib[head]) ++head;
    while (tail < ia.size() - head && tail < ib.size() - head && ia[ia.size() - 1 - tail] == ib[ib.size() - 1 - tail])
        ++tail;
    const auto slice = [&](const std::vector<int>& all) {
        return std::vector<int>(all.begin() + static_cast<std::ptrdiff_t>(head),
                                all.end() - static_cast<std::ptrdiff_t>(tail));
    };
    std::vector<Step> script;
    for (std::size_t i = 0; i < head; ++i) script.push_back({' ', i, i});
    for (const Step& step : shortest_script(slice(ia), slice(ib)))
        script.push_back({step.kind, step.before + head, step.after + head});
    for (std::size_t i = 0; i < tail; ++i) script.push_back({' ', ia.size() - tail + i, ib.size() - tail + i});

    std::string out = fmt::format("--- {}\n+++ {}\n", name_before, name_after);
    for (std::size_t i = 0; i < script.size();) {
        if (script[i].kind == ' ') {
            ++i;
            continue;
        }
        std::size_t from = i >= kContext ? i - kContext : 0, to = i, quiet = 0;
        // Changes that are at most twice the context apart share one hunk.
        for (std::size_t j = i; j < script.size() && quiet <= 2 * kContext; ++j) {
            quiet = script[j].kind == ' ' ? quiet + 1 : 0;
            if (quiet == 0) to = j + 1;
        }
        const std::size_t end = std::min(script.size(), to + kContext);
        std::size_t       na = 0, nb = 0;
        for (std::size_t j = from; j < end; ++j) na += script[j].kind != '+', nb += script[j].kind != '-';
        // A side without lines is numbered by the line before it.
        std::size_t first_a = 0, first_b = 0;
        for (std::size_t j = 0; j < from; ++j) first_a += script[j].kind != '+', first_b += script[j].kind != '-';
        out += fmt::format("@@ -{},{} +{},{} @@\n", na > 0 ? first_a + 1 : first_a, na, nb > 0 ? first_b + 1 : first_b,
                           nb);
        for (std::size_t j = from; j < end; ++j) {
            const std::string_view line = script[j].kind == '+' ? b[script[j].after] : a[script[j].before];
            out += script[j].kind;
            out += line;
            if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
        }
        i = end;
    }
    return out;
}

}  // namespace mechane::cli
