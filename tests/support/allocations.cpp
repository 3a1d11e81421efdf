#include "support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

// Of the library of test support this file is linked into those programs alone that ask.

namespace {
std::atomic<std::size_t> g_allocations{0};
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Out of line, or GCC pairs an inlined malloc with a delete that it has not inlined and warns.
[[gnu::noinline]] void* operator new(std::size_t bytes)
{
    ++g_allocations;
    if (void* p = std::malloc(bytes)) return p;
    std::abort();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept
{
    ++g_allocations;
    return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
#endif

namespace mechane::test {

std::size_t allocations() { return g_allocations; }

}  // namespace mechane::test
