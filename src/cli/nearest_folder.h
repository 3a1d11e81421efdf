#pragma once
#include <filesystem>
#include <string>

namespace mechane::cli {

/// The folder in which a result is made before it is renamed: the one above it, or what exists of that. A rename within
/// one file system replaces at once; between two of them it would copy.
std::filesystem::path nearest_folder(const std::string& result);

}  // namespace mechane::cli
