#include <string>

#include "mechane/core/bytes.h"
#include "mechane/core/hash.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/geometry/preparation.h"

namespace mechane::geometry {

namespace {

constexpr std::uint32_t kMagic = 0x4d434348, kVersion = 1;
constexpr std::size_t   kHeader = 2 * sizeof(std::uint32_t) + sizeof(std::uint64_t);

}  // namespace

std::filesystem::path DiskCache::file_of(std::uint64_t key) const { return folder_ / (to_hex(key) + ".blob"); }

std::optional<std::vector<std::byte>> DiskCache::load(std::uint64_t key)
{
    const auto text = files::read(file_of(key).string());
    if (!text || text->size() < kHeader) return std::nullopt;
    const auto bytes = std::as_bytes(std::span(*text));
    ByteReader head(bytes.first(kHeader));
    const bool known = head.take<std::uint32_t>() == kMagic && head.take<std::uint32_t>() == kVersion;
    const auto body  = bytes.subspan(kHeader);
    if (!known || head.take<std::uint64_t>() != hash_bytes(body.data(), body.size(), key)) return std::nullopt;
    return std::vector<std::byte>(body.begin(), body.end());
}

void DiskCache::store(std::uint64_t key, std::span<const std::byte> bytes)
{
    ByteWriter head;
    head.put(kMagic);
    head.put(kVersion);
    head.put(hash_bytes(bytes.data(), bytes.size(), key));
    std::string content(reinterpret_cast<const char*>(head.bytes().data()), head.bytes().size());
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    // Two that store the same key write the same bytes, and the last one wins. What could not be kept is made again.
    (void)files::replace(file_of(key).string(), content, {.may_be_input = true, .make_folders = true, .durable = false});
}

}  // namespace mechane::geometry
