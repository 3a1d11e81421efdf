#pragma once
#include <vector>

#include "asset_layers.h"
#include "facts.h"

namespace mechane::conformance {

/// Adds to the layers the words that no registered schema defines and that belong to no known vendor (rep-0158 2.7): on
/// prims that a simulation reads their namespace is a vendor's, elsewhere they are foreign and nothing more.
void note_foreign_words(const Facts& facts, std::vector<AssetLayer>& layers);

}  // namespace mechane::conformance
