#pragma once
#include <string>

#include "cli/command.h"

namespace mechane::cli {

/// Checks submissions to a schema registry (REP-0158 4.2): every folder at or below `folder` with a schema.usda.
int check_registry(const std::string& folder, Context& context);

}  // namespace mechane::cli
