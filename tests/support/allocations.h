#pragma once
#include <cstddef>

namespace mechane::test {

/// How often this program has allocated so far, on all threads. Sanitizers bring operators of their own: there it is 0.
std::size_t allocations();

}  // namespace mechane::test
