#pragma once
#include <vector>

#include "mechane/usd/layer.h"

namespace mechane::conformance {

/// Relationships of a layer that geometry does not have by itself: none of bindings, skeletons, proxies, prototypes and
/// collections.
std::vector<usd::Path> relationships_beyond_looks(const usd::Layer& layer);

}  // namespace mechane::conformance
