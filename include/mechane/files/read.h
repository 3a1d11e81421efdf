#pragma once
#include <cstddef>
#include <limits>
#include <string>

#include "mechane/core/result.h"

namespace mechane::files {

/// The content of a regular file, or its first `most` bytes. Folders, pipes and devices are refused unread: nobody
/// waits for a writer. The file counts as read (inputs.h).
/// @error FILES_READ_FAILED
Result<std::string> read(const std::string& file, std::size_t most = std::numeric_limits<std::size_t>::max());

/// The same of a file that the user named for this run, which may be a pipe of the shell: /dev/stdin, /dev/fd/63.
Result<std::string> read_given(const std::string& file);

/// Copies a regular file's bytes to a new file; what the source is a link to is copied.
/// @error FILES_READ_FAILED, FILES_WRITE_FAILED
Result<void> copy(const std::string& from, const std::string& to);

/// SHA-256 of a regular file, 64 hexadecimal digits.
/// @error FILES_READ_FAILED
Result<std::string> sha256_of(const std::string& file);

}  // namespace mechane::files
