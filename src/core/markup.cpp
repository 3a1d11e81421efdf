// Escapes text for HTML and XML, in content as well as in attributes. Called by the writers of pages and JUnit.

#include "core/markup.h"

namespace mechane {

std::string markup_escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    return out;
}

}  // namespace mechane
