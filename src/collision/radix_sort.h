#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mechane/tasks/parallel.h"

namespace mechane::collision {

/// Stable, by an unsigned key; `scratch` is memory for as many. Passes over digits of eleven bits from the lowest on,
/// beginning where the keys differ: what they share costs nothing.
template <class T, class Key>
void radix_sort(std::span<T> items, std::span<T> scratch, const Key& key)
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
    std::array<std::uint32_t, kDigits> places;
    std::span<T>                       from = items, to = scratch.first(items.size());
    while (differ != 0) {
        const int  shift = std::countr_zero(differ);
        const auto digit = [&](const T& item) { return static_cast<std::size_t>(key(item) >> shift) % kDigits; };
        places.fill(0);
        for (const T& item : from) ++places[digit(item)];
        std::uint32_t sum = 0;
        for (std::uint32_t& place : places) {
            const std::uint32_t count = place;
            place                     = sum;
            sum += count;
        }
        for (const T& item : from) to[places[digit(item)]++] = item;
        std::swap(from, to);
        differ &= ~((std::uint64_t{kDigits} - 1) << shift);
    }
    if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
}
/// The same; both lists keep their memory.
template <class T, class Key>
void radix_sort(std::vector<T>& items, std::vector<T>& scratch, const Key& key)
{
    scratch.resize(std::max(scratch.size(), items.size()));
    radix_sort(std::span<T>(items), std::span<T>(scratch), key);
}

/// Merges two sorted lists without common entries into a third one, on the pool where there is one.
template <class T>
void merge_sorted(const tasks::Pool* pool, std::span<const T> a, std::span<const T> b, std::span<T> out)
{
    constexpr std::size_t kPart = 1024;
    if (a.size() < b.size()) std::swap(a, b);
    const auto below = [&](std::size_t i) {
        if (i == 0 || i == a.size()) return i == 0 ? b.begin() : b.end();
        return std::lower_bound(b.begin(), b.end(), a[i]);
    };
    tasks::for_chunks(pool, a.size(), kPart, [&](std::size_t begin, std::size_t end, std::size_t) {
        const auto first = below(begin), last = below(end);
        std::merge(&a[begin], &a[begin] + (end - begin), first, last,
                   out.begin() + static_cast<std::ptrdiff_t>(begin) + (first - b.begin()));
    });
}

}  // namespace mechane::collision
