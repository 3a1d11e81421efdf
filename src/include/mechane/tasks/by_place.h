#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace mechane::tasks {

/// In which order pieces of work are handed out so that each thread takes what lies where it worked in the loops
/// before: what it wrote there is in its own cache. Results must not depend on it.
///
/// @param place  of a piece among `places`; equal shares of them go together, pieces of one share in their own order
/// @param order  numbers of the pieces, shape [count]
template <class Place>
void order_by_place(std::size_t count, std::size_t places, std::vector<std::uint32_t>& order, const Place& place)
{
    constexpr std::size_t                kShares = 64;
    std::array<std::size_t, kShares + 1> next{};
    const auto share = [&](std::size_t piece) { return std::min(place(piece) * kShares / places, kShares - 1); };
    for (std::size_t i = 0; i < count; ++i) ++next[share(i) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    order.resize(count);
    for (std::size_t i = 0; i < count; ++i) order[next[share(i)]++] = static_cast<std::uint32_t>(i);
}

}  // namespace mechane::tasks
