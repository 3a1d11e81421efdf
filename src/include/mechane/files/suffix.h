#pragma once
#include <filesystem>
#include <string>

#include "mechane/core/letters.h"

namespace mechane::files {

/// ".usda" of "robot.USDA"; empty for a name without a dot, and for one that only begins with it.
[[nodiscard]] inline std::string suffix_of(const std::filesystem::path& file)
{ return lower_case(file.extension().string()); }

}  // namespace mechane::files
