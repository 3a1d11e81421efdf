#include "mechane/tasks/parallel.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/support.h"

using namespace mechane;

TEST_CASE("a chunked sum gives the same bits for any number of threads")
{
    std::vector<float> values(100'000);
    Random             random(7);
    for (float& v : values) v = static_cast<float>(random.uniform(-1, 1));
    const auto sum = [&](int threads) {
        const tasks::Pool  pool(threads);
        std::vector<float> partial(tasks::chunk_count(values.size(), 1000));
        pool.for_chunks(values.size(), 1000, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
            for (std::size_t i = begin; i < end; ++i) partial[chunk] += values[i];
        });
        return std::accumulate(partial.begin(), partial.end(), 0.0f);
    };
    const float one = sum(1);
    for (const int threads : {2, 5, 8, 0}) CHECK(sum(threads) == one);
}

TEST_CASE("every element is visited once, also when the last chunk is short")
{
    const tasks::Pool pool(3);
    std::vector<int>  visits(1003);
    pool.for_each(visits.size(), 10, [&](std::size_t i) { ++visits[i]; });
    CHECK(std::count(visits.begin(), visits.end(), 1) == 1003);
    pool.for_each(0, 10, [&](std::size_t) { FAIL("an empty range has no elements"); });
}
