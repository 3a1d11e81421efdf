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
            at = std::min(text.find('\n', at), text.size()) - 1;
        } else if (c == '"' || c == '\'') {
            const std::string_view quote = text.substr(at, text.substr(at, 3) == std::string(3, c) ? 3 : 1);
            std::size_t            end   = at + quote.size();
            while (end < text.size() && text.substr(end, quote.size()) != quote && (quote.size() == 3 || text[end] != '\n')) {
                line += text[end] == '\n';
                end += text[end] == '\\' && c == '"' ? 2 : 1;
            }
            at = std::min(end + quote.size(), text.size()) - 1;
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
