#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <system_error>

#include "mechane/core/bytes.h"
#include "mechane/core/hash.h"
#include "mechane/geometry/preparation.h"

namespace mechane::geometry {

namespace {

constexpr std::uint32_t kMagic = 0x4d434348, kVersion = 1;
constexpr std::size_t   kHeader = 2 * sizeof(std::uint32_t) + sizeof(std::uint64_t);

}  // namespace

std::filesystem::path DiskCache::file_of(std::uint64_t key) const { return folder_ / (to_hex(key) + ".blob"); }

std::optional<std::vector<std::byte>> DiskCache::load(std::uint64_t key)
{
    std::ifstream     in(file_of(key), std::ios::binary);
    std::vector<char> chars{std::istreambuf_iterator<char>(in), {}};
    if (!in || chars.size() < kHeader) return std::nullopt;
    const auto bytes = std::as_bytes(std::span(chars));
    ByteReader head(bytes.first(kHeader));
    const bool known = head.take<std::uint32_t>() == kMagic && head.take<std::uint32_t>() == kVersion;
    const auto body  = bytes.subspan(kHeader);
    if (!known || head.take<std::uint64_t>() != hash_bytes(body.data(), body.size(), key)) return std::nullopt;
    return std::vector<std::byte>(body.begin(), body.end());
}

void DiskCache::store(std::uint64_t key, std::span<const std::byte> bytes)
{
    // A name of its own for each writer: two that store the same key write the same bytes, and the last rename wins.
    static std::atomic<unsigned> counter{0};
    std::error_code              failed;
    std::filesystem::create_directories(folder_, failed);
    const auto aside =
        folder_ / (to_hex(key) + "." + std::to_string(::getpid()) + "." + std::to_string(counter++) + ".part");
    ByteWriter head;
    head.put(kMagic);
    head.put(kVersion);
    head.put(hash_bytes(bytes.data(), bytes.size(), key));
    {
        std::ofstream out(aside, std::ios::binary | std::ios::trunc);
        out.write(reinterpret_cast<const char*>(head.bytes().data()),
                  static_cast<std::streamsize>(head.bytes().size()));
        out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        out.close();
        if (!out) failed = std::make_error_code(std::errc::io_error);
    }
    if (!failed) std::filesystem::rename(aside, file_of(key), failed);
    if (failed) {
        std::error_code ignored;
        std::filesystem::remove(aside, ignored);
    }
}

}  // namespace mechane::geometry
