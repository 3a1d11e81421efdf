#pragma once
#include <string>

#include "mechane/core/result.h"
#include "usd/guards.h"
#include "usd/runtime.h"

namespace mechane::usd {

/// The absolute path of the file that a path or package-relative path names; checks what can be checked before a
/// parser sees it. URIs come back as they are.
/// @error STAGE_OPEN_FAILED, STAGE_FORMAT_UNKNOWN
Result<std::string> find_file(const std::string& source);

/// Why `file` did not open as `source`: the guard's or the parser's own words if they had any, else what can be found
/// out.
Diagnostic explain_failure(MessageScope& messages, GuardScope& guard, const std::string& source,
                           const std::string& file);

}  // namespace mechane::usd
