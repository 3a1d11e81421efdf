// SHA-256 (FIPS 180-4), for digests that name files. The state is eight words, messages come in blocks of 64 bytes.
// Processors with instructions for it take a quarter of the time; the digest is the same.

#include "mechane/core/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(MECHANE_SCALAR)
#define MCH_SHA_INSTRUCTIONS 1
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace mechane {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<std::uint32_t, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::uint8_t* p) noexcept
{ return (std::uint32_t{p[0]} << 24) | (std::uint32_t{p[1]} << 16) | (std::uint32_t{p[2]} << 8) | std::uint32_t{p[3]}; }

using State = std::array<std::uint32_t, 8>;

void compress_by_words(State& state, const std::uint8_t* block, std::size_t blocks) noexcept
{
    for (; blocks > 0; --blocks, block += 64) {
        std::array<std::uint32_t, 64> w{};
        for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(block + 4 * i);
        for (std::size_t i = 16; i < 64; ++i) {
            // Message schedule (FIPS 180-4, 6.2.2, step 1).
            const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
            const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
            w[i]                   = w[i - 16] + s0 + w[i - 7] + s1;
        }
        auto [a, b, c, d, e, f, g, h] = state;
        for (std::size_t i = 0; i < 64; ++i) {
            // One round (step 3): Sigma and Ch into t1, Sigma and Maj into t2.
            const std::uint32_t t1 =
                h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
            const std::uint32_t t2 =
                (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
        }
        const State worked{a, b, c, d, e, f, g, h};
        for (std::size_t i = 0; i < 8; ++i) state[i] += worked[i];
    }
}

#ifdef MCH_SHA_INSTRUCTIONS
/// Intel's SHA extensions: two rounds an instruction, on the words {a, b, e, f} and {c, d, g, h}, highest first.
[[gnu::target("sha,sse4.1,ssse3")]] void compress_by_instructions(State& state, const std::uint8_t* block,
                                                                  std::size_t blocks) noexcept
{
    const auto    load       = [](const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); };
    const __m128i kBigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i badc = _mm_shuffle_epi32(load(state.data()), 0xB1), efgh = _mm_shuffle_epi32(load(&state[4]), 0x1B);
    __m128i       abef = _mm_alignr_epi8(badc, efgh, 8), cdgh = _mm_blend_epi16(efgh, badc, 0xF0);
    for (; blocks > 0; --blocks, block += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i       w[4];
        for (std::size_t i = 0; i < 16; ++i) {
            __m128i& now = w[i % 4];
            if (i < 4)
                now = _mm_shuffle_epi8(load(block + 16 * i), kBigEndian);
            else
                now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]),
                                                         _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4)),
                                           w[(i + 3) % 4]);
            const __m128i sum = _mm_add_epi32(now, load(&kRound[4 * i]));
            cdgh              = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef              = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[4]), _mm_alignr_epi8(dchg, feba, 8));
}

bool has_instructions() noexcept
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}
#endif

void compress(State& state, const std::uint8_t* block, std::size_t blocks) noexcept
{
#ifdef MCH_SHA_INSTRUCTIONS
    static const bool fast = has_instructions();
    if (fast) return compress_by_instructions(state, block, blocks);
#endif
    compress_by_words(state, block, blocks);
}

}  // namespace

void Sha256::update(const void* data, std::size_t bytes) noexcept
{
    const auto* p = static_cast<const std::uint8_t*>(data);
    total_bytes_ += bytes;
    while (bytes > 0) {
        if (pending_bytes_ == 0 && bytes >= pending_.size()) {  // whole blocks, where they are
            const std::size_t blocks = bytes / pending_.size(), taken = blocks * pending_.size();
            compress(state_, p, blocks);
            p += taken, bytes -= taken;
            continue;
        }
        const std::size_t taken = std::min(bytes, pending_.size() - pending_bytes_);
        std::memcpy(pending_.data() + pending_bytes_, p, taken);
        pending_bytes_ += taken, p += taken, bytes -= taken;
        if (pending_bytes_ == pending_.size()) {
            compress(state_, pending_.data(), 1);
            pending_bytes_ = 0;
        }
    }
}

std::string Sha256::finish()
{
    const std::uint64_t bits = 8 * total_bytes_;
    // Padding (5.1.1): one bit, zeros up to 56 bytes, then the length in bits, big-endian.
    constexpr std::uint8_t      kOne = 0x80, kZero = 0;
    std::array<std::uint8_t, 8> length{};
    for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
    update(&kOne, 1);
    while (pending_bytes_ != 56) update(&kZero, 1);
    update(length.data(), length.size());

    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string                out;
    out.reserve(64);
    for (const std::uint32_t word : state_)
        for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[(word >> shift) & 15u];
    return out;
}

std::string sha256_hex(std::span<const std::byte> bytes)
{
    Sha256 hash;
    hash.update(bytes.data(), bytes.size());
    return hash.finish();
}

}  // namespace mechane
