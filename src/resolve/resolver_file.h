#pragma once
#include <string>

#include "mechane/core/result.h"
#include "mechane/resolve/resolver.h"

namespace mechane::resolve {

/// A user's own table from JSON text; the format is in docs/resolve.md.
/// @param source  name of the file, for messages
/// @error RESOLVER_TABLE
Result<Resolver> read_resolver(const std::string& text, const std::string& source);

/// The same from a file.
Result<Resolver> load_resolver(const std::string& file);

}  // namespace mechane::resolve
