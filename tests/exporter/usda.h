#pragma once
#include <string>

namespace mechane::test {

/// usda wants a line end after each statement; tests are easier to read with several on a line. Braces outside of
/// texts, paths and assets get lines of their own.
inline std::string spread(const std::string& usda)
{
    std::string out;
    char        until = 0;
    for (const char c : usda) {
        if (until != 0) {
            if (c == until) until = 0;
            out += c;
        } else if (c == '"' || c == '@' || c == '<') {
            until = c == '<' ? '>' : c;
            out += c;
        } else if (c == '{') {
            out += "{\n";
        } else if (c == '}') {
            out += "\n}\n";
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace mechane::test
