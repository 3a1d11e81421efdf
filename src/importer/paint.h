#pragma once
#include <memory>
#include <vector>

#include "import.h"

namespace mechane::importer {

/// How a look lies on a mesh; null where it is no more than a colour.
/// @param mesh   the prim that has the texture coordinates
/// @param faces  those that the shape has; empty: all
std::shared_ptr<const model::Paint> paint_of(Import& run, const Appearance& look, const usd::Prim& mesh,
                                             const MeshData& data, const std::vector<bool>& faces = {});

/// Says which pictures are not there, in one finding.
void report_missing_pictures(Import& run);

}  // namespace mechane::importer
