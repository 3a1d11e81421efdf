#include "mechane/tasks/parallel.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "mechane/core/assert.h"
#include "team.h"

#if defined(MECHANE_TASKS_TBB)
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#else
#include <atomic>
#include <vector>
#endif

namespace mechane::tasks {

int available_threads() noexcept { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

#if defined(MECHANE_TASKS_TBB)

namespace {

/// Threads of the process that come when they have nothing else to do.
class SharedThreads {
  public:
    explicit SharedThreads(int threads) : arena_(threads) {}
    template <class Run>
    void run(std::size_t chunks, const Run& run)
    {
        arena_.execute([&] { tbb::parallel_for(std::size_t{0}, chunks, run, tbb::simple_partitioner{}); });
    }

  private:
    tbb::task_arena arena_;
};

}  // namespace

#else  // std::thread, for builds whose sanitizer cannot see into oneTBB

namespace {

class SharedThreads {
  public:
    explicit SharedThreads(int threads) : threads_(static_cast<std::size_t>(threads)) {}
    template <class Run>
    void run(std::size_t chunks, const Run& run) const
    {
        std::atomic<std::size_t> next{0};
        const auto               work = [&] {
            for (std::size_t c = next++; c < chunks; c = next++) run(c);
        };
        std::vector<std::thread> helpers;
        for (std::size_t i = 1; i < std::min(threads_, chunks); ++i) helpers.emplace_back(work);
        work();
        for (std::thread& thread : helpers) thread.join();
    }

  private:
    std::size_t threads_;
};

}  // namespace

#endif

struct Pool::Impl {
    std::optional<SharedThreads> shared;
    std::optional<Team>          team;
};

Pool::Pool(int threads, Threads kind) : threads_(threads > 0 ? threads : available_threads())
{
    if (threads_ == 1) return;
    impl_ = new Impl;
    kind == Threads::own ? void(impl_->team.emplace(threads_)) : void(impl_->shared.emplace(threads_));
}

Pool::~Pool() { delete impl_; }

void Pool::for_chunks(std::size_t count, std::size_t grain,
                      const std::function<void(std::size_t, std::size_t, std::size_t)>& body) const
{
    MCH_CHECK(grain > 0);
    const std::size_t chunks = chunk_count(count, grain);
    const auto        run    = [&](std::size_t c) { body(c * grain, std::min(count, (c + 1) * grain), c); };
    if (chunks <= 1 || threads_ == 1) {
        for (std::size_t c = 0; c < chunks; ++c) run(c);
        return;
    }
    impl_->team ? impl_->team->run(chunks, std::cref(run)) : impl_->shared->run(chunks, run);
}

void Pool::for_each(std::size_t count, std::size_t grain, const std::function<void(std::size_t)>& body) const
{
    for_chunks(count, grain, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) body(i);
    });
}

}  // namespace mechane::tasks
