// Threads of OpenUSD's work: how many, and a second stack for each, on which a handler can report that the first has
// overflowed.

#include "mechane/usd/threads.h"

#include <pxr/work/threadLimits.h>
#include <tbb/task_scheduler_observer.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>

#include "usd/runtime.h"

namespace mechane::usd {

namespace {

/// Told of each thread that begins to work for OpenUSD.
class SecondStacks final : public tbb::task_scheduler_observer {
  public:
    SecondStacks() { observe(true); }
    void on_scheduler_entry(bool is_worker) override
    {
        if (!is_worker) return;
        constexpr std::size_t kSize = 64 << 10;
        thread_local std::unique_ptr<std::array<char, kSize>> stack;
        if (stack) return;
        stack = std::make_unique<std::array<char, kSize>>();
        const stack_t own{.ss_sp = stack->data(), .ss_flags = 0, .ss_size = kSize};
        sigaltstack(&own, nullptr);
    }
    void on_scheduler_exit(bool) override {}
};

}  // namespace

void give_threads_a_second_stack()
{
    static auto* const observer = new SecondStacks;  // as long as the process: threads outlive static objects
    (void)observer;
}

namespace {

/// 0 means "no limit of mine", as an unset variable does.
bool set_by_environment()
{
    const char* authored = std::getenv("PXR_WORK_THREAD_LIMIT");
    return authored != nullptr && std::atoi(authored) != 0;
}

std::atomic<bool> g_set_by_program{false};

}  // namespace

ThreadLimit thread_limit()
{
    prepare_runtime();
    return {.threads          = static_cast<int>(pxr::WorkGetConcurrencyLimit()),
            .from_environment = set_by_environment(),
            .from_program     = !set_by_environment() && g_set_by_program};
}

void limit_threads(int threads)
{
    prepare_runtime();
    if (set_by_environment()) return;
    g_set_by_program = threads > 0;
    if (threads > 0)
        pxr::WorkSetConcurrencyLimit(static_cast<unsigned>(threads));
    else
        pxr::WorkSetMaximumConcurrencyLimit();
}

}  // namespace mechane::usd
