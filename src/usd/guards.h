#pragma once
#include <string>
#include <string_view>

#include "mechane/core/result.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// Looks at a file's bytes before OpenUSD's parsers do, for what is known to end them: text nested too deeply, crates whose table of
/// contents lies, packages whose directory lies. `shown` is the name for messages.
/// @error STAGE_OPEN_FAILED, STAGE_LIMIT
Result<void> guard_file(const std::string& file, const std::string& shown, const Limits& limits);

/// The nesting check alone, for text in memory.
Result<void> guard_text(std::string_view text, const std::string& shown, const Limits& limits);

/// The table-of-contents check of a crate (version 0.0.1 to 0.13): magic, offsets, names and extents of sections.
/// @return an empty text, or what is wrong
std::string check_crate(std::string_view bytes);

}  // namespace mechane::usd
