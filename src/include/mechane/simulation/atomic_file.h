#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "mechane/core/result.h"

namespace mechane::record {

/// Writes a whole file as `files::replace` does.
/// @error RECORD_WRITE_FAILED, FILES_INPUT
Result<void> write_file(const std::string& file, std::string_view content);
Result<void> write_file(const std::string& file, std::span<const std::byte> content);

}  // namespace mechane::record
