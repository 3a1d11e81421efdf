#pragma once
#include <string>
#include <vector>

#include "cli/io.h"

namespace mechane::cli {

/// Files as given; for a folder every USD file below it.
/// @param by_asset  for a layer also what may be of the same asset
std::vector<std::string> files_of(const std::vector<std::string>& assets, bool by_asset);

/// Says which robots of other formats lie in the folders, as these stand for their OpenUSD files alone.
void tell_other_robots(const std::vector<std::string>& assets, const Io& io);

}  // namespace mechane::cli
