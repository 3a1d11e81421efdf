#pragma once
#include <string>

#include "mechane/core/result.h"
#include "mechane/resolve/resolver.h"

namespace mechane::resolve {

/// A user's own table from JSON text, or from TOML text when `source` ends in ".toml"; docs/resolve.md shows both.
/// @param source  name of the file, also for messages
/// @error RESOLVER_TABLE
Result<Resolver> read_resolver(const std::string& text, const std::string& source);

/// The same from a file.
Result<Resolver> load_resolver(const std::string& file);

}  // namespace mechane::resolve
