#pragma once
#include <string>
#include <vector>

#include "cli/command.h"

namespace mechane::cli {

/// What schemas bring: every property with type, variability and fallback.
int show_schemas(const std::vector<std::string>& names, const Context& context);

/// Which attributes of one resolver say what attributes of another say, row by row.
int map_resolvers(const std::vector<std::string>& names, const Context& context);

}  // namespace mechane::cli
