// Unpacks the two encodings of crates: LZ4 blocks, and lists of integers as differences with a common step and two bits
// of code each.
// Both stop at a limit that the caller derives from the file's size. Nothing is trusted: a damaged stream gives no
// value.

#include "usd/crate_codec.h"

#include <type_traits>

namespace mechane::usd {
namespace {

/// One LZ4 block (block format description, Collet): literals and back references, each length continued by bytes of
/// 255.
bool decompress_block(std::string_view in, std::string& out, std::size_t limit)
{
    const std::size_t begin  = out.size();
    std::size_t       i      = 0;
    const auto        length = [&](std::size_t first) -> std::optional<std::size_t> {
        if (first != 15) return first;
        for (;;) {
            if (i >= in.size()) return std::nullopt;
            const auto more = static_cast<unsigned char>(in[i++]);
            first += more;
            if (first > limit) return std::nullopt;
            if (more != 255) return first;
        }
    };
    while (i < in.size()) {
        const auto token    = static_cast<unsigned char>(in[i++]);
        const auto literals = length(token >> 4);
        if (!literals || *literals > in.size() - i || *literals > limit - out.size()) return false;
        out.append(in.substr(i, *literals));
        i += *literals;
        if (i == in.size()) return true;  // the last sequence has literals only
        if (in.size() - i < 2) return false;
        const std::size_t back = static_cast<unsigned char>(in[i]) | std::size_t{static_cast<unsigned char>(in[i + 1])}
                                                                         << 8;
        i += 2;
        const auto match = length(token & 15);
        // A reference reaches back at most to the beginning of its own block.
        if (!match || back == 0 || back > out.size() - begin || *match + 4 > limit - out.size()) return false;
        for (std::size_t k = 0; k < *match + 4; ++k) out.push_back(out[out.size() - back]);  // may overlap itself
    }
    return false;
}

}  // namespace

std::optional<std::string> decompress(std::string_view stream, std::size_t limit)
{
    if (stream.empty()) return std::nullopt;
    const int   chunks = static_cast<unsigned char>(stream[0]);
    std::string out;
    if (chunks == 0) {
        if (!decompress_block(stream.substr(1), out, limit)) return std::nullopt;
        return out;
    }
    CrateCursor cursor(stream.substr(1));
    for (int i = 0; i < chunks; ++i) {
        const auto size = cursor.read<std::int32_t>();
        if (size < 0) return std::nullopt;
        const std::string_view block = cursor.take(static_cast<std::uint64_t>(size));
        if (cursor.bad() || !decompress_block(block, out, limit)) return std::nullopt;
    }
    return out;
}

namespace {

/// `Short`, `Medium` and `Long` are what the codes 1, 2 and 3 stand for; `Wide` is the type of the sums.
template <class Wide, class Short, class Medium, class Long>
std::optional<std::vector<Wide>> decompress_sums(std::string_view stream, std::size_t count)
{
    if (count == 0) return std::vector<Wide>();
    // Two bits of code and at most the long form each. A file cannot hold more integers than 255 times its own size in
    // LZ4.
    if (count / 1024 > stream.size()) return std::nullopt;
    const std::size_t code_bytes = (count * 2 + 7) / 8;
    const auto        encoded    = decompress(stream, sizeof(Wide) + code_bytes + count * sizeof(Long));
    if (!encoded) return std::nullopt;
    CrateCursor            cursor(*encoded);
    const auto             common = cursor.read<Wide>();
    const std::string_view codes  = cursor.take(code_bytes);
    if (cursor.bad()) return std::nullopt;
    std::vector<Wide> out;
    out.reserve(count);
    std::make_unsigned_t<Wide> sum = 0;  // wraps around, as the writer's does
    for (std::size_t i = 0; i < count; ++i) {
        Wide step = common;
        switch ((static_cast<unsigned char>(codes[i / 4]) >> (2 * (i % 4))) & 3) {
            case 1:
                step = cursor.read<Short>();
                break;
            case 2:
                step = cursor.read<Medium>();
                break;
            case 3:
                step = cursor.read<Long>();
                break;
            default:
                break;
        }
        if (cursor.bad()) return std::nullopt;
        sum += static_cast<std::make_unsigned_t<Wide>>(step);
        out.push_back(static_cast<Wide>(sum));
    }
    return out;
}

}  // namespace

std::optional<std::vector<std::int32_t>> decompress_integers(std::string_view stream, std::size_t count)
{ return decompress_sums<std::int32_t, std::int8_t, std::int16_t, std::int32_t>(stream, count); }

std::optional<std::vector<std::int64_t>> decompress_long_integers(std::string_view stream, std::size_t count)
{ return decompress_sums<std::int64_t, std::int16_t, std::int32_t, std::int64_t>(stream, count); }

}  // namespace mechane::usd
