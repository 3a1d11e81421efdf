#pragma once
#include <span>
#include <string>

#include "cli/command.h"

namespace mechane::cli {

/// Has one process read many files, so that `try_in_child` has nothing left to do for them. When it dies, each is still
/// read by a process of its own.
void try_together(std::span<const std::string> files, const Context& context);

}  // namespace mechane::cli
