#include "mechane/core/hash.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mechane {

std::uint64_t hash_bytes(const void* data, std::size_t bytes, std::uint64_t seed) noexcept
{ return XXH3_64bits_withSeed(data, bytes, seed); }

std::string to_hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

}  // namespace mechane
