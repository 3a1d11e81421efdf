// The thread pool: loops over fixed chunks, by oneTBB, or by std::thread in builds whose sanitizer cannot look into
// oneTBB.
// Chunks are [c grain, (c + 1) grain), whatever the number of threads. Callers write per chunk or merge by chunk, so
// that no result depends on which thread took what.
// With one thread, or one chunk, everything runs on the caller's thread.

#include "mechane/tasks/parallel.h"

#include <algorithm>
#include <thread>

#include "mechane/core/failure.h"

#if defined(MECHANE_TASKS_TBB)
#define TBB_PREVIEW_PARALLEL_PHASE 1
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#else
#include <atomic>
#include <vector>
#endif

namespace mechane::tasks {

int available_threads() noexcept { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

#if defined(MECHANE_TASKS_TBB)

struct Pool::Impl {
    tbb::task_arena arena;
};

Pool::Pool(int threads) : threads_(threads > 0 ? threads : available_threads())
{
    if (threads_ > 1) impl_ = new Impl{tbb::task_arena(threads_)};
}

void Pool::for_chunks(std::size_t count, std::size_t grain,
                      const std::function<void(std::size_t, std::size_t, std::size_t)>& body, Chunks chunks) const
{
    MCH_REQUIRE(grain > 0, "Pool::for_chunks", "grain", "at least 1");
    const std::size_t all = chunk_count(count, grain);
    const auto        run = [&](std::size_t c) { body(c * grain, std::min(count, (c + 1) * grain), c); };
    if (all <= 1 || threads_ == 1) {
        for (std::size_t c = 0; c < all; ++c) run(c);
        return;
    }
    impl_->arena.execute([&] {
        // by_thread: the same thread takes the same chunks in loops of one size, whose data are then in its cache.
        chunks == Chunks::by_thread ? tbb::parallel_for(std::size_t{0}, all, run, tbb::static_partitioner{})
                                    : tbb::parallel_for(std::size_t{0}, all, run, tbb::auto_partitioner{});
    });
}

/// Keeps oneTBB's workers awake between the loops of one step.
Phase::Phase(const Pool* pool) : pool_(pool && pool->impl_ ? pool : nullptr)
{
    if (pool_) pool_->impl_->arena.start_parallel_phase();
}

Phase::~Phase()
{
    if (pool_) pool_->impl_->arena.end_parallel_phase();
}

#else  // std::thread, for builds whose sanitizer cannot see into oneTBB

struct Pool::Impl {};

Pool::Pool(int threads) : threads_(threads > 0 ? threads : available_threads()) {}

void Pool::for_chunks(std::size_t count, std::size_t grain,
                      const std::function<void(std::size_t, std::size_t, std::size_t)>& body, Chunks) const
{
    MCH_REQUIRE(grain > 0, "Pool::for_chunks", "grain", "at least 1");
    const std::size_t        chunks = chunk_count(count, grain);
    // Chunks are taken in order; an exception cannot leave a body, since the project throws none.
    std::atomic<std::size_t> next{0};
    const auto               work = [&] {
        for (std::size_t c = next++; c < chunks; c = next++) body(c * grain, std::min(count, (c + 1) * grain), c);
    };
    const std::size_t        helpers = std::min(static_cast<std::size_t>(threads_), chunks);
    std::vector<std::thread> team;
    for (std::size_t i = 1; i < helpers; ++i) team.emplace_back(work);
    work();
    // Joined before the return: all writes of the chunks are visible to the caller.
    for (std::thread& thread : team) thread.join();
}

Phase::Phase(const Pool*) : pool_(nullptr) {}
Phase::~Phase() = default;

#endif

Pool::~Pool() { delete impl_; }

void Pool::for_each(std::size_t count, std::size_t grain, const std::function<void(std::size_t)>& body,
                    Chunks chunks) const
{
    for_chunks(
        count, grain,
        [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t i = begin; i < end; ++i) body(i);
        },
        chunks);
}

}  // namespace mechane::tasks
