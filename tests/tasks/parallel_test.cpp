#include "mechane/tasks/parallel.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
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

TEST_CASE(
    "loops of a phase visit every element once, however their chunks are handed out, within each other and from "
    "several callers")
{
    const tasks::Pool        pool(4);
    std::atomic<std::size_t> sum{0};
    const auto               nested = [&] {
        const tasks::Phase phase(&pool), within(&pool);
        for (int loop = 0; loop < 50; ++loop)
            pool.for_each(
                6, 1,
                [&](std::size_t i) {
                    pool.for_each(10 * i, 1, [&](std::size_t k) {
                        pool.for_each(3, 1, [&](std::size_t l) { sum += k * l; }, tasks::Chunks::by_thread);
                    });
                },
                tasks::Chunks::by_thread);
    };
    nested();
    // k up to 10 i, times 0 + 1 + 2: 3 (10 i) (10 i - 1) / 2 over i < 6.
    std::size_t once = 0;
    for (std::size_t i = 1; i < 6; ++i) once += 3 * (10 * i) * (10 * i - 1) / 2;
    CHECK(sum == 50 * once);
    sum = 0;
    std::vector<std::thread> callers;
    for (int c = 0; c < 5; ++c) callers.emplace_back(nested);
    for (std::thread& caller : callers) caller.join();
    CHECK(sum == 5 * 50 * once);
    const tasks::Phase nobody(nullptr);
}
