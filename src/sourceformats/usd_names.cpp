// Names that USD accepts. A prim's name has letters, digits and underscores, and begins with no digit; everything
// else becomes an underscore. isalnum() depends on the locale for bytes beyond ASCII, hence the test for 128.
#include "sourceformats/usd_names.h"

#include <fmt/format.h>

#include <cctype>

namespace mechane::sourceformats {

std::string prim_name(std::string_view name, std::string_view otherwise)
{
    std::string out;
    for (const char c : name) {
        const auto u = static_cast<unsigned char>(c);
        out += (u < 128 && std::isalnum(u) != 0) ? c : '_';
    }
    // A name of underscores alone says nothing; the kind of thing stands in.
    if (out.find_first_not_of('_') == std::string::npos) out = otherwise;
    if (std::isdigit(static_cast<unsigned char>(out.front())) != 0) out.insert(0, "_");
    return out;
}

// Parts between slashes, none empty, none that begins with a digit.
bool is_frame_id(std::string_view name)
{
    bool fresh = true;
    for (const char c : name) {
        const auto u     = static_cast<unsigned char>(c);
        const bool digit = std::isdigit(u) != 0,
                   word  = u < 128 && (std::isalnum(u) != 0 || c == '_' || c == '-' || c == '.');
        if (c == '/' ? fresh : !word || (digit && fresh)) return false;
        fresh = c == '/';
    }
    return !fresh;
}

// A name that is taken gets the first free number. The order of asking decides, and that is the order of the file.
std::string Siblings::take(std::string_view wanted, std::string_view otherwise)
{
    const std::string name = prim_name(wanted, otherwise);
    std::string       out  = name;
    for (int i = 1; !taken_.insert(out).second; ++i) out = fmt::format("{}_{}", name, i);
    return out;
}

}  // namespace mechane::sourceformats
