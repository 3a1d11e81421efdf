#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace mechane {

/// 64-bit XXH3 of bytes. Stable across platforms of one endianness and across releases.
/// For comparing results and naming entries of caches. It is no signature: who wants to can make two inputs meet.
std::uint64_t hash_bytes(const void* data, std::size_t bytes, std::uint64_t seed = 0) noexcept;

/// Hash of an array of plain values, by their bytes. Types with padding are refused.
template <class T>
std::uint64_t hash_span(std::span<const T> values, std::uint64_t seed = 0) noexcept
{
    static_assert(std::is_trivially_copyable_v<T>);
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T> || std::is_class_v<T>);
    return hash_bytes(values.data(), values.size_bytes(), seed);
}

/// The bytes of the text, without an end mark.
inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0) noexcept
{ return hash_bytes(text.data(), text.size(), seed); }

/// Order-dependent combination of two hashes.
/// hash_combine(a, b) is not hash_combine(b, a): chains of states depend on their order.
constexpr std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b) noexcept
{
    a ^= b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2);
    a *= 0xff51afd7ed558ccdull;
    return a ^ (a >> 33);
}

/// 16 lower-case hexadecimal digits.
std::string to_hex(std::uint64_t value);

}  // namespace mechane
