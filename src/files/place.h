#pragma once
#include <filesystem>

namespace mechane::files {

/// Gives a new file the permissions and the owner of what it will replace. Nothing when there is nothing yet.
/// @return 0, or errno
int take_looks(int descriptor, const std::filesystem::path& of);
int take_looks(const std::filesystem::path& file, const std::filesystem::path& of);

}  // namespace mechane::files
