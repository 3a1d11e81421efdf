#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mechane::usd {

/// What text may nest before OpenUSD's recursive parsers run out of stack.
struct NestingLimits {
    std::size_t brackets = 256;   ///< ( and [: tuples, lists, metadata
    std::size_t braces   = 4096;  ///< {: prims, variant sets, dictionaries
    std::size_t quoted   = 4096;  ///< ( in one string: path expressions and variable expressions nest there
};

struct NestingFinding {
    int         line;
    std::string what;
};

/// Position of the next byte that may open or close something in usda text, or begin a string, an asset path or a
/// comment.
std::size_t next_special(std::string_view text, std::size_t at);
/// Position behind the string or asset path that starts at `at`. One of one line also ends at the line's end, as the
/// parser has it. `deepest`, which may be null, gets how deep parentheses nest in it.
std::size_t skip_quoted(std::string_view text, std::size_t at, std::size_t* deepest = nullptr);

/// How deep parentheses nest in a text.
std::size_t deepest_parenthesis(std::string_view text);

/// Scans usda text for nesting outside strings, asset paths and comments. Says nothing about whether the text is valid.
std::optional<NestingFinding> check_nesting(std::string_view text, const NestingLimits& limits);

}  // namespace mechane::usd
