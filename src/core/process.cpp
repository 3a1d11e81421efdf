#include "mechane/core/process.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace mechane {
void end_process(int status) noexcept
{
    std::cout.flush();
    std::fflush(nullptr);
    _exit(status);
}
}  // namespace mechane
