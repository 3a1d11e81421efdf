#pragma once
/// Programmer errors. User errors are diagnostics (core/diagnostic.h) and never end the process.

namespace mechane {
/// Prints the failed condition with its place and aborts. Called by the macros below only.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;
}  // namespace mechane

/// Checked in every build: an index or handle that came through the public API.
/// What a caller can do wrong is told by MCH_REQUIRE (core/failure.h) or a Result instead, with the argument's name;
/// this one ends the process by a signal, with file and line of ours, because the fault is ours.
#define MCH_CHECK(condition) \
    ((condition) ? static_cast<void>(0) : ::mechane::assertion_failed(#condition, __FILE__, __LINE__))

/// Checked in debug and test builds only: an invariant of our own.
#if defined(MECHANE_ASSERTS)
#define MCH_ASSERT(condition) MCH_CHECK(condition)
#else
#define MCH_ASSERT(condition) static_cast<void>(sizeof(!(condition)))
#endif
