#include "mechane/core/disjoint_sets.h"

#include <cstdint>

#include "mechane/math/random.h"
#include "support/support.h"

using namespace mechane;

TEST_CASE("disjoint sets are named by their smallest member, in whatever order they were joined")
{
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
        Random                     r(draw);
        constexpr std::int32_t     kCount = 60;
        DisjointSets<std::int32_t> sets(kCount);
        // Sets by the reference: every member carries its set's smallest, and joining goes through all.
        std::vector<std::int32_t> least(kCount);
        std::iota(least.begin(), least.end(), 0);
        for (int i = 0; i < 45; ++i) {
            const auto a = static_cast<std::int32_t>(r.below(kCount)), b = static_cast<std::int32_t>(r.below(kCount));
            sets.join(a, b);
            const std::int32_t x = least[static_cast<std::size_t>(a)], y = least[static_cast<std::size_t>(b)];
            for (std::int32_t& l : least)
                if (l == x || l == y) l = std::min(x, y);
        }
        for (std::int32_t i = 0; i < kCount; ++i) CHECK(sets.find(i) == least[static_cast<std::size_t>(i)]);
    }
}

TEST_CASE("a set that is hung below another one takes its representative")
{
    DisjointSets<> sets(4);
    sets.join(2, 3);
    sets.hang(0, 3);
    CHECK(sets.find(0) == 2);
    CHECK(sets.find(1) == 1);
}
