// Guards the TOML reader: keys such as a.b.c nest one table for each dot, and the reader builds and destroys them
// recursively.
// A file with many thousand dots in a key would overflow the stack. The text is looked over before it is parsed.
// It returns the line of such a key, or zero.

#include "mechane/resolve/toml_depth.h"

#include <algorithm>
#include <string>

namespace mechane::resolve {

int too_deep_in_toml(std::string_view text)
{
    constexpr int kMostParts = 64;
    int           line = 1, dots = 0;
    bool          in_key = true;  // up to the equals sign, or of a header all of it
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\n') {
            ++line, dots = 0, in_key = true;
        } else if (c == '#') {
            // One before the end of the line: the loop steps on to the line break itself, which counts the line.
            at = std::min(text.find('\n', at), text.size()) - 1;
        } else if (c == '"' || c == '\'') {
            // Three quotes in a row begin a text of several lines.
            const std::string_view quote = text.substr(at, text.substr(at, 3) == std::string(3, c) ? 3 : 1);
            std::size_t            end   = at + quote.size();
            while (end < text.size() && text.substr(end, quote.size()) != quote && (quote.size() == 3 || text[end] != '\n')) {
                line += text[end] == '\n';
                // A backslash escapes in double quotes only; single quotes are literal.
                end += text[end] == '\\' && c == '"' ? 2 : 1;
            }
            at = std::min(end + quote.size(), text.size()) - 1;
            // An unclosed text ends with its line.
            if (at < text.size() && text[at] == '\n') --at;
        } else if (c == '=') {
            in_key = false;
        } else if (c == '{' || c == ',') {  // keys of an inline table
            dots = 0, in_key = true;
        } else if (c == '.' && in_key && ++dots > kMostParts) {
            return line;
        }
    }
    return 0;
}

}  // namespace mechane::resolve
