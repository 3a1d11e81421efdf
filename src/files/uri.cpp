// Escapes of names in URIs (RFC 3986, section 2.1): both directions, byte by byte, without a look at the text's
// encoding.

#include "mechane/files/uri.h"

#include <fmt/format.h>

#include <charconv>

namespace mechane::files {

// Not isalnum, which follows the locale.
std::string uri_of(std::string_view path)
{
    std::string out;
    // UTF-8 goes through as its bytes.
    for (const char c : path) {
        // The marks that RFC 3986 calls unreserved, and the slash between the parts of a path.
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("-._~/").find(c) != std::string_view::npos;
        if (plain)
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string path_of_uri(std::string_view uri)
{
    std::string out;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        unsigned char byte   = 0;
        const char*   digits = uri.data() + i + 1;
        // Exactly two hexadecimal digits.
        if (uri[i] == '%' && i + 2 < uri.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += uri[i];
        }
    }
    return out;
}

}  // namespace mechane::files
