#pragma once
#include <string>

namespace mechane::cli {

/// Installs handlers for crashes: an invalid access, a stack overflow, an uncaught exception, a failed allocation on a
/// worker. They print one line that says what was being done, and exit with kExitInput while a file is being read, else
/// with kExitBug. Does nothing under a sanitizer, which reports more.
void speak_last_words(int argc, char** argv);

/// Prints the line and ends the process. May be called in a signal handler.
/// @param cause   "a segmentation fault"
[[noreturn]] void end_with_last_words(const char* cause);

/// Called by the handler before it prints; need not return.
void before_last_words(void (*what)());

/// Restores the system's default handlers, so that the parent process sees the signal.
void say_no_last_words();

}  // namespace mechane::cli
