#include "mechane/usd/threads.h"

#include <pxr/work/threadLimits.h>

#include <cstdlib>

#include "usd/runtime.h"

namespace mechane::usd {

ThreadLimit thread_limit()
{
    prepare_runtime();
    // 0 means "no limit of mine", as an unset variable does.
    const char* authored = std::getenv("PXR_WORK_THREAD_LIMIT");
    return {.threads          = static_cast<int>(pxr::WorkGetConcurrencyLimit()),
            .from_environment = authored != nullptr && std::atoi(authored) != 0};
}

}  // namespace mechane::usd
