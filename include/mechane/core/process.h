#pragma once
/// How our programs begin and end.

namespace mechane {
/// To be called first in main. Turns off the allocator's fast bins: OpenUSD makes small pieces between large ones, and
/// glibc merges all of its fast bins whenever a large one is freed. Opening a robot of 100 layers takes a tenth less
/// processor time without them. A library must not choose this for its process, so only programs call it.
void begin_process() noexcept;
/// Flushes the standard streams and ends the process with this status; static objects are not destroyed.
/// OpenUSD frees prim indices and layers on threads of its own that may outlive main. A thread that is still at it
/// while exit() takes OpenUSD's static objects away ends the program with a segmentation fault, after all its work.
[[noreturn]] void end_process(int status) noexcept;
}  // namespace mechane
