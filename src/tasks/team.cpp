#include "team.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <system_error>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include "mechane/tasks/parallel.h"

namespace mechane::tasks {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kOpen = 1u << 31;
/// How long a thread stays awake for the next loop: longer than a step takes between two of them.
constexpr auto kAwake = std::chrono::microseconds(200);
/// After so long it lets others have the processor in between.
constexpr auto kAlone = std::chrono::microseconds(20);

/// Which thread of which team this one is; all others are number 0.
thread_local const Team* own_team   = nullptr;
thread_local std::size_t own_number = 0;

void pause()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

constexpr std::uint64_t pack(std::uint64_t begin, std::uint64_t end) { return begin << 32 | end; }
constexpr std::uint64_t begin_of(std::uint64_t left) { return left >> 32; }
constexpr std::uint64_t end_of(std::uint64_t left) { return left & 0xffffffffu; }
constexpr std::uint64_t count_of(std::uint64_t left) { return end_of(left) - begin_of(left); }

long this_process()
{
#if __has_include(<unistd.h>)
    return static_cast<long>(getpid());
#else
    return 0;
#endif
}

}  // namespace

Team::Team(int threads) : threads_(static_cast<std::size_t>(std::max(2, threads)))
{
    for (Job& job : jobs_) job.parts = std::vector<Part>(threads_);
}

Team::~Team()
{
    {
        const std::scoped_lock lock(mutex_);
        stop_ = true;
        ++news_;
    }
    bell_.notify_all();
    // After a fork the child has none of them: there is nothing to wait for.
    const bool ours = process_ == this_process();
    for (std::thread& worker : workers_) ours ? worker.join() : worker.detach();
}

void Team::start()
{
    process_ = this_process();
    workers_.reserve(threads_ - 1);
    try {
        for (std::size_t i = 1; i < threads_; ++i) workers_.emplace_back([this, i] { stay(i); });
    } catch (const std::system_error&) {  // the system has no more threads: loops do with those that there are
    }
}

void Team::run(std::size_t chunks, const Work& work)
{
    const auto serial = [&] {
        for (std::size_t c = 0; c < chunks; ++c) work(c);
    };
    if (chunks <= 1 || chunks > std::numeric_limits<std::uint32_t>::max()) return serial();
    Job* job = nullptr;
    for (Job& free : jobs_)
        if (!free.taken.load(std::memory_order_relaxed) && !free.taken.exchange(true, std::memory_order_acquire)) {
            job = &free;
            break;
        }
    if (!job) return serial();
    std::call_once(started_, [this] { start(); });
    job->work = &work;
    for (std::size_t i = 0; i < threads_; ++i)
        job->parts[i].left.store(pack(i * chunks / threads_, (i + 1) * chunks / threads_), std::memory_order_relaxed);
    job->state.store(kOpen, std::memory_order_release);
    news_.fetch_add(1);  // before `asleep_` is read: who falls asleep meanwhile has seen it, or is seen
    wake(chunks - 1);
    const std::size_t number = own_team == this ? own_number : 0;
    work_on(*job, number);
    job->state.fetch_and(~kOpen, std::memory_order_acq_rel);
    for (const auto start = Clock::now(); job->state.load(std::memory_order_acquire) != 0;) {
        // What the others are at may be cut up further.
        if (help(number)) continue;
        Clock::now() - start < kAlone ? pause() : std::this_thread::yield();
    }
    job->taken.store(false, std::memory_order_release);
}

/// Its own part from the front, then, from the back, a quarter at a time of whoever has most left.
void Team::work_on(Job& job, std::size_t number)
{
    const Work& work = *job.work;
    const auto  take = [](Part& part, auto&& rest, std::uint64_t& taken) {
        std::uint64_t left = part.left.load(std::memory_order_relaxed);
        while (count_of(left) > 0)
            if (part.left.compare_exchange_weak(left, rest(left), std::memory_order_relaxed)) {
                taken = left;
                return true;
            }
        return false;
    };
    std::uint64_t found   = 0;
    const auto    quarter = [](std::uint64_t left) { return std::max<std::uint64_t>(1, count_of(left) / 4); };
    while (take(job.parts[number], [](std::uint64_t l) { return pack(begin_of(l) + 1, end_of(l)); }, found))
        work(begin_of(found));
    for (;;) {
        Part*         most = nullptr;
        std::uint64_t best = 0;
        for (Part& part : job.parts)
            if (const std::uint64_t count = count_of(part.left.load(std::memory_order_relaxed)); count > best) {
                best = count;
                most = &part;
            }
        if (!most) return;
        if (!take(*most, [&](std::uint64_t l) { return pack(begin_of(l), end_of(l) - quarter(l)); }, found)) continue;
        for (std::uint64_t c = end_of(found) - quarter(found); c < end_of(found); ++c) work(c);
    }
}

/// Joins an open loop that has something left.
bool Team::help(std::size_t number)
{
    for (Job& job : jobs_) {
        std::uint32_t state = job.state.load(std::memory_order_acquire);
        const bool    any = (state & kOpen) != 0 && std::any_of(job.parts.begin(), job.parts.end(), [](const Part& p) {
                             return count_of(p.left.load(std::memory_order_relaxed)) > 0;
                            });
        if (!any || !job.state.compare_exchange_strong(state, state + 1, std::memory_order_acq_rel)) continue;
        work_on(job, number);
        job.state.fetch_sub(1, std::memory_order_release);
        return true;
    }
    return false;
}

void Team::wake(std::size_t count)
{
    const auto asleep = static_cast<std::size_t>(std::max(0, asleep_.load()));
    if (asleep == 0) return;
    {
        const std::scoped_lock lock(mutex_);  // who is about to sleep does so now, or looks again
    }
    for (std::size_t i = 0; i < std::min(count, asleep); ++i) bell_.notify_one();
}

void Team::stay(std::size_t number)
{
    own_team   = this;
    own_number = number;
    // More threads than cores would keep each other from work.
    const auto awake =
        number < static_cast<std::size_t>(available_threads()) ? Clock::duration(kAwake) : Clock::duration::zero();
    while (!stop_) {
        const std::uint32_t seen = news_.load();
        if (help(number)) continue;
        const auto start = Clock::now();
        for (auto waited = Clock::duration::zero(); waited < awake && news_.load(std::memory_order_relaxed) == seen;
             waited      = Clock::now() - start)
            waited < kAlone ? pause() : std::this_thread::yield();
        if (news_.load() != seen) continue;
        std::unique_lock lock(mutex_);
        ++asleep_;
        bell_.wait(lock, [&] { return news_.load() != seen; });
        --asleep_;
    }
}

}  // namespace mechane::tasks
