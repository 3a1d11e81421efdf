// Base64 (RFC 4648, with padding), for arrays and pictures within a page. Called by html.cpp and portrait.cpp.

#include "base64.h"

#include <cstdint>

namespace mechane::viewer {

std::string base64(std::span<const std::byte> bytes)
{
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string           out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t left = bytes.size() - i;
        const auto at    = [&](std::size_t k) { return k < left ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0U; };
        const auto group = at(0) << 16 | at(1) << 8 | at(2);
        out += kDigits[group >> 18];
        out += kDigits[group >> 12 & 63];
        out += left > 1 ? kDigits[group >> 6 & 63] : '=';
        out += left > 2 ? kDigits[group & 63] : '=';
    }
    return out;
}

}  // namespace mechane::viewer
