#pragma once

namespace mechane::cli {

/// From now on a fatal signal while a file is being read, before this process has written any data, restarts the
/// program in the same process with the same arguments; `started_anew` is true there. Does nothing
/// without arguments, or under a sanitizer, which has a handler of its own.
void start_anew_when_reading_ends_it(char** argv);

/// True if this process restarted itself after a file had crashed it.
bool started_anew();

}  // namespace mechane::cli
