#pragma once
#include <string>
#include <vector>

#include "mechane/usd/layer.h"

namespace mechane::usd {

/// Files that a layer names otherwise than by plain paths, relative to it: templates of value clips ("clips/c.#.usda"),
/// and what its expressions say with the variables of a root layer, which are stronger than its own.
std::vector<std::string> indirect_assets(const Layer& layer, const Layer& root);

}  // namespace mechane::usd
