// Ends the process at once: buffers are flushed, destructors of statics are not run, since worker threads may still be
// alive.

#include "mechane/core/process.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace mechane {

void end_process(int status) noexcept
{
    std::cout.flush();
    std::fflush(nullptr);
#if defined(__SANITIZE_ADDRESS__)
    __lsan_do_leak_check();  // otherwise a handler of exit()
#endif
    _exit(status);
}
}  // namespace mechane
