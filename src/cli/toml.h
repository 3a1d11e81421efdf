#pragma once
#include <string>

#define TOML_EXCEPTIONS 0  // mistakes come back in the result
#include <toml++/toml.h>

#include "mechane/core/result.h"

namespace mechane::cli {

/// Reads a TOML 1.0 file.
/// @error CHECK_CONFIG   not a regular file, larger than 1 MiB, nested too deeply, or not TOML; with the line
Result<toml::table> read_toml(const std::string& file);

/// A mistake in a file, with the position of the part.
Diagnostic toml_mistake(const std::string& file, const toml::source_region& place, std::string message,
                        std::string hint = {});

}  // namespace mechane::cli
