// What the readers of two files of one format have no word for: limits of a controller, thresholds, plugins. Their
// programs read it, so that two files that differ in it are not equal. The loss reports of both readings name these
// values, element by element. Called by `mechane diff`.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "difference/values.h"
#include "mechane/difference/compare.h"

namespace mechane::difference {
namespace {

namespace sf = sourceformats;

using Left = std::map<std::pair<std::string, std::string>, std::vector<const sf::Loss*>>;

/// What was left out, by code and item, in the order of the file.
Left left_of(const sf::LossReport& losses)
{
    Left out;
    for (const sf::Loss& loss : losses.entries)
        if (loss.action == sf::LossAction::dropped || loss.action == sf::LossAction::approximated)
            out[{loss.code, loss.what}].push_back(&loss);
    return out;
}

bool is_same(const std::string& x, const std::string& y)
{
    const Parts p = parts_of(x), q = parts_of(y);
    return p.words == q.words && p.numbers == q.numbers;
}

}  // namespace

void compare_unread(Comparison& out, const Robot& a, const Robot& b, const CompareOptions& options)
{
    if (a.tree.format != b.tree.format) return;
    const Left in_a = left_of(a.losses), in_b = left_of(b.losses);
    const auto none = std::vector<const sf::Loss*>();
    const auto tell = [&](const sf::Loss* one, const sf::Loss* two) {
        out.count(Quantity::property);
        if (one != nullptr && two != nullptr && is_same(one->source_value, two->source_value)) return;
        const auto side = [](const sf::Loss* loss) {
            return loss != nullptr ? std::optional(Side{loss->source_value, loss->site}) : std::nullopt;
        };
        const sf::Loss& any = one != nullptr ? *one : *two;
        out.add({Quantity::property,
                 any.what,
                 any.code,
                 side(one),
                 side(two),
                 0,
                 0,
                 two == nullptr   ? "only in the first"
                 : one == nullptr ? "only in the second"
                                  : "",
                 {}});
    };
    const auto all = [&](const Left& of, const Left& other, bool first) {
        for (const auto& [key, mine] : of) {
            const auto  found  = other.find(key);
            const auto& theirs = found != other.end() ? found->second : none;
            for (std::size_t i = first ? 0 : theirs.size(); i < mine.size(); ++i)
                first ? tell(mine[i], i < theirs.size() ? theirs[i] : nullptr) : tell(nullptr, mine[i]);
        }
    };
    all(in_a, in_b, true);
    all(in_b, in_a, false);
    out.sort();
    if (!options.only.empty()) out.keep(options.only);
}

}  // namespace mechane::difference
