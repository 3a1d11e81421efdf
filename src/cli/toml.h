#pragma once
#include <string>

#define TOML_EXCEPTIONS 0  // mistakes come back in the result
#include <toml++/toml.h>

#include "mechane/core/result.h"

namespace mechane::cli {

/// Reads a TOML 1.0 file.
/// @error CHECK_CONFIG   it is no regular file, has more than 1 MiB, nests too deeply or is no TOML; with the line
Result<toml::table> read_toml(const std::string& file);

/// A mistake in a file, where a part of it stands.
Diagnostic toml_mistake(const std::string& file, const toml::source_region& place, std::string message,
                        std::string hint = {});

}  // namespace mechane::cli
