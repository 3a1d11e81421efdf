#pragma once
#include <string>

namespace mechane::cli {

/// A time with its unit ("500ms", "2s", "1.5 min", "1/60 s") as the decimal number of seconds; any other text as it is.
std::string in_seconds(std::string text);

}  // namespace mechane::cli
