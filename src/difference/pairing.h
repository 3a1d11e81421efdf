#pragma once
#include <string>
#include <utility>
#include <vector>

#include "mechane/sourceformats/loss.h"

namespace mechane::difference {

/// Pairs of those that have the same name, or the name that a conversion gave them by its report; of several with one
/// name the first with the first, and so on.
std::vector<std::pair<std::size_t, std::size_t>> pair_by_name(const std::vector<std::string>&  a,
                                                              const std::vector<std::string>&  b,
                                                              const sourceformats::LossReport* losses);

}  // namespace mechane::difference
