#pragma once
#include <span>
#include <string>

#include "cli/command.h"

namespace mechane::cli {

/// Reads many files in one child process, so that `try_in_child` need not read them again. If that process dies, each
/// file is read by a child of its own.
void try_together(std::span<const std::string> files, const Context& context);
/// What was read so far is done with; forgets it. No other thread may be reading.
void forget_reads();

}  // namespace mechane::cli
