#pragma once
#include "cli/command.h"

namespace mechane::cli {

/// The verb `diff`.
void add_diff(CLI::App& app, Context& context);

}  // namespace mechane::cli
