#include "mechane/core/process.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace mechane {

void begin_process() noexcept
{
#ifdef __GLIBC__
    mallopt(M_MXFAST, 0);
#endif
}

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
