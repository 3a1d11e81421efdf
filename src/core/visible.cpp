// Makes text from files safe to print: control characters, characters that change the direction of text, and lines that
// a build server would obey become escapes, a backslash, u and four hexadecimal digits. Newlines and tabs stay.

#include "mechane/core/visible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace mechane {
namespace {

/// One character of UTF-8; of a byte that begins none its length is 0.
struct Character {
    std::uint32_t code   = 0;
    std::size_t   length = 0;
};

Character character_at(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t first = byte(at);
    if (first < 0x80) return {first, 1};
    // Lead bytes of UTF-8; 0xc0, 0xc1 and 0xf5 on begin none.
    const std::size_t length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (length == 0 || first >= 0xf5 || at + length > text.size()) return {};
    std::uint32_t code = first & (0x7fU >> length);
    for (std::size_t i = at + 1; i < at + length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3f);
    }
    const std::uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
    // Overlong forms and halves of surrogates are no characters.
    return code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? Character{} : Character{code, length};
}

// The ranges are those of C0 and C1 control characters, and of Unicode's bidirectional and separating characters.
bool is_obeyed(std::uint32_t code)
{
    if (code == '\n' || code == '\t') return false;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
    // Arabic letter mark, left-to-right and right-to-left marks, embeddings, overrides and isolates: with them a line
    // could show another text than it holds.
    const bool turns = code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                       (code >= 0x2066 && code <= 0x2069);
    return turns || code == 0x2028 || code == 0x2029;
}

/// A line of a build server's: GitHub and Azure obey what begins so, whatever blanks stand before.
bool begins_command(std::string_view line)
{
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return false;
    line.remove_prefix(first);
    return line.starts_with("::") || line.starts_with("##[") || line.starts_with("##vso[");
}

// Most texts are plain ASCII and are not changed: a first look spares them the rest.
bool is_plain(std::string_view text)
{
    bool line_begins = true;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && c != '\n' && c != '\t') || byte >= 0x7f) return false;
        if (line_begins && (c == ':' || c == '#')) return false;
        line_begins = c == '\n' || (line_begins && (c == ' ' || c == '\t'));
    }
    return true;
}

}  // namespace

// A broken byte is shown as an escape too, so that output is UTF-8 whatever the file was.
std::string visible(std::string_view text)
{
    if (is_plain(text)) return std::string(text);
    std::string out;
    out.reserve(text.size());
    bool line_begins = true;
    for (std::size_t at = 0; at < text.size();) {
        if (line_begins && begins_command(text.substr(at, text.find('\n', at) - at))) {
            const std::size_t first = text.find_first_not_of(" \t", at);
            out += fmt::format("{}\\u{:04x}", text.substr(at, first - at), static_cast<unsigned>(text[first]));
            at          = first + 1;
            line_begins = false;
            continue;
        }
        const Character c = character_at(text, at);
        line_begins       = c.code == '\n' && c.length == 1;
        if (c.length == 0)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(text[at])));
        else if (is_obeyed(c.code))
            out += fmt::format("\\u{:04x}", c.code);
        else
            out += text.substr(at, c.length);
        at += c.length == 0 ? 1 : c.length;
    }
    return out;
}

// For texts that have to stay on one line: newlines and tabs become escapes as well.
std::string visible_in_line(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find_first_of("\n\t", at), text.size());
        out += visible(text.substr(at, end - at));
        if (end < text.size()) out += fmt::format("\\u{:04x}", static_cast<unsigned>(text[end]));
        at = end + 1;
    }
    return out;
}

}  // namespace mechane
