#pragma once
#include <cstddef>
#include <limits>
#include <string>

#include "mechane/core/result.h"

namespace mechane::files {

/// The content of a regular file. Folders, pipes and devices are refused unread: nobody waits for a writer. The file
/// counts as read (inputs.h).
/// @param most   bytes that the file may have
/// @error FILES_READ_FAILED   the message begins with "the file"
Result<std::string> read(const std::string& file, std::size_t most = std::numeric_limits<std::size_t>::max());

/// The same of a file that the user named for this run, which may be a pipe of the shell: /dev/stdin, /dev/fd/63.
Result<std::string> read_given(const std::string& file);

/// The first bytes of a regular file, fewer where it is shorter.
/// @error FILES_READ_FAILED
Result<std::string> read_head(const std::string& file, std::size_t count);

/// The content of a file that an earlier run of this program wrote: it does not count as read, so a result may replace
/// it.
/// @error FILES_READ_FAILED
Result<std::string> read_own(const std::string& file, std::size_t most);

/// Copies a regular file's bytes to a new file; what the source is a link to is copied.
/// @error FILES_READ_FAILED, FILES_WRITE_FAILED
Result<void> copy(const std::string& from, const std::string& to);

/// SHA-256 of a regular file, 64 hexadecimal digits. The file does not count as read.
/// @error FILES_READ_FAILED
Result<std::string> sha256_of(const std::string& file);

}  // namespace mechane::files
