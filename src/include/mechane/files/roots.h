#pragma once
#include <string>
#include <vector>

#include "mechane/core/result.h"

namespace mechane::files {

/// What is done with a file from elsewhere that a result would take in.
enum class Outside { warn, refuse, allow };

/// Folders that a result may take files from.
struct Roots {
    std::vector<std::string> folders;
    Outside                  outside = Outside::warn;

    /// Links are followed: a link to elsewhere leads outside.
    [[nodiscard]] bool contain(const std::string& file) const;
    /// @param found  gets FILES_OUTSIDE_ROOT for a file from elsewhere
    /// @error FILES_OUTSIDE_ROOT  where that is refused
    Result<void> admit(const std::string& file, Diagnostics& found) const;
};

}  // namespace mechane::files
