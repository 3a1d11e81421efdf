// What MCH_ASSERT and MCH_CHECK do when they fail: one line to stderr, and abort, so that a debugger stops at the
// fault.

#include "mechane/core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace mechane {
void assertion_failed(const char* condition, const char* file, int line) noexcept
{
    std::fprintf(stderr, "mechane: internal error: %s does not hold (%s:%d)\n", condition, file, line);
    std::abort();
}
}  // namespace mechane
