#pragma once

namespace mechane::cli {

/// From now on a fatal signal that arrives while a file is being read, before this process has put out any data, has
/// the program start anew in the same process with the same arguments; `started_anew` is true there. Does nothing
/// without arguments, or under a sanitizer, which has a handler of its own.
void start_anew_when_reading_ends_it(char** argv);

/// True when this process was started by itself after a file had ended it.
bool started_anew();

}  // namespace mechane::cli
