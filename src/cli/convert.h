#pragma once
#include "cli/command.h"

namespace mechane::cli {

/// The verb `convert`.
void add_convert(CLI::App& app, Context& context);

}  // namespace mechane::cli
