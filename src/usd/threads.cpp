#include "mechane/usd/threads.h"

#include <pxr/work/threadLimits.h>
#include <tbb/task_scheduler_observer.h>

#include <array>
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

ThreadLimit thread_limit()
{
    prepare_runtime();
    // 0 means "no limit of mine", as an unset variable does.
    const char* authored = std::getenv("PXR_WORK_THREAD_LIMIT");
    return {.threads          = static_cast<int>(pxr::WorkGetConcurrencyLimit()),
            .from_environment = authored != nullptr && std::atoi(authored) != 0};
}

}  // namespace mechane::usd
