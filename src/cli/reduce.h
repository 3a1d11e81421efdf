#pragma once
#include "cli/command.h"

namespace mechane::cli {

/// The verb `reduce`.
void add_reduce(CLI::App& app, Context& context);

}  // namespace mechane::cli
