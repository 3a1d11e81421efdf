#pragma once
#include <string>
#include <vector>

namespace mechane::usd {

/// Files that a layer names: sublayers, references, payloads, textures, clips; also those that a stage would not read.
/// Empty for what is no layer, or cannot be read.
std::vector<std::string> files_named_by(const std::string& layer);

}  // namespace mechane::usd
