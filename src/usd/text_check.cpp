// How deeply the brackets of a text nest, found without recursion before a recursive parser reads it.
// It must see at least the nesting that the parser sees; what looks like a bracket in a string or comment counts for
// nothing.

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

}  // namespace

std::size_t next_special(std::string_view text, std::size_t at)
{
    const auto special = [&](std::size_t i) { return kSpecial[static_cast<unsigned char>(text[i])]; };
    // Four bytes at a time: most bytes are nothing special, and the check must cost little beside the parsing.
    while (at + 4 <= text.size() && !(special(at) | special(at + 1) | special(at + 2) | special(at + 3))) at += 4;
    while (at < text.size() && !special(at)) ++at;
    return at;
}

std::size_t skip_quoted(std::string_view text, std::size_t at, std::size_t* deepest)
{
    const char             quote  = text[at];
    const bool             triple = at + 2 < text.size() && text[at + 1] == quote && text[at + 2] == quote;
    const std::string_view end    = text.substr(at, triple ? 3 : 1);
    std::size_t            depth = 0, most = 0;
    const auto             done = [&](std::size_t behind) {
        if (deepest != nullptr) *deepest = most;
        return behind;
    };
    for (std::size_t i = at + end.size(); i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && quote != '@')
            ++i;
        else if (c == '(')
            most = std::max(most, ++depth);
        else if (c == ')' && depth > 0)
            --depth;
        else if (c == '\n' && !triple)
            return done(i);
        else if (c == quote && text.substr(i, end.size()) == end)
            return done(i + end.size());
    }
    return done(text.size());
}

std::size_t deepest_parenthesis(std::string_view text)
{
    std::size_t depth = 0, most = 0;
    for (const char c : text) {
        if (c == '(') most = std::max(most, ++depth);
        if (c == ')' && depth > 0) --depth;
    }
    return most;
}

namespace {

/// Whether so few brackets are in a text, wherever they stand, that they cannot nest too deeply: true of most layers.
bool cannot_nest(std::string_view text, const NestingLimits& limits)
{
    std::size_t round = 0, square = 0, curly = 0;
    for (const char c : text) {
        round += c == '(';
        square += c == '[';
        curly += c == '{';
    }
    return round + square <= limits.brackets && curly <= limits.braces && round <= limits.quoted;
}

}  // namespace

std::optional<NestingFinding> check_nesting(std::string_view text, const NestingLimits& limits)
{
    constexpr std::size_t kSmall = std::size_t{32} << 10;  // in larger ones there are more, and counting is for nothing
    if (text.size() <= kSmall && cannot_nest(text, limits)) return std::nullopt;
    std::size_t brackets = 0, braces = 0;
    for (std::size_t i = 0; i < text.size();) {
        i = next_special(text, i);
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
                i                         = skip_quoted(text, i, &deepest);
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
