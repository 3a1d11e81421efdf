#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mechane::collision {

/// Stable, by an unsigned key; `scratch` is memory, which both lists keep. Passes over digits of eleven bits from the
/// lowest on, beginning where the keys differ: what they share costs nothing.
template <class T, class Key>
void radix_sort(std::vector<T>& items, std::vector<T>& scratch, const Key& key)
{
    constexpr std::size_t kDigits = 1 << 11;
    if (items.empty()) return;
    const std::uint64_t first = key(items.front());
    std::uint64_t       last = first, differ = 0;
    bool                sorted = true;
    for (const T& item : items) {
        const std::uint64_t k = key(item);
        differ |= k ^ first;
        sorted = sorted && last <= k;
        last   = k;
    }
    if (sorted) return;
    scratch.resize(items.size());
    std::array<std::uint32_t, kDigits> places;
    std::vector<T>*                    from = &items;
    std::vector<T>*                    to   = &scratch;
    while (differ != 0) {
        const int  shift = std::countr_zero(differ);
        const auto digit = [&](const T& item) { return static_cast<std::size_t>(key(item) >> shift) % kDigits; };
        places.fill(0);
        for (const T& item : *from) ++places[digit(item)];
        std::uint32_t sum = 0;
        for (std::uint32_t& place : places) {
            const std::uint32_t count = place;
            place                     = sum;
            sum += count;
        }
        for (const T& item : *from) (*to)[places[digit(item)]++] = item;
        std::swap(from, to);
        differ &= ~((std::uint64_t{kDigits} - 1) << shift);
    }
    if (from != &items) std::copy(from->begin(), from->end(), items.begin());
}

}  // namespace mechane::collision
