#include "mechane/tasks/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "support/support.h"

using namespace mechane;
using tasks::Threads;

TEST_CASE("a chunked sum gives the same bits for any number of threads")
{
    std::vector<float> values(100'000);
    Random             random(7);
    for (float& v : values) v = static_cast<float>(random.uniform(-1, 1));
    const auto sum = [&](int threads, Threads kind) {
        const tasks::Pool  pool(threads, kind);
        std::vector<float> partial(tasks::chunk_count(values.size(), 1000));
        pool.for_chunks(values.size(), 1000, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
            for (std::size_t i = begin; i < end; ++i) partial[chunk] += values[i];
        });
        return std::accumulate(partial.begin(), partial.end(), 0.0f);
    };
    const float one = sum(1, Threads::shared);
    for (const int threads : {2, 5, 8, 0})
        for (const Threads kind : {Threads::shared, Threads::own}) CHECK(sum(threads, kind) == one);
}

TEST_CASE("every element is visited once, also when the last chunk is short")
{
    for (const Threads kind : {Threads::shared, Threads::own}) {
        const tasks::Pool pool(3, kind);
        std::vector<int>  visits(1003);
        pool.for_each(visits.size(), 10, [&](std::size_t i) { ++visits[i]; });
        CHECK(std::count(visits.begin(), visits.end(), 1) == 1003);
        pool.for_each(0, 10, [&](std::size_t) { FAIL("an empty range has no elements"); });
    }
}

TEST_CASE("threads of a pool's own run thousands of short loops of any length, each element once")
{
    for (const int threads : {2, 3, 7}) {
        const tasks::Pool             pool(threads, Threads::own);
        std::vector<std::atomic<int>> visits(100);
        std::vector<int>              expected(visits.size());
        for (std::size_t loop = 0; loop < 5000; ++loop) {
            const std::size_t count = loop % (visits.size() + 1);
            pool.for_each(count, 1 + loop % 3, [&](std::size_t i) { ++visits[i]; });
            for (std::size_t i = 0; i < count; ++i) ++expected[i];
            // They have gone to sleep when the next loop begins.
            if (loop % 1000 == 999) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        CHECK(std::equal(visits.begin(), visits.end(), expected.begin()));
    }
}

TEST_CASE("a loop within a loop, and loops of several callers at once, end with all of their work done")
{
    for (const Threads kind : {Threads::shared, Threads::own}) {
        const tasks::Pool        pool(4, kind);
        std::atomic<std::size_t> sum{0};
        const auto               nested = [&] {
            for (int loop = 0; loop < 50; ++loop)
                pool.for_each(6, 1, [&](std::size_t i) {
                    pool.for_each(10 * i, 1,
                                  [&](std::size_t k) { pool.for_each(3, 1, [&](std::size_t l) { sum += k * l; }); });
                });
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
    }
}

TEST_CASE("all threads of a pool's own work on a loop at once")
{
    // Each chunk waits until as many have begun as there are threads: with fewer at work it would never end.
    const tasks::Pool pool(3, Threads::own);
    for (int loop = 0; loop < 20; ++loop) {
        std::atomic<int> begun{0};
        pool.for_each(3, 1, [&](std::size_t) {
            ++begun;
            while (begun < 3) std::this_thread::yield();
        });
        CHECK(begun == 3);
    }
}

TEST_CASE("a pool of its own threads that never ran a loop, or one only, goes away")
{
    for (int i = 0; i < 20; ++i) {
        const tasks::Pool idle(4, Threads::own), once(4, Threads::own);
        once.for_each(8, 1, [](std::size_t) {});
    }
}
