#pragma once
#include <algorithm>
#include <filesystem>

namespace mechane::files {

/// Whether a place lies in a folder, at any depth, or is the folder itself. Names are compared as they are written: give
/// both as `real_place` does, or both as they stand in one listing.
inline bool is_within(const std::filesystem::path& place, const std::filesystem::path& folder)
{
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), place.begin(), place.end());
    return end == folder.end();
}

}  // namespace mechane::files
