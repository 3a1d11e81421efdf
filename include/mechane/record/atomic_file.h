#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "mechane/core/result.h"

namespace mechane::record {

/// Writes a whole file: a reader sees the old content or the new one, never a part. "-" is standard output; what is not
/// a regular file (/dev/null, a pipe) is written directly, and a symbolic link keeps pointing at what it points at.
/// @error RECORD_WRITE_FAILED
Result<void> write_file(const std::string& file, std::string_view content);
Result<void> write_file(const std::string& file, std::span<const std::byte> content);

}  // namespace mechane::record
