#pragma once
#include <string>

namespace mechane::cli {

/// From now on what would end the program silently - a wild read, a full stack, an exception that nobody catches, an
/// allocation that fails on a worker - says in one line what was being done, and ends it with a status of the table:
/// kExitInput while a file is being read, else kExitBug. Does nothing under a sanitizer, which says more.
void speak_last_words(int argc, char** argv);

/// The line and the end. May be called in a signal handler.
/// @param cause   "a segmentation fault"
[[noreturn]] void end_with_last_words(const char* cause);

/// Called by the handler before it speaks; may not return.
void before_last_words(void (*what)());

/// Lets the process die as the system has it: who started it tells what it died of.
void say_no_last_words();

}  // namespace mechane::cli
