#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mechane::usd {

/// Reads little-endian numbers and runs of bytes from a section of a crate; a read past the end makes it bad for good.
class CrateCursor {
  public:
    explicit CrateCursor(std::string_view bytes) : bytes_(bytes) {}

    template <class T>
    T read()
    {
        T value{};
        if (bytes_.size() < sizeof(T))
            bad_ = true;
        else
            std::memcpy(&value, bytes_.data(), sizeof(T));
        bytes_.remove_prefix(bad_ ? bytes_.size() : sizeof(T));
        return value;
    }
    std::string_view take(std::uint64_t count)
    {
        if (count > bytes_.size()) bad_ = true;
        const std::string_view out = bad_ ? std::string_view() : bytes_.substr(0, static_cast<std::size_t>(count));
        bytes_.remove_prefix(bad_ ? bytes_.size() : out.size());
        return out;
    }
    [[nodiscard]] bool        bad() const { return bad_; }
    [[nodiscard]] std::size_t left() const { return bytes_.size(); }

  private:
    std::string_view bytes_;
    bool             bad_ = false;
};

/// OpenUSD's framing of LZ4 blocks: a byte with the number of chunks (0: the rest is one block), then size and block of
/// each.
/// @return nothing when the stream is damaged or gives more than `limit` bytes
std::optional<std::string> decompress(std::string_view stream, std::size_t limit);

/// `count` 32-bit integers as OpenUSD's crates keep them: LZ4 around differences of one, two or four bytes, two bits
/// each saying which.
std::optional<std::vector<std::int32_t>> decompress_integers(std::string_view stream, std::size_t count);

/// The same for 64-bit integers: differences of two, four or eight bytes.
std::optional<std::vector<std::int64_t>> decompress_long_integers(std::string_view stream, std::size_t count);

}  // namespace mechane::usd
