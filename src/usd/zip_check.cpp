// Walks the entries of a zip file by their local headers, so that contents can be checked before the library maps the
// package.
// All numbers are little-endian; only stored entries are visited, as packages of OpenUSD have no others.

#include "usd/zip_check.h"

#include <fmt/format.h>

#include "usd/crate_codec.h"

namespace mechane::usd {

std::string check_zip(std::string_view                                                                   bytes,
                      const std::function<std::string(std::string_view name, std::string_view content)>& visit)
{
    constexpr std::uint32_t kLocalHeader = 0x04034b50;
    constexpr int           kMaxEntries  = 100'000;
    CrateCursor             cursor(bytes);
    for (int entries = 0; cursor.left() >= 30; ++entries) {
        if (cursor.read<std::uint32_t>() != kLocalHeader) return {};  // the directory follows
        if (entries == kMaxEntries) return fmt::format("the package has more than {} entries", kMaxEntries);
        cursor.take(4);  // version, flags
        const auto method = cursor.read<std::uint16_t>();
        cursor.take(8);  // time, date, checksum
        const auto packed = cursor.read<std::uint32_t>(), size = cursor.read<std::uint32_t>();
        const auto name_size = cursor.read<std::uint16_t>(), extra_size = cursor.read<std::uint16_t>();
        const auto name = cursor.take(name_size);
        cursor.take(extra_size);
        const auto content = cursor.take(packed);
        if (cursor.bad()) return fmt::format("entry '{}' reaches past the end of the package", name);
        if (method != 0) continue;  // packages hold stored entries only; the library refuses to open others
        if (packed != size) return fmt::format("entry '{}' is stored, but with two sizes", name);
        if (std::string what = visit(name, content); !what.empty()) return what;
    }
    return {};
}

}  // namespace mechane::usd
