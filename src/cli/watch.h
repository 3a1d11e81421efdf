#pragma once
#include "cli/command.h"

namespace mechane::cli {

/// Takes the limits of a stage from the options --stage-limit NAME=VALUE.
/// @return false, with a message printed, when one of them cannot be understood
bool set_limits(const GlobalOptions& global, const Io& io, usd::Limits& limits);

/// From now on a thread looks at what reading takes: more memory than the limit, or more processor time without getting
/// on than the files allow, ends the program with STAGE_LIMIT and kExitInput. Once.
void watch_reading(const Io& io);

/// Of a process that reads for another one: all its processor time and memory count, and more than the files that it
/// has read allow ends it without a word, with one of these statuses.
void          watch_strictly();
constexpr int kEndedByTime = 101, kEndedByMemory = 102;

/// What is loaded is there; what the verb makes of it may take what it takes.
void loading_ended();

}  // namespace mechane::cli
