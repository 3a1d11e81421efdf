#pragma once
#include "cli/command.h"

namespace mechane::cli {

/// Takes the limits of a stage from the options --stage-limit NAME=VALUE.
/// @return false if one of them is invalid, with a message printed
bool set_limits(const GlobalOptions& global, const Io& io, usd::Limits& limits);

/// Starts a thread, once, that watches the cost of reading. More memory than the limit, or more processor time without
/// progress than the files allow, ends the program with STAGE_LIMIT and kExitInput.
void watch_reading(const Io& io);

/// The same for a child process that reads for its parent: all its processor time and memory count, and exceeding what
/// its files allow ends it silently with one of these statuses.
void          watch_strictly();
constexpr int kEndedByTime = 101, kEndedByMemory = 102;

/// Starts the allowance of the next file, which does not depend on the files before it.
void next_file();

/// Ends the watch: the files are loaded, and the work of the verb is not limited.
void loading_ended();

}  // namespace mechane::cli
