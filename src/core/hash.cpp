// Hashes of 64 bits by XXH3: fast and stable across platforms, and not for adversaries. Recordings and caches use them;
// sha256.cpp is for what must not be forged.

#include "mechane/core/hash.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mechane {

std::uint64_t hash_bytes(const void* data, std::size_t bytes, std::uint64_t seed) noexcept
{ return XXH3_64bits_withSeed(data, bytes, seed); }

std::string to_hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

}  // namespace mechane
