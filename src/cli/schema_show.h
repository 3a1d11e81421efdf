#pragma once
#include <string>
#include <vector>

#include "cli/command.h"

namespace mechane::cli {

/// The properties of schemas with type, variability and fallback.
int show_schemas(const std::vector<std::string>& names, const Context& context);

/// Which attributes of one resolver have the same meaning as attributes of another, row by row.
int map_resolvers(const std::vector<std::string>& names, const Context& context);

}  // namespace mechane::cli
