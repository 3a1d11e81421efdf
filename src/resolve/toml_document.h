#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mechane/core/result.h"

namespace mechane::resolve {

/// A TOML 1.0 document as the JSON document with the same tables, lists and values. Dates and times, which JSON does
/// not have, become null.
/// @param source  name of the file, for messages
/// @error RESOLVER_TABLE  with line and column of the first mistake
Result<nlohmann::json> json_from_toml(const std::string& text, const std::string& source);

}  // namespace mechane::resolve
