#pragma once
#include <cstdint>
#include <string>

#include "mechane/core/result.h"

namespace mechane::usd {

/// The bytes of a file that somebody gave us. A folder, pipe or device is refused unread: it may have no end, or wait
/// for a writer that never comes.
/// @param at_most   bytes that the file may have
/// @error INPUT_FILE   it is not there, no regular file, cannot be read, or is larger; the message begins with "the
/// file"
Result<std::string> read_input(const std::string& file, std::uint64_t at_most);

/// Its first bytes, fewer where it is shorter.
/// @error INPUT_FILE
Result<std::string> read_head(const std::string& file, std::uint64_t count);

}  // namespace mechane::usd
