#pragma once
#include <optional>
#include <string>

namespace mechane::conversion {

/// The file that a folder stands for: the entry that the report of a conversion or repair in it names, else the asset
/// with the folder's name, else the only asset that lies in it. Nothing where there is no such file.
std::optional<std::string> folder_entry(const std::string& folder);

}  // namespace mechane::conversion
