// A broad phase by itself: boxes and filters in, pairs out, no model. The span may be too small; the count says so.
//
//     sample_blocks_broad
#include <vector>

#include "mechane/collision/broad_phase.h"
#include "sample.h"

using namespace mechane;

int main()
{
    // Ten unit boxes in a row, each 0.9 m from the last, so that neighbours overlap; two worlds of five.
    constexpr std::size_t               n = 10;
    std::vector<geometry::Aabbd>        boxes;
    std::vector<collision::ShapeFilter> filters;
    for (std::size_t i = 0; i < n; ++i) {
        const double x = 0.9 * static_cast<double>(i);
        boxes.push_back({{x, 0, 0}, {x + 1, 1, 1}});
        filters.push_back({.body   = static_cast<std::int32_t>(i),
                           .world  = i < n / 2 ? 0 : 1,
                           .active = true,
                           .mobile = true});
    }
    const std::vector<collision::ShapePair> excluded = {{0, 1}};

    sample::Claims                 claims;
    collision::BroadPhaseAllPairs  all(filters, excluded);
    collision::BroadPhaseSAP       sweep(filters, excluded);
    collision::BroadPhaseExplicit  list(filters, excluded);
    std::vector<collision::ShapePair> first;
    for (collision::BroadPhase* broad : {static_cast<collision::BroadPhase*>(&all),
                                         static_cast<collision::BroadPhase*>(&sweep),
                                         static_cast<collision::BroadPhase*>(&list)}) {
        std::vector<collision::ShapePair> pairs(32, {-1, -1});
        const std::size_t                 count = broad->launch(boxes, {}, {}, pairs);
        for (std::size_t i = 0; i < count; ++i) std::printf("(%d, %d) ", pairs[i].first, pairs[i].second);
        std::printf(": %zu pairs, %zu slots unused\n", count, pairs.size() - count);
        // Nine neighbours, less the one across the worlds and the one that is excluded.
        claims.that(count == 7, "there are seven pairs");
        if (first.empty()) first = pairs;
        claims.that(pairs == first, "every broad phase writes the same");
    }
    std::vector<collision::ShapePair> few(3);
    const std::size_t                 demand = sweep.launch(boxes, {}, {}, few);
    std::printf("a span of 3 holds the first pairs, the count says %zu\n", demand);
    claims.that(demand == 7 && std::equal(few.begin(), few.end(), first.begin()), "too small a span holds the first");
    return claims.exit_code();
}
