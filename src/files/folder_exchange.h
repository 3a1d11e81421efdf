#pragma once
#include <string>

namespace mechane::files {

/// Where folders cannot be exchanged, the old one has another name for a moment. When a run was ended in that moment,
/// the folder gets its name back. `path` is the folder, or lies in it.
void restore_exchanged(const std::string& path);

}  // namespace mechane::files
