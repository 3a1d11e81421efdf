#include "usd/text_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mechane::usd {
namespace {

/// Bytes that end a run of uninteresting ones.
constexpr std::array<bool, 256> special_bytes()
{
    std::array<bool, 256> table{};
    for (const char c : {'#', '"', '\'', '@', '(', ')', '[', ']', '{', '}'})
        table[static_cast<unsigned char>(c)] = true;
    return table;
}
constexpr std::array<bool, 256> kSpecial = special_bytes();

int line_of(std::string_view text, std::size_t at)
{ return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')); }

/// Position behind the string or asset path that starts at `at`; a one-line one also ends at the line's end, as the
/// parser has it.
std::size_t skip_quoted(std::string_view text, std::size_t at, std::size_t& deepest)
{
    const char             quote  = text[at];
    const bool             triple = at + 2 < text.size() && text[at + 1] == quote && text[at + 2] == quote;
    const std::string_view end    = text.substr(at, triple ? 3 : 1);
    std::size_t            depth  = 0;
    deepest                       = 0;
    for (std::size_t i = at + end.size(); i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && quote != '@')
            ++i;
        else if (c == '(')
            deepest = std::max(deepest, ++depth);
        else if (c == ')' && depth > 0)
            --depth;
        else if (c == '\n' && !triple)
            return i;
        else if (c == quote && text.substr(i, end.size()) == end)
            return i + end.size();
    }
    return text.size();
}

}  // namespace

std::optional<NestingFinding> check_nesting(std::string_view text, const NestingLimits& limits)
{
    std::size_t brackets = 0, braces = 0;
    for (std::size_t i = 0; i < text.size();) {
        const auto special = [&](std::size_t at) { return kSpecial[static_cast<unsigned char>(text[at])]; };
        while (i + 4 <= text.size() && !(special(i) | special(i + 1) | special(i + 2) | special(i + 3))) i += 4;
        while (i < text.size() && !special(i)) ++i;
        if (i == text.size()) break;
        switch (text[i]) {
            case '#':
                i = std::min(text.find('\n', i), text.size());
                continue;
            case '"':
            case '\'':
            case '@': {
                std::size_t       deepest = 0;
                const std::size_t start   = i;
                i                         = skip_quoted(text, i, deepest);
                if (deepest > limits.quoted)
                    return NestingFinding{line_of(text, start),
                                          fmt::format("an expression nests deeper than {}", limits.quoted)};
                continue;
            }
            case '(':
            case '[':
                if (++brackets > limits.brackets)
                    return NestingFinding{line_of(text, i),
                                          fmt::format("brackets nest deeper than {}", limits.brackets)};
                break;
            case '{':
                if (++braces > limits.braces)
                    return NestingFinding{line_of(text, i), fmt::format("braces nest deeper than {}", limits.braces)};
                break;
            case '}':
                braces -= braces > 0;
                break;
            default:
                brackets -= brackets > 0;
                break;
        }
        ++i;
    }
    return std::nullopt;
}

}  // namespace mechane::usd
