// Blobs by a key of 64 bits in a folder: a BlobCache on disk. A fault of the disk is a miss and never an error.

#include <string>
#include <string_view>

#include "mechane/core/hash.h"
#include "mechane/geometry/preparation.h"

namespace mechane::geometry {

DiskCache::DiskCache(std::filesystem::path folder, std::uint64_t most_bytes)
    : folder_(std::move(folder), ".blob", most_bytes)
{
}

std::filesystem::path DiskCache::file_of(std::uint64_t key) const { return folder_.file_of(to_hex(key)); }

std::optional<std::vector<std::byte>> DiskCache::load(std::uint64_t key)
{
    const auto text = folder_.load(to_hex(key));
    if (!text) return std::nullopt;
    const auto bytes = std::as_bytes(std::span(*text));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
}

void DiskCache::store(std::uint64_t key, std::span<const std::byte> bytes)
{
    // Two that store the same key write the same bytes, and the last one wins.
    folder_.store(to_hex(key), std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace mechane::geometry
