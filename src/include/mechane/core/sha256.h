#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mechane {

/// SHA-256 (FIPS 180-4) of a stream of bytes. Used where another program has to find the same digest of a long array;
/// inside the library `hash_bytes` is faster.
class Sha256 {
  public:
    void update(const void* data, std::size_t bytes) noexcept;
    void update(std::string_view text) noexcept { update(text.data(), text.size()); }
    /// The digest as 64 lower-case hexadecimal digits. The object may not be updated afterwards.
    [[nodiscard]] std::string finish();

  private:
    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::uint8_t, 64> pending_{};
    std::size_t                  pending_bytes_ = 0;
    std::uint64_t                total_bytes_   = 0;
};

/// Digest of one piece of memory.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace mechane
