#pragma once
/// How our programs end.

namespace mechane {
/// Flushes the standard streams and ends the process with this status; static objects are not destroyed.
/// OpenUSD frees prim indices and layers on threads of its own that may outlive main. A thread that is still at it
/// while exit() takes OpenUSD's static objects away ends the program with a segmentation fault, after all its work.
/// Objects of ours that hold files, such as a recording, have to be gone or finished before: nothing is destroyed.
[[noreturn]] void end_process(int status) noexcept;
}  // namespace mechane
