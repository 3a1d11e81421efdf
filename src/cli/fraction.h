#pragma once
#include <string>

namespace mechane::cli {

/// "1/60" as the decimal number that reads back as the same double; any other text as it is.
std::string without_fraction(std::string text);

}  // namespace mechane::cli
