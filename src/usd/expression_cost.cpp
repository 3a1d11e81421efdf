// What expression variables of layers may expand to: variables that name each other in turn double with every step.
// It counts bytes of text without expanding anything, and is an upper bound, as variables of all layers are put
// together.

#include "usd/expression_cost.h"

#include <algorithm>
#include <cctype>

#include "usd/text_check.h"

namespace mechane::usd {
namespace {

/// "${NAME}" anywhere in a text.
std::vector<std::string> names_in(std::string_view text)
{
    std::vector<std::string> out;
    for (std::size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2)) {
        const std::size_t end = text.find('}', at);
        if (end == std::string_view::npos) break;
        out.emplace_back(text.substr(at + 2, end - at - 2));
    }
    return out;
}

class Costs {
  public:
    Costs(const std::map<std::string, std::string>& texts, std::uint64_t enough) : texts_(texts), enough_(enough) {}

    /// Iterative: a chain may be as long as a file.
    std::uint64_t of(const std::string& name)
    {
        struct Open {
            std::string              name;
            std::vector<std::string> names;
            std::size_t              next = 0;
            std::uint64_t            cost = 0;
        };
        std::vector<Open> stack;
        const auto        open = [&](const std::string& next) {
            const auto text = texts_.find(next);
            if (text == texts_.end()) return;
            known_[next] = 0;  // one that names itself is an error of the library's, not endless
            stack.push_back({next, names_in(text->second), 0, text->second.size() + 1});
        };
        if (!known_.contains(name)) open(name);
        while (!stack.empty()) {
            Open& top = stack.back();
            if (top.next < top.names.size() && top.cost < enough_) {
                const std::string& next = top.names[top.next];
                if (texts_.contains(next) && !known_.contains(next)) {
                    open(next);
                    continue;  // counted when it is known
                }
                if (const auto known = known_.find(next); known != known_.end())
                    top.cost = std::min(enough_, top.cost + known->second);
                ++top.next;
                continue;
            }
            known_[top.name] = std::min(top.cost, enough_);
            stack.pop_back();
        }
        const auto known = known_.find(name);
        return known == known_.end() ? 0 : known->second;
    }

  private:
    const std::map<std::string, std::string>& texts_;
    std::uint64_t                             enough_;
    std::map<std::string, std::uint64_t>      known_;
};

/// What stands in the braces that open at `at`.
/// A coarse reader of text: it finds names and quoted values and cares for nothing else of the syntax.
void read_dictionary(std::string_view text, std::size_t at, std::vector<std::pair<std::string, std::string>>& out)
{
    std::string name;  // the last word before an equals sign
    bool        of_value = false;
    for (int depth = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '{') ++depth;
        if (c == '}' && --depth <= 0) return;
        if (c == '#') at = std::min(text.find('\n', at), text.size());
        if (c == '=') {
            out.emplace_back(name, "");
            of_value = true;
        } else if (c == '"' || c == '\'') {
            const std::size_t end    = skip_quoted(text, at);
            const auto        quoted = text.substr(at, end - at);
            if (of_value && !out.empty())
                out.back().second += quoted;
            else
                name = quoted.size() > 1 ? quoted.substr(1, quoted.size() - 2) : quoted;
            at = end - 1;
        } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
            const std::size_t begin = at;
            while (at + 1 < text.size() &&
                   (std::isalnum(static_cast<unsigned char>(text[at + 1])) != 0 || text[at + 1] == '_'))
                ++at;
            name     = text.substr(begin, at + 1 - begin);
            of_value = false;
        }
    }
}

}  // namespace

/// A variable may be authored in several layers, and any of them may win: all texts count.
void ExpressionVariables::add(const std::vector<std::pair<std::string, std::string>>& variables)
{
    const std::lock_guard lock(mutex_);
    for (const auto& [name, text] : variables)
        if (std::string& all = texts_[name]; all.find(text) == std::string::npos) all += text;
}

void ExpressionVariables::clear()
{
    const std::lock_guard lock(mutex_);
    texts_.clear();
}

std::uint64_t ExpressionVariables::cost(std::uint64_t enough) const
{
    const std::lock_guard lock(mutex_);

    Costs         costs(texts_, enough);
    std::uint64_t most = 0;
    for (const auto& [name, text] : texts_) most = std::max(most, costs.of(name));
    return most;
}

std::vector<std::pair<std::string, std::string>> expression_variables_of(std::string_view text)
{
    constexpr std::string_view                       kName = "expressionVariables";
    std::vector<std::pair<std::string, std::string>> out;
    for (std::size_t at = text.find(kName); at != std::string_view::npos; at = text.find(kName, at + kName.size())) {
        std::size_t next = text.find_first_not_of(" \t\r\n", at + kName.size());
        if (next == std::string_view::npos || text[next] != '=') continue;
        next = text.find_first_not_of(" \t\r\n", next + 1);
        if (next != std::string_view::npos && text[next] == '{') read_dictionary(text, next, out);
    }
    return out;
}

}  // namespace mechane::usd
